// SPDX-License-Identifier: Apache-2.0
// Names of the schema's builtin operators, for messages. Only the host links this.
#ifndef KWS_RUNTIME_MODEL_OP_NAMES_H_
#define KWS_RUNTIME_MODEL_OP_NAMES_H_

#include <cstdint>

namespace kws {

// "CONV_2D" for 3; "CUSTOM" for 32; "UNKNOWN" for codes the schema does not have.
const char* BuiltinOpName(int32_t builtin_code);

}  // namespace kws

#endif  // KWS_RUNTIME_MODEL_OP_NAMES_H_
