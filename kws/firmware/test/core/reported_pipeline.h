// SPDX-License-Identifier: Apache-2.0
// A pipeline with an interpreter, serial lines and an LED, as in the firmware.
#ifndef KWS_TEST_CORE_REPORTED_PIPELINE_H_
#define KWS_TEST_CORE_REPORTED_PIPELINE_H_

#include "app/status_led.h"
#include "core/recording_output.h"
#include "kws/pipeline/pipeline.h"
#include "kws/runtime/micro_interpreter.h"
#include "serial/responder.h"

namespace kws {

class ReportedPipeline : public Pipeline {
 public:
  ReportedPipeline(const PipelineConfig& config, const Model& model, const OpResolver& resolver,
                   uint8_t* arena, size_t arena_size, FrameMemory frames, RecordingOutput* output)
      : Pipeline(config, &runner_, frames),
        runner_(model, resolver, arena, arena_size),
        responder_(this, output, "1.2.3", "test", arena_size),
        led_(RecordingOutput::SetLed) {}

  void UseCommands(Commands* commands) {
    Pipeline::UseCommands(commands);
    responder_.UseCommands();
  }
  Status Start() { return responder_.AfterStart(Pipeline::Start()); }
  Status ProcessHop(const int16_t* hop) { return Report(Pipeline::ProcessHop(hop)); }
  Status ProcessQueued() { return Report(Pipeline::ProcessQueued()); }
  const Responder& responder() const { return responder_; }

 private:
  Status Report(Status result) {
    const Status status = responder_.AfterHop(result);
    led_.AfterHop(*this, time_ms());
    return status;
  }

  MicroInterpreter runner_;
  Responder responder_;
  StatusLed led_;
};

}  // namespace kws

#endif  // KWS_TEST_CORE_REPORTED_PIPELINE_H_
