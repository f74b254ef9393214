// SPDX-License-Identifier: Apache-2.0
// The ops that a program links. All of kws's ops are here; a call for any other does not compile.
#ifndef TFLM_MICRO_MICRO_MUTABLE_OP_RESOLVER_H_
#define TFLM_MICRO_MICRO_MUTABLE_OP_RESOLVER_H_

#include "kws/runtime/op_resolver.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/micro/kernels/micro_ops.h"
#include "tensorflow/lite/micro/micro_error_reporter.h"

namespace tflite {

class MicroOpResolver {
 public:
  virtual const kws::OpResolver& kernels() const = 0;

 protected:
  ~MicroOpResolver() = default;
};

// Room for N ops. Unlike in TFLM, adding an op twice is not an error.
template <unsigned int N>
class MicroMutableOpResolver : public MicroOpResolver {
 public:
  // Programs for older versions of TFLM pass a reporter.
  explicit MicroMutableOpResolver(ErrorReporter* = nullptr) {}
  MicroMutableOpResolver(const MicroMutableOpResolver& other) : MicroOpResolver() { *this = other; }
  // Adds the other's ops.
  MicroMutableOpResolver& operator=(const MicroMutableOpResolver& other) {
    for (int i = 0; i < other.kernels_.size(); ++i) kernels_.Add(other.kernels_.at(i));
    return *this;
  }

#define KWS_OP(Name) \
  TfLiteStatus Add##Name() { return Result(kernels_.Add##Name()); }
#include "kws/runtime/kernels/op_list.inc"
#undef KWS_OP

  // Adds an op in programs for older versions of TFLM, with Register_...() of micro_ops.h.
  TfLiteStatus AddBuiltin(BuiltinOperator, const kws::Registration* registration, int = 1,
                          int = 1) {
    return Result(kernels_.Add(*registration));
  }

  const kws::OpResolver& kernels() const override { return kernels_; }

 private:
  class Kernels : public kws::MicroMutableOpResolver<static_cast<int>(N)> {
   public:
    using kws::OpResolver::Add;
  };

  static TfLiteStatus Result(kws::Status status) {
    if (status == kws::Status::kOk) return kTfLiteOk;
    MicroPrintf("MicroMutableOpResolver<%u> is full", N);
    return kTfLiteError;
  }

  Kernels kernels_;
};

}  // namespace tflite

#endif  // TFLM_MICRO_MICRO_MUTABLE_OP_RESOLVER_H_
