// SPDX-License-Identifier: Apache-2.0
// The one error type of the C++ core.
#ifndef KWS_STATUS_H_
#define KWS_STATUS_H_

#include <cstdint>

namespace kws {

enum class Status : uint8_t {
  kOk = 0,
  kError,               // any other error
  kBadArgument,         // null pointer, index out of range, wrong size
  kBadModel,            // the model file is damaged or contradicts itself
  kWrongSchemaVersion,  // not a version 3 .tflite
  kUnsupportedOp,       // the resolver has no such op (MicroInterpreter::error() says which)
  kUnsupportedType,     // the op does not support these tensor types
  kUnsupportedShape,    // unknown or dynamic dimensions, or a shape that the op does not support
  kUnsupportedOption,   // an op's option or a model feature that this runtime does not have
  kBadQuantization,     // scales or zero points missing or out of range
  kArenaTooSmall,       // the model does not fit into the tensor arena
  kNotAllocated,        // Invoke or Reset before AllocateTensors succeeded
  kResolverFull,        // more than N Add...() calls of a MicroMutableOpResolver<N>
};

// The op in which MicroInterpreter::AllocateTensors failed.
struct ErrorDetail {
  constexpr ErrorDetail(int32_t index = -1, int32_t code = 0)
      : op_index(index), builtin_code(code) {}

  int32_t op_index;      // place in the graph's operator list; -1: not in an op
  int32_t builtin_code;  // BuiltinOperator of the schema
};

// One line without a full stop: what happened; what to do. Static storage.
const char* StatusMessage(Status status);

}  // namespace kws

// Returns the status from the enclosing function if it is not kOk.
#define KWS_RETURN_IF_ERROR(expression)             \
  do {                                              \
    const ::kws::Status kws_status_ = (expression); \
    if (kws_status_ != ::kws::Status::kOk) {        \
      return kws_status_;                           \
    }                                               \
  } while (false)

#endif  // KWS_STATUS_H_
