// SPDX-License-Identifier: Apache-2.0
#include "kws/status.h"

namespace kws {

const char* StatusMessage(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kError:
      break;
    case Status::kBadArgument:
      return "wrong index, size or pointer";
    case Status::kBadModel:
      return "model is damaged; convert it again";
    case Status::kWrongSchemaVersion:
      return "model is not a version 3 .tflite; convert it again";
    case Status::kUnsupportedOp:
      return "op is not registered; add it to the op resolver";
    case Status::kUnsupportedType:
      return "op does not take these types; convert to int8";
    case Status::kUnsupportedShape:
      return "op does not take these shapes; use fixed shapes";
    case Status::kUnsupportedOption:
      return "model feature is not supported; see docs/ops.md";
    case Status::kBadQuantization:
      return "bad scale or zero point; quantize again";
    case Status::kArenaTooSmall:
      return "tensor arena is too small; make it larger";
    case Status::kNotAllocated:
      return "call AllocateTensors first";
    case Status::kResolverFull:
      return "op resolver is full; raise its N";
  }
  return "internal error; report it";
}

}  // namespace kws
