// SPDX-License-Identifier: Apache-2.0
// Tells the world what was heard: the serial line that tools match, and the LED.
#ifndef KWS_PIPELINE_RESPONDER_H_
#define KWS_PIPELINE_RESPONDER_H_

#include <cstdint>

#include "output.h"
#include "pipeline/recognizer.h"

namespace kws {

class Responder {
 public:
  static constexpr int kFirstKeyword = 2;  // after silence and unknown

  // `labels` holds every label of the model: silence, unknown, then the keywords. It and `output`
  // stay the caller's and must outlive the responder. `report_unknown`: unknown is reported too.
  // `resting_label` is what the LED shows when nothing is said; 0: it is off.
  Responder(const char* const* labels, bool report_unknown, int resting_label, Output* output)
      : labels_(labels),
        first_reported_(report_unknown ? 1 : kFirstKeyword),
        resting_label_(resting_label),
        output_(output) {}

  // Call with each result of the recognizer. A new one writes `Heard yes (201) @4056ms\n` and sets
  // the LED to its label. What is not reported, silence and by default unknown, writes nothing and
  // sets the LED to the resting label. So the line comes once a detection, and the LED shows the
  // last one until something else is said or it is quiet again. `time_ms` wraps at 2^32.
  void Respond(const Recognizer::Result& result, uint32_t time_ms);

 private:
  const char* const* labels_;
  int first_reported_;
  int resting_label_;
  Output* output_;
};

}  // namespace kws

#endif  // KWS_PIPELINE_RESPONDER_H_
