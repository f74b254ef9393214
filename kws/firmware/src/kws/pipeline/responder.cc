// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/responder.h"

#include "kws/serial_lines.h"

namespace kws {

int Responder::Respond(const Recognizer::Result& result, uint32_t time_ms) {
  if (!result.is_new || result.label < first_reported_) return kNothing;
  const Field fields[] = {labels_[result.label], result.score, time_ms};
  WriteFormat(output_, lines::kHeard, fields);
  return result.label;
}

}  // namespace kws
