// SPDX-License-Identifier: Apache-2.0
// All ops: for experiments, because it links every kernel.
#ifndef TFLM_MICRO_ALL_OPS_RESOLVER_H_
#define TFLM_MICRO_ALL_OPS_RESOLVER_H_

#include "kws/runtime/all_ops_resolver.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

namespace tflite {

class AllOpsResolver final : public MicroOpResolver {
 public:
  const kws::OpResolver& kernels() const override { return kernels_; }

 private:
  kws::AllOpsResolver kernels_;
};

}  // namespace tflite

#endif  // TFLM_MICRO_ALL_OPS_RESOLVER_H_
