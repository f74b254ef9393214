// kws._core: the C++ core for Python. What each call takes and gives is documented in _core.pyi.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "frontend/frontend.h"
#include "pipeline/feature_provider.h"
#include "pipeline/pipeline.h"
#include "pipeline/recognizer.h"
#include "runtime/all_ops_resolver.h"
#include "runtime/micro_interpreter.h"
#include "runtime/model/op_names.h"
#include "runtime/planning/graph_builder.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

using kws::Frontend;
using kws::Status;

struct CoreError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Pcm = nb::ndarray<const int16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Clips = nb::ndarray<const int16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<const int8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ScoreRows = nb::ndarray<const int8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Times = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::c_contig, nb::device::cpu, nb::ro>;

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

// Calls work(begin, end) on `threads` threads (0: one a core) over [0, count). The first exception
// is thrown again here.
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

// --- frontend ------------------------------------------------------------------------------------

constexpr size_t kWindow = Frontend::kWindowSamples;
constexpr size_t kStride = Frontend::kStrideSamples;
constexpr size_t kChannels = Frontend::kChannels;

size_t FrameCount(size_t samples) {
  return samples < kWindow ? 0 : (samples - kWindow) / kStride + 1;
}

class StreamingFrontend {
 public:
  void Reset() {
    frontend_.Reset();
    pending_.clear();
  }
  nb::ndarray<nb::numpy, int8_t> Process(const Pcm& pcm) {
    pending_.insert(pending_.end(), pcm.data(), pcm.data() + pcm.size());
    const size_t frames = FrameCount(pending_.size());
    Owned<int8_t> out({frames, kChannels});
    for (size_t f = 0; f < frames; ++f) {
      frontend_.ProcessFrame(&pending_[f * kStride], &out.data[f * kChannels]);
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(frames * kStride));
    return out.Release();
  }

 private:
  Frontend frontend_;
  std::vector<int16_t> pending_;
};

nb::ndarray<nb::numpy, int8_t> Features(const Clips& clips, int threads) {
  const size_t count = clips.shape(0);
  const size_t samples = clips.shape(1);
  const size_t frames = FrameCount(samples);
  Owned<int8_t> out({count, frames, kChannels});
  {
    nb::gil_scoped_release release;
    ForRanges(count, threads, [&](size_t begin, size_t end) {
      Frontend frontend;
      for (size_t c = begin; c < end; ++c) {
        frontend.Reset();
        for (size_t f = 0; f < frames; ++f) {
          frontend.ProcessFrame(clips.data() + c * samples + f * kStride,
                                &out.data[(c * frames + f) * kChannels]);
        }
      }
    });
  }
  return out.Release();
}

// --- interpreter ---------------------------------------------------------------------------------

const char* TypeName(kws::TensorType type) {
  switch (type) {
    case kws::TensorType::kInt8:
      return "int8";
    case kws::TensorType::kUInt8:
      return "uint8";
    case kws::TensorType::kInt16:
      return "int16";
    case kws::TensorType::kInt32:
      return "int32";
    case kws::TensorType::kInt64:
      return "int64";
    case kws::TensorType::kFloat32:
      return "float32";
    case kws::TensorType::kBool:
      return "bool";
    default:
      return "other";
  }
}

struct TensorInfo {
  std::string name;
  std::vector<int> shape;
  std::string dtype;
  float scale;
  int zero_point;
};

// One thing that lies in the arena.
struct PlanItem {
  std::string name;
  const char* kind;
  int first;
  int last;
  size_t offset;
  size_t bytes;
};

// An arena on the heap whose start is aligned as the runtime wants it.
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

std::string Explain(const kws::MicroInterpreter& interpreter, Status status) {
  std::string text = kws::StatusMessage(status);
  const kws::ErrorDetail& error = interpreter.error();
  if (error.op_index >= 0) {
    text += std::string(" (op ") + std::to_string(error.op_index) + ", " +
            kws::BuiltinOpName(error.builtin_code) + ")";
  }
  return text;
}

// Wall-clock time of each op, summed over the runs.
class OpTimes final : public kws::Profiler {
 public:
  void BeginOp(int index, kws::BuiltinOp op) override {
    if (static_cast<size_t>(index) >= seconds.size()) {
      ops.push_back(op);
      seconds.push_back(0.0);
    }
    start_ = std::chrono::steady_clock::now();
  }
  void EndOp(int index) override {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    seconds[static_cast<size_t>(index)] += spent.count();
  }

  std::vector<kws::BuiltinOp> ops;
  std::vector<double> seconds;

 private:
  std::chrono::steady_clock::time_point start_;
};

// Owns a model's bytes, an arena and the interpreter over them.
class Interpreter {
 public:
  Interpreter(const nb::bytes& model, size_t arena_bytes)
      : bytes_(static_cast<const char*>(model.data()), model.size()), wanted_(arena_bytes) {
    Allocate();
  }
  // A second interpreter of the same model for another thread.
  Interpreter(const Interpreter& other) : bytes_(other.bytes_), wanted_(other.arena_->size()) {
    Allocate();
  }
  Interpreter& operator=(const Interpreter&) = delete;

  kws::MicroInterpreter& operator*() { return *interpreter_; }
  const kws::Model& model() const { return model_; }

  std::vector<TensorInfo> Infos(bool inputs) const {
    std::vector<TensorInfo> infos;
    kws::Model::Subgraph graph;
    model_.GetSubgraph(0, &graph);
    const size_t count = inputs ? interpreter_->inputs_size() : interpreter_->outputs_size();
    for (size_t i = 0; i < count; ++i) {
      const kws::TensorView view = inputs ? interpreter_->input(i) : interpreter_->output(i);
      TensorInfo info;
      info.shape.assign(view.dims, view.dims + view.rank);
      info.dtype = TypeName(view.type);
      info.scale = view.scale;
      info.zero_point = view.zero_point;
      const kws::FlatVector& list = inputs ? graph.inputs : graph.outputs;
      info.name = Name(model_.buffer().Element<uint32_t>(list, static_cast<uint32_t>(i)));
      infos.push_back(info);
    }
    return infos;
  }

  std::vector<std::string> Ops() const {
    std::vector<std::string> names;
    kws::Model::Subgraph graph;
    if (model_.GetSubgraph(0, &graph) != Status::kOk) return names;
    for (uint32_t i = 0; i < graph.operators.count; ++i) {
      kws::Model::Operator op;
      if (model_.GetOperator(graph, i, &op) != Status::kOk) break;
      names.emplace_back(kws::BuiltinOpName(op.builtin_code));
    }
    return names;
  }

  // Lays out another arena the same way, for a look at the builder's table.
  std::vector<PlanItem> Plan() const {
    Arena arena(arena_->size());
    kws::ArenaLayout layout{};
    kws::GraphBuilder builder(model_, resolver_, arena.data(), static_cast<uint32_t>(arena.size()),
                              &layout);
    kws::ErrorDetail error;
    Check(builder.Build(&error));
    kws::Model::Subgraph graph;
    Check(model_.GetSubgraph(0, &graph));
    const int ops = builder.ops();
    std::vector<PlanItem> items;
    items.push_back({"inputs, outputs, ops", "records", 0, ops - 1, layout.variables_bytes,
                     builder.block() - layout.variables_bytes});
    for (int i = 0; i < builder.entries(); ++i) {
      const kws::PlanEntry& entry = builder.entry(i);
      const bool is_tensor = static_cast<uint32_t>(i) < graph.tensors.count;
      const bool kept = builder.IsVariable(i) || (entry.IsFixed() && entry.offset >= 0);
      if (entry.bytes == 0 || (entry.first == kws::PlanEntry::kNone && !kept)) continue;
      PlanItem item;
      item.name = is_tensor ? Name(static_cast<uint32_t>(i)) : "";
      item.kind = "tensor";
      if (!is_tensor) item.kind = "scratch";
      if (Lists(graph.inputs, i)) item.kind = "input";
      if (entry.last == kws::PlanEntry::kForever) item.kind = "output";
      if (entry.same_as != kws::PlanEntry::kNone) item.kind = "alias";
      if (kept) item.kind = "variable";
      item.first = kept ? 0 : entry.first;
      item.last = kept ? ops - 1 : std::min<int>(entry.last, ops - 1);
      item.offset = static_cast<size_t>(entry.offset) + (entry.IsFixed() ? 0 : builder.block());
      item.bytes = entry.bytes;
      items.push_back(item);
    }
    return items;
  }

  size_t arena_used_bytes() const { return interpreter_->arena_used_bytes(); }
  void Reset() { Check(interpreter_->Reset()); }

  nb::list Invoke(const nb::args& inputs) {
    if (inputs.size() != interpreter_->inputs_size()) {
      throw CoreError("the model has " + std::to_string(interpreter_->inputs_size()) +
                      " inputs, not " + std::to_string(inputs.size()));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const AnyArray array = nb::cast<AnyArray>(inputs[i]);
      const kws::TensorView view = interpreter_->input(i);
      CheckBytes(view, array.nbytes(), array.itemsize());
      std::memcpy(view.data, array.data(), view.bytes);
    }
    Check(interpreter_->Invoke());
    nb::list outputs;
    for (size_t i = 0; i < interpreter_->outputs_size(); ++i) {
      outputs.append(Copy(interpreter_->output(i)));
    }
    return outputs;
  }

  nb::list Profile(int runs) {
    OpTimes times;
    interpreter_->SetProfiler(&times);
    Status status = Status::kOk;
    for (int run = 0; run < runs && status == Status::kOk; ++run) status = interpreter_->Invoke();
    interpreter_->SetProfiler(nullptr);
    Check(status);
    nb::list costs;
    for (size_t i = 0; i < times.ops.size(); ++i) {
      costs.append(nb::make_tuple(kws::BuiltinOpName(static_cast<int32_t>(times.ops[i])),
                                  times.seconds[i] / runs));
    }
    return costs;
  }

  nb::object InvokeBatch(const AnyArray& rows, int threads) {
    const kws::TensorView in = interpreter_->input(0);
    const kws::TensorView out = interpreter_->output(0);
    if (interpreter_->inputs_size() != 1 || rows.ndim() < 1) {
      throw CoreError("a batch needs a model with one input and one row a call");
    }
    const size_t count = rows.shape(0);
    const size_t row_bytes = count > 0 ? rows.nbytes() / count : in.bytes;
    const size_t calls = std::max<size_t>(row_bytes / in.bytes, 1);
    CheckBytes(in, row_bytes / calls, count > 0 ? rows.itemsize() : kws::ElementSize(in.type));
    if (calls * in.bytes != row_bytes) throw CoreError("a row is not a whole number of inputs");
    Owned<uint8_t> result({count, out.bytes});
    {
      nb::gil_scoped_release release;
      ForRanges(count, threads, [&](size_t begin, size_t end) {
        Interpreter own(*this);
        const kws::TensorView own_in = own.interpreter_->input(0);
        const kws::TensorView own_out = own.interpreter_->output(0);
        for (size_t i = begin; i < end; ++i) {
          own.Check(own.interpreter_->Reset());
          const uint8_t* row = static_cast<const uint8_t*>(rows.data()) + i * row_bytes;
          for (size_t call = 0; call < calls; ++call) {
            std::memcpy(own_in.data, row + call * in.bytes, in.bytes);
            own.Check(own.interpreter_->Invoke());
          }
          std::memcpy(&result.data[i * out.bytes], own_out.data, out.bytes);
        }
      });
    }
    return nb::cast(result.Release()).attr("view")(TypeName(out.type));
  }

 private:
  void Allocate() {
    model_ = kws::GetModel(bytes_.data(), bytes_.size());
    if (model_.status() != Status::kOk) throw CoreError(kws::StatusMessage(model_.status()));
    // What a model needs is known once its tensors are laid out. A keyword spotter needs some
    // kilobytes; the arena is doubled up to a size that no microcontroller has.
    for (size_t size = wanted_ != 0 ? wanted_ : 64 << 10;; size *= 2) {
      arena_ = std::make_unique<Arena>(size);
      interpreter_ =
          std::make_unique<kws::MicroInterpreter>(model_, resolver_, arena_->data(), size);
      const Status status = interpreter_->AllocateTensors();
      if (status == Status::kOk) return;
      if (status == Status::kArenaTooSmall && wanted_ == 0 && size < (64u << 20)) continue;
      throw CoreError(Explain(*interpreter_, status));
    }
  }

  void Check(Status status) const {
    if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
  }

  static void CheckBytes(const kws::TensorView& view, size_t bytes, size_t itemsize) {
    if (bytes != view.bytes || itemsize != kws::ElementSize(view.type)) {
      throw CoreError("the input holds " + std::to_string(view.bytes) + " bytes of " +
                      TypeName(view.type) + ", what was given has " + std::to_string(bytes) +
                      " bytes in elements of " + std::to_string(itemsize));
    }
  }

  static nb::object Copy(const kws::TensorView& view) {
    Owned<uint8_t> bytes({view.bytes});
    std::memcpy(bytes.data.get(), view.data, view.bytes);
    nb::list shape;
    for (int i = 0; i < view.rank; ++i) shape.append(view.dims[i]);
    return nb::cast(bytes.Release())
        .attr("view")(TypeName(view.type))
        .attr("reshape")(nb::tuple(shape));
  }

  bool Lists(const kws::FlatVector& tensors, int index) const {
    for (uint32_t i = 0; i < tensors.count; ++i) {
      if (model_.buffer().Element<int32_t>(tensors, i) == index) return true;
    }
    return false;
  }

  // Of a tensor of the main graph.
  std::string Name(uint32_t tensor) const {
    kws::Model::Subgraph graph;
    kws::FlatVector name{};
    if (model_.GetSubgraph(0, &graph) != Status::kOk ||
        model_.GetTensorName(graph, tensor, &name) != Status::kOk) {
      return "";
    }
    return std::string(reinterpret_cast<const char*>(model_.data()) + name.position, name.count);
  }

  std::string bytes_;
  size_t wanted_;
  kws::Model model_;
  kws::AllOpsResolver resolver_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<kws::MicroInterpreter> interpreter_;
};

// --- recognizer and pipeline ---------------------------------------------------------------------

uint8_t Threshold(int value) {
  if (value < 0 || value > 255) throw CoreError("a threshold has to be between 0 and 255");
  return static_cast<uint8_t>(value);
}

// One threshold a label, or none at all.
class Thresholds {
 public:
  Thresholds(const std::vector<int>& values, size_t labels) {
    if (!values.empty() && values.size() != labels) {
      throw CoreError("there are " + std::to_string(labels) + " labels, not " +
                      std::to_string(values.size()) + " thresholds");
    }
    for (const int value : values) bytes_.push_back(Threshold(value));
  }
  const uint8_t* data() const { return bytes_.empty() ? nullptr : bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
};

// `thresholds` have to live until the recognizer is made.
kws::RecognizerSettings Settings(int average_window_ms, int detection_threshold, int suppression_ms,
                                 int minimum_count, const Thresholds& thresholds) {
  kws::RecognizerSettings settings;
  settings.thresholds = thresholds.data();
  settings.average_window_ms = average_window_ms;
  settings.detection_threshold = Threshold(detection_threshold);
  settings.suppression_ms = suppression_ms;
  settings.minimum_count = minimum_count;
  return settings;
}

class Recognizer {
 public:
  Recognizer(int label_count, int average_window_ms, int detection_threshold, int suppression_ms,
             int minimum_count, const std::vector<int>& thresholds)
      : label_count_(label_count),
        recognizer_(label_count,
                    Settings(average_window_ms, detection_threshold, suppression_ms, minimum_count,
                             Thresholds(thresholds, static_cast<size_t>(label_count)))) {}

  // Rows of (time, label, score), one a new command.
  nb::ndarray<nb::numpy, int32_t> Run(const ScoreRows& scores, const Times& times) {
    if (scores.shape(1) != static_cast<size_t>(label_count_)) {
      throw CoreError("there are " + std::to_string(label_count_) + " labels, not " +
                      std::to_string(scores.shape(1)) + " scores a row");
    }
    if (scores.shape(0) != times.size()) throw CoreError("each row of scores needs one time");
    std::vector<int32_t> heard;
    {
      nb::gil_scoped_release release;
      for (size_t row = 0; row < times.size(); ++row) {
        kws::Recognizer::Result result;
        const int8_t* values = scores.data() + row * scores.shape(1);
        const Status status = recognizer_.Process(values, times.data()[row], &result);
        if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
        if (result.is_new)
          heard.insert(heard.end(), {times.data()[row], result.label, result.score});
      }
    }
    Owned<int32_t> out({heard.size() / 3, 3});
    std::copy(heard.begin(), heard.end(), out.data.get());
    return out.Release();
  }

  nb::tuple Process(const Scores& scores, int time_ms) {
    if (scores.size() != static_cast<size_t>(label_count_)) {
      throw CoreError("there are " + std::to_string(label_count_) + " labels, not " +
                      std::to_string(scores.size()) + " scores");
    }
    kws::Recognizer::Result result;
    const Status status = recognizer_.Process(scores.data(), time_ms, &result);
    if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
    return nb::make_tuple(result.label, static_cast<int>(result.score), result.is_new);
  }

 private:
  int label_count_;
  kws::Recognizer recognizer_;
};

// The serial port of a device that is a Python process.
class TextOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { text_.append(text, size); }
  void SetLed(int) override {}
  std::string Take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

class Pipeline {
 public:
  Pipeline(const nb::bytes& model, std::vector<std::string> labels, std::string name,
           std::string sha8, size_t arena_bytes, int inference_stride, int average_window_ms,
           int detection_threshold, int suppression_ms, int minimum_count,
           const std::vector<int>& thresholds)
      : bytes_(static_cast<const char*>(model.data()), model.size()),
        labels_(std::move(labels)),
        name_(std::move(name)),
        sha8_(std::move(sha8)),
        thresholds_(thresholds, labels_.size()),
        model_(kws::GetModel(bytes_.data(), bytes_.size())),
        arena_(arena_bytes) {
    for (const std::string& label : labels_) label_pointers_.push_back(label.c_str());
    kws::PipelineConfig config{};
    config.version = KWS_VERSION;
    config.board = "host";
    config.model_name = name_.c_str();
    config.model_sha8 = sha8_.c_str();
    config.labels = label_pointers_.data();
    config.label_count = static_cast<int>(labels_.size());
    config.inference_stride = inference_stride;
    config.recognizer = Settings(average_window_ms, detection_threshold, suppression_ms,
                                 minimum_count, thresholds_);
    pipeline_ = std::make_unique<kws::Pipeline>(config, model_, resolver_, arena_.data(),
                                                arena_.size(), &output_);
    const Status status = pipeline_->Start();
    boot_ = output_.Take();
    Check(status, boot_);
  }

  nb::bytes Boot() const { return nb::bytes(boot_.data(), boot_.size()); }

  nb::bytes Feed(const Pcm& pcm) {
    const std::string text = Process(pcm, [] {});
    return nb::bytes(text.data(), text.size());
  }

  // As Feed, with time and scores of each inference.
  nb::tuple Trace(const Pcm& pcm) {
    std::vector<int32_t> times;
    std::vector<int8_t> scores;
    const std::string text = Process(pcm, [&] {
      if (!pipeline_->inferred()) return;
      times.push_back(static_cast<int32_t>(pipeline_->hops() * kws::Pipeline::kHopMs));
      scores.insert(scores.end(), pipeline_->scores(), pipeline_->scores() + labels_.size());
    });
    Owned<int32_t> time_rows({times.size()});
    std::copy(times.begin(), times.end(), time_rows.data.get());
    Owned<int8_t> score_rows({times.size(), labels_.size()});
    std::copy(scores.begin(), scores.end(), score_rows.data.get());
    return nb::make_tuple(nb::bytes(text.data(), text.size()), time_rows.Release(),
                          score_rows.Release());
  }

  nb::ndarray<nb::numpy, int8_t> Frame() const {
    const int8_t* newest = pipeline_->newest_frame();
    Owned<int8_t> out({newest != nullptr ? kChannels : 0});
    if (newest != nullptr) std::copy(newest, newest + kChannels, out.data.get());
    return out.Release();
  }

  std::vector<int> Means() const {
    std::vector<int> means;
    for (size_t i = 0; i < labels_.size(); ++i) {
      means.push_back(pipeline_->MeanScore(static_cast<int>(i)));
    }
    return means;
  }

  std::vector<int> LabelThresholds() const {
    std::vector<int> thresholds;
    for (size_t i = 0; i < labels_.size(); ++i) {
      thresholds.push_back(pipeline_->threshold(static_cast<int>(i)));
    }
    return thresholds;
  }

  void SetThreshold(int label, int threshold) {
    if (label < 0 || static_cast<size_t>(label) >= labels_.size()) {
      throw CoreError("there is no label " + std::to_string(label));
    }
    if (threshold < 0 || threshold > 255) throw CoreError("a threshold is between 0 and 255");
    pipeline_->SetThreshold(label, static_cast<uint8_t>(threshold));
  }

 private:
  // What the device writes while it hears `pcm`; calls after_hop() after each hop.
  template <typename AfterHop>
  std::string Process(const Pcm& pcm, const AfterHop& after_hop) {
    nb::gil_scoped_release release;
    pending_.insert(pending_.end(), pcm.data(), pcm.data() + pcm.size());
    size_t used = 0;
    Status status = Status::kOk;
    for (; status == Status::kOk && pending_.size() - used >= kStride; used += kStride) {
      status = pipeline_->ProcessHop(&pending_[used]);
      if (status == Status::kOk) after_hop();
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(used));
    std::string text = output_.Take();
    Check(status, text);
    return text;
  }

  // The firmware says on its serial line what went wrong; here that line is the exception's text.
  static void Check(Status status, const std::string& text) {
    if (status == Status::kOk) return;
    const std::string mark = "error: ";
    const size_t at = text.rfind(mark);
    if (at == std::string::npos) throw CoreError(kws::StatusMessage(status));
    throw CoreError(text.substr(at + mark.size(), text.find('\n', at) - at - mark.size()));
  }

  std::string bytes_;
  std::vector<std::string> labels_;
  std::vector<const char*> label_pointers_;
  std::string name_;
  std::string sha8_;
  Thresholds thresholds_;
  kws::Model model_;
  kws::AllOpsResolver resolver_;
  Arena arena_;
  TextOutput output_;
  std::unique_ptr<kws::Pipeline> pipeline_;
  std::string boot_;
  std::vector<int16_t> pending_;
};

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ core (kws/firmware/src) for Python.";
  nb::exception<CoreError>(m, "CoreError");

  m.attr("SAMPLE_RATE") = Frontend::kSampleRate;
  m.attr("WINDOW_SAMPLES") = Frontend::kWindowSamples;
  m.attr("STRIDE_SAMPLES") = Frontend::kStrideSamples;
  m.attr("CHANNELS") = Frontend::kChannels;
  m.attr("SPECTROGRAM_FRAMES") = kws::FeatureProvider::kFrames;

  m.def(
      "op_name", [](int code) { return std::string(kws::BuiltinOpName(code)); }, "builtin_code"_a);

  nb::class_<StreamingFrontend>(m, "Frontend")
      .def(nb::init<>())
      .def("reset", &StreamingFrontend::Reset)
      .def("process", &StreamingFrontend::Process, "pcm"_a);
  m.def("features", &Features, "clips"_a, "threads"_a = 0);

  nb::class_<TensorInfo>(m, "TensorInfo")
      .def_ro("name", &TensorInfo::name)
      .def_prop_ro("shape",
                   [](const TensorInfo& info) {
                     nb::list shape;
                     for (const int dim : info.shape) shape.append(dim);
                     return nb::tuple(shape);
                   })
      .def_ro("dtype", &TensorInfo::dtype)
      .def_ro("scale", &TensorInfo::scale)
      .def_ro("zero_point", &TensorInfo::zero_point);

  nb::class_<PlanItem>(m, "PlanItem")
      .def_ro("name", &PlanItem::name)
      .def_prop_ro("kind", [](const PlanItem& item) { return item.kind; })
      .def_ro("first", &PlanItem::first)
      .def_ro("last", &PlanItem::last)
      .def_ro("offset", &PlanItem::offset)
      .def_ro("bytes", &PlanItem::bytes);

  nb::class_<Interpreter>(m, "Interpreter")
      .def(nb::init<const nb::bytes&, size_t>(), "model"_a, "arena_bytes"_a = 0)
      .def_prop_ro("inputs", [](const Interpreter& self) { return self.Infos(true); })
      .def_prop_ro("outputs", [](const Interpreter& self) { return self.Infos(false); })
      .def_prop_ro("ops", &Interpreter::Ops)
      .def_prop_ro("plan", &Interpreter::Plan)
      .def_prop_ro("arena_used_bytes", &Interpreter::arena_used_bytes)
      .def("invoke", &Interpreter::Invoke)
      .def("invoke_batch", &Interpreter::InvokeBatch, "rows"_a, "threads"_a = 0)
      .def("profile", &Interpreter::Profile, "runs"_a = 100)
      .def("reset", &Interpreter::Reset);

  nb::class_<Recognizer>(m, "Recognizer")
      .def(nb::init<int, int, int, int, int, const std::vector<int>&>(), "label_count"_a,
           "average_window_ms"_a = 1000, "detection_threshold"_a = 200, "suppression_ms"_a = 1500,
           "minimum_count"_a = 3, "thresholds"_a = std::vector<int>())
      .def("process", &Recognizer::Process, "scores"_a, "time_ms"_a)
      .def("run", &Recognizer::Run, "scores"_a, "times_ms"_a);

  nb::class_<Pipeline>(m, "Pipeline")
      .def(nb::init<const nb::bytes&, std::vector<std::string>, std::string, std::string, size_t,
                    int, int, int, int, int, const std::vector<int>&>(),
           "model"_a, "labels"_a, nb::kw_only(), "name"_a, "sha8"_a, "arena_bytes"_a,
           "inference_stride"_a = 2, "average_window_ms"_a = 1000, "detection_threshold"_a = 200,
           "suppression_ms"_a = 1500, "minimum_count"_a = 3, "thresholds"_a = std::vector<int>())
      .def_prop_ro("boot", &Pipeline::Boot)
      .def("feed", &Pipeline::Feed, "pcm"_a)
      .def("trace", &Pipeline::Trace, "pcm"_a)
      .def_prop_ro("frame", &Pipeline::Frame, nb::rv_policy::move)
      .def_prop_ro("means", &Pipeline::Means)
      .def_prop_ro("thresholds", &Pipeline::LabelThresholds)
      .def("set_threshold", &Pipeline::SetThreshold, "label"_a, "threshold"_a);
}
