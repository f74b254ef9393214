// SPDX-License-Identifier: Apache-2.0
// Reports the pipeline's events as serial lines (formats: lines.h), which tools match.
#ifndef KWS_SERIAL_RESPONDER_H_
#define KWS_SERIAL_RESPONDER_H_

#include <cstddef>
#include <cstdint>

#include "kws/pipeline/pipeline.h"
#include "kws/status.h"
#include "serial/text.h"

namespace kws {

class Responder {
 public:
  // The caller owns all pointers, which must outlive the responder. The boot line shows `version`
  // and `board`. `arena_size`: bytes of the arena, which both bundles share.
  Responder(const Pipeline* pipeline, Output* output, const char* version, const char* board,
            size_t arena_size)
      : pipeline_(pipeline),
        output_(output),
        version_(version),
        board_(board),
        arena_size_(static_cast<uint32_t>(arena_size)) {}

  // Call it if the pipeline has a second bundle.
  void UseCommands();

  // After Pipeline::Start: the boot lines, or an error line. Returns `status`.
  Status AfterStart(Status status) const;

  // After Pipeline::ProcessHop: a line for a detection, a line if another bundle is active now, or
  // an error line. Returns `status`.
  Status AfterHop(Status status) const;

  // The first bundle's boot line:
  // `kws 0.1.0 on qemu, model yes_no 1a2b3c4d, arena 5824 of 5824 bytes\n`.
  void WriteBoot() const;

  // An error line: `samples` (> 0) samples were lost because the target did not keep up.
  void WriteLost(uint32_t samples) const;

  // An error line for a failed call of the pipeline.
  void WriteFailure(Status status) const;

 private:
  static void WriteThen(const Responder& responder);
  static void WriteChange(const Responder& responder);

  const Pipeline* pipeline_;
  Output* output_;
  const char* version_;
  const char* board_;
  uint32_t arena_size_;
  // Set by `UseCommands`, so that firmware with one bundle does not link them.
  void (*write_then_)(const Responder& responder) = nullptr;
  void (*write_change_)(const Responder& responder) = nullptr;
};

}  // namespace kws

#endif  // KWS_SERIAL_RESPONDER_H_
