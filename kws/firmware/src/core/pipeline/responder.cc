// SPDX-License-Identifier: Apache-2.0
#include "pipeline/responder.h"

namespace kws {

void Responder::Respond(const Recognizer::Result& result, uint32_t time_ms) {
  if (!result.is_new) return;
  output_->SetLed(result.label);
  if (result.label == 0) return;
  WriteText(output_, "Heard ");
  WriteText(output_, labels_[result.label]);
  WriteText(output_, " (");
  WriteNumber(output_, result.score);
  WriteText(output_, ") @");
  WriteNumber(output_, time_ms);
  WriteText(output_, "ms\n");
}

}  // namespace kws
