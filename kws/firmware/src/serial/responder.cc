// SPDX-License-Identifier: Apache-2.0
#include "serial/responder.h"

#include "serial/lines.h"

namespace kws {

Status Responder::AfterStart(Status status) const {
  if (status != Status::kOk) {
    WriteFailure(status);
    return status;
  }
  WriteBoot();
  if (write_then_ != nullptr) write_then_(*this);
  return status;
}

void Responder::UseCommands() {
  write_then_ = WriteThen;
  write_change_ = WriteChange;
}

void Responder::WriteThen(const Responder& responder) {
  const Pipeline& pipeline = *responder.pipeline_;
  const Commands& commands = *pipeline.commands();
  const Field fields[] = {commands.config.model_name, commands.config.model_sha8,
                          commands.listen_ms, static_cast<uint32_t>(pipeline.arena_used_bytes(1)),
                          responder.arena_size_};
  WriteFormat(responder.output_, lines::kThen, fields);
}

void Responder::WriteChange(const Responder& responder) {
  const Pipeline& pipeline = *responder.pipeline_;
  if (!pipeline.changed()) return;
  const Field time = pipeline.changed_ms();
  WriteFormat(responder.output_, pipeline.listening() ? lines::kListening : lines::kWaiting, &time);
}

Status Responder::AfterHop(Status status) const {
  const Detection& detection = pipeline_->detection();
  if (detection.label != Detection::kNothing) {
    const Field fields[] = {pipeline_->label(detection.label), detection.score, detection.time_ms};
    WriteFormat(output_, lines::kHeard, fields);
  }
  if (write_change_ != nullptr) write_change_(*this);
  if (status != Status::kOk) WriteFailure(status);
  return status;
}

void Responder::WriteBoot() const {
  const PipelineConfig& config = pipeline_->config();
  const Field fields[] = {version_,
                          board_,
                          config.model_name,
                          config.model_sha8,
                          static_cast<uint32_t>(pipeline_->arena_used_bytes(0)),
                          arena_size_};
  WriteFormat(output_, lines::kBoot, fields);
}

void Responder::WriteLost(uint32_t samples) const {
  const Field field = samples;
  WriteFormat(output_, lines::kLost, &field);
}

void Responder::WriteFailure(Status status) const {
  const ErrorDetail& where = pipeline_->runner().error();
  const char* message = StatusMessage(status);
  const Field fields[] = {message, arena_size_};
  if (pipeline_->mismatch() != Mismatch::kNone) {
    const Field number = static_cast<uint32_t>(pipeline_->mismatch());
    WriteFormat(output_, lines::kMismatch, &number);
  } else if (status == Status::kArenaTooSmall) {
    WriteFormat(output_, lines::kSmallArena, fields);
  } else if (where.op_index >= 0) {
    const Field op[] = {static_cast<uint32_t>(where.op_index),
                        static_cast<uint32_t>(where.builtin_code), message};
    WriteFormat(output_, lines::kOperator, op);
  } else {
    WriteFormat(output_, lines::kFailure, fields);
  }
}

}  // namespace kws
