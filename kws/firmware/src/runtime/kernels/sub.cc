// SUB, int8, with broadcasting and a fused activation.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/scaled_sum.h"

namespace kws {
namespace {

constexpr Registration kRegistration{BuiltinOp::kSub, PrepareSum<true>, InvokeSum<true>};

}  // namespace

const Registration& kernels::Sub() { return kRegistration; }

}  // namespace kws
