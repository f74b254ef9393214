// SPDX-License-Identifier: Apache-2.0
// Reports detections as serial lines, which tools match.
#ifndef KWS_PIPELINE_RESPONDER_H_
#define KWS_PIPELINE_RESPONDER_H_

#include <cstdint>

#include "kws/output.h"
#include "kws/pipeline/recognizer.h"

namespace kws {

class Responder {
 public:
  static constexpr int kFirstKeyword = 2;  // after silence and unknown
  static constexpr int kNothing = -1;      // no label

  // `labels`: silence, unknown, then the keywords. The caller owns `labels` and `output`, which
  // must outlive the responder. `first_keyword`: kFirstKeyword, or 0 if all labels are keywords.
  // `report_unknown`: unknown is reported too.
  Responder(const char* const* labels, int first_keyword, bool report_unknown, Output* output)
      : labels_(labels),
        first_reported_(report_unknown ? first_keyword - 1 : first_keyword),
        output_(output) {}

  // Call with each result of the recognizer. A new detection writes `Heard yes (201) @4056ms\n` and
  // returns its label. Silence and, by default, unknown write nothing and return kNothing.
  // `time_ms` wraps at 2^32.
  int Respond(const Recognizer::Result& result, uint32_t time_ms);

 private:
  const char* const* labels_;
  int first_reported_;
  Output* output_;
};

}  // namespace kws

#endif  // KWS_PIPELINE_RESPONDER_H_
