// SPDX-License-Identifier: Apache-2.0
// The one error type of the C++ core.
#ifndef KWS_STATUS_H_
#define KWS_STATUS_H_

#include <cstdint>

namespace kws {

enum class Status : uint8_t {
  kOk = 0,
  kError,               // anything without a better name
  kBadArgument,         // a caller's mistake: null pointer, index out of range, wrong size
  kBadModel,            // the model file is damaged or contradicts itself
  kWrongSchemaVersion,  // not a version 3 .tflite
  kUnsupportedOp,       // the resolver has no such op (MicroInterpreter::error() says which)
  kUnsupportedType,     // an op exists, but not for these tensor types
  kUnsupportedShape,    // unknown or dynamic dimensions, or a shape that the op does not take
  kUnsupportedOption,   // an op's option (or a model feature) that this runtime does not have
  kBadQuantization,     // scales or zero points missing or out of range
  kArenaTooSmall,       // the tensor arena does not hold the model
  kNotAllocated,        // Invoke or a tensor asked for before AllocateTensors succeeded
  kResolverFull,        // more Add...() calls than MicroMutableOpResolver<N> has room for
  kOverrun,             // samples were lost because the device did not keep up
};

// One short line without a full stop: what happened; what to do. Static storage.
const char* StatusMessage(Status status);

}  // namespace kws

// Leaves the enclosing function with the first status that is not kOk.
#define KWS_RETURN_IF_ERROR(expression)             \
  do {                                              \
    const ::kws::Status kws_status_ = (expression); \
    if (kws_status_ != ::kws::Status::kOk) {        \
      return kws_status_;                           \
    }                                               \
  } while (false)

#endif  // KWS_STATUS_H_
