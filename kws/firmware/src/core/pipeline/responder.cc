// SPDX-License-Identifier: Apache-2.0
#include "pipeline/responder.h"

#include "serial_lines.h"

namespace kws {

void Responder::Respond(const Recognizer::Result& result, uint32_t time_ms) {
  if (!result.is_new) return;
  const bool reported = result.label >= first_reported_;
  output_->SetLed(reported ? result.label : resting_label_);
  if (!reported) return;
  const Field fields[] = {labels_[result.label], result.score, time_ms};
  WriteFormat(output_, lines::kHeard, fields);
}

}  // namespace kws
