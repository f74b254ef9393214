// ADD, int8, with broadcasting and a fused activation.
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/scaled_sum.h"

namespace kws {
namespace {

constexpr Registration kRegistration{BuiltinOp::kAdd, PrepareSum<false>, InvokeSum<false>};

}  // namespace

const Registration& kernels::Add() { return kRegistration; }

}  // namespace kws
