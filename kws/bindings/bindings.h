// SPDX-License-Identifier: Apache-2.0
// Shared by the files of kws._core: the error, arrays, threads, and the functions that add classes
// to the module. The Python interface is documented in kws/_core.pyi.
#ifndef KWS_BINDINGS_BINDINGS_H_
#define KWS_BINDINGS_BINDINGS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kws::bindings {

namespace nb = nanobind;
using nb::literals::operator""_a;

void BindFrontend(nb::module_& m);
void BindModelFacts(nb::module_& m);
void BindRuntime(nb::module_& m);
void BindCompiled(nb::module_& m);
void BindRecognizer(nb::module_& m);
void BindPipeline(nb::module_& m);
void BindSerial(nb::module_& m);

struct CoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Pcm = nb::ndarray<const int16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Clips = nb::ndarray<const int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<const int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ScoreRows = nb::ndarray<const int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Times = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::c_contig, nb::device::cpu, nb::ro>;

// An argument as an array of exactly this type and number of dimensions, in any layout. Otherwise
// NumPy would silently convert floats of -1 to 1 to zeros.
template <typename Array>
Array ArrayOf(const nb::object& given, const char* name, const char* wanted) {
  nb::ndarray<nb::device::cpu, nb::ro> any;
  const bool is_array = nb::try_cast(given, any, false);
  if (!is_array || any.dtype() != nb::dtype<typename Array::Scalar>() ||
      any.ndim() != Array::Config::N) {
    const auto text = [&](const char* attribute) {
      return nb::cast<std::string>(nb::str(nb::object(given.attr(attribute))));
    };
    const std::string is = is_array && nb::hasattr(given, "dtype")
                               ? text("dtype") + " with shape " + text("shape")
                               : nb::cast<std::string>(nb::str(given.type().attr("__name__")));
    throw CoreError(std::string(name) + " of " + is + "; kws takes " + wanted);
  }
  return nb::cast<Array>(given);
}

inline Pcm PcmOf(const nb::object& samples) {
  return ArrayOf<Pcm>(samples, "samples",
                      "one channel of int16 at 16 kHz; floats of -1 to 1 are multiplied by 32767 "
                      "and converted with astype");
}

inline Clips ClipsOf(const nb::object& samples) {
  return ArrayOf<Clips>(samples, "samples", "a row of int16 at 16 kHz for each clip");
}

// A NumPy array that owns its bytes.
template <typename T>
struct Owned {
  explicit Owned(std::vector<size_t> dims) : shape(std::move(dims)) {
    size_t count = 1;
    for (const size_t dim : shape) count *= dim;
    data.reset(new T[std::max<size_t>(count, 1)]());
  }
  nb::ndarray<nb::numpy, T> Release() {
    T* raw = data.release();
    nb::capsule owner(raw, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(raw, shape.size(), shape.data(), owner);
  }
  std::vector<size_t> shape;
  std::unique_ptr<T[]> data;
};

// Calls work(begin, end) on `threads` threads (0: one per core) over [0, count). Rethrows the first
// exception.
template <typename Work>
void ForRanges(size_t count, int threads, const Work& work) {
  size_t workers = threads > 0 ? static_cast<size_t>(threads)
                               : std::max<size_t>(1, std::thread::hardware_concurrency());
  workers = std::max<size_t>(1, std::min(workers, count));
  std::vector<std::exception_ptr> errors(workers);
  const auto run = [&](size_t worker) {
    try {
      work(count * worker / workers, count * (worker + 1) / workers);
    } catch (...) {
      errors[worker] = std::current_exception();
    }
  };
  std::vector<std::thread> pool;
  for (size_t worker = 1; worker < workers; ++worker) pool.emplace_back(run, worker);
  run(0);
  for (std::thread& thread : pool) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// An arena on the heap, aligned to 16 bytes.
class Arena {
 public:
  explicit Arena(size_t size) : size_(size), bytes_(new (std::align_val_t{16}) uint8_t[size]()) {}
  uint8_t* data() { return bytes_.get(); }
  size_t size() const { return size_; }

 private:
  struct Delete {
    void operator()(uint8_t* p) const { operator delete[](p, std::align_val_t{16}); }
  };
  size_t size_;
  std::unique_ptr<uint8_t[], Delete> bytes_;
};

}  // namespace kws::bindings

#endif  // KWS_BINDINGS_BINDINGS_H_
