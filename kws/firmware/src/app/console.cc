// SPDX-License-Identifier: Apache-2.0
#include "app/console.h"

#include "app/equality.h"
#include "boards/board.h"
#include "serial/lines.h"

namespace kws {
namespace {

// The argument after the command `name` in `line`; null if it is another command.
const char* After(const char* name, const char* line) {
  for (; *name != '\0'; ++name, ++line) {
    if (*name != *line) return nullptr;
  }
  if (*line != '\0' && *line != ' ') return nullptr;
  while (*line == ' ') ++line;
  return line;
}

// Reads an integer from `low` to `high`; false if `text` is not one.
bool ReadNumber(const char* text, int low, int high, int* number) {
  const bool negative = *text == '-';
  if (negative) ++text;
  if (*text == '\0') return false;
  int value = 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9' || value > 1000) return false;
    value = 10 * value + (*text - '0');
  }
  *number = negative ? -value : value;
  return *number >= low && *number <= high;
}

// The two fields of a signed number: `{s}{}`.
Field Sign(int32_t value) { return value < 0 ? "-" : ""; }
Field Magnitude(int32_t value) { return static_cast<uint32_t>(value < 0 ? -value : value); }

// Not inline, to save flash; likewise below.
__attribute__((noinline)) void WriteGain(Output* output, int gain) {
  const Field fields[] = {Sign(gain), Magnitude(gain)};
  WriteFormat(output, "gain {s}{} dB", fields);
}

constexpr uint32_t kPrime = 16777619;  // of FNV-1a

// Continues an FNV-1a hash.
uint32_t Mix(uint32_t number, const void* bytes, size_t size) {
  const uint8_t* next = static_cast<const uint8_t*>(bytes);
  for (size_t i = 0; i < size; ++i) number = (number ^ next[i]) * kPrime;
  return number;
}

uint32_t Mix(uint32_t number, const char* text) {
  if (text == nullptr) return number;
  do {  // includes the zero, so that "ab", "c" differs from "a", "bc"
    number = (number ^ static_cast<uint8_t>(*text)) * kPrime;
  } while (*text++ != '\0');
  return number;
}

// The core's clock, measured with the millisecond clock, which has a separate source.
uint32_t CoreKilohertz() {
  constexpr uint32_t kMeasuredMs = 8;
  const uint32_t before = board::Milliseconds();
  while (board::Milliseconds() == before) {
  }
  const uint32_t cycles = board::Cycles();
  while (board::Milliseconds() - before <= kMeasuredMs) {
  }
  return (board::Cycles() - cycles) / kMeasuredMs;
}

__attribute__((noinline)) void WriteRange(Output* output, const char* name, int low, int high,
                                          const char* unit) {
  const Field fields[] = {name, Sign(low), Magnitude(low), Sign(high), Magnitude(high), unit};
  WriteFormat(output, "error: {s} takes a whole number from {s}{} to {s}{}{s}", fields);
}

}  // namespace

void Console::Put(char received) {
  if (received == '\n' || received == '\r') {
    if (length_ > kMaxCommand) {
      WriteText(output_, lines::kTooLong);
    } else if (length_ > 0) {
      line_[length_] = '\0';
      Run();
    }
    length_ = 0;
  } else if (received == '\b' || received == '\x7f') {
    if (length_ > 0) --length_;
  } else if (received >= ' ' && received <= '~') {
    if (length_ < kMaxCommand) line_[length_] = received;
    if (length_ <= kMaxCommand) ++length_;
  }
}

void Console::Run() {
  struct Command {
    const char* name;
    void (*run)(Console& console, const char* argument);
  };
  static constexpr Command kCommands[] = {
      {"gain", [](Console& console, const char* argument) { console.Gain(argument); }},
      {"threshold", [](Console& console, const char* argument) { console.Threshold(argument); }},
      {"scores", [](Console& console, const char* argument) { console.Scores(argument); }},
      {"pcm", [](Console& console, const char* argument) { console.Pcm(argument); }},
      {"reset", [](Console& console, const char*) { console.Reset(); }},
      {"stats", [](Console& console, const char*) { console.Stats(); }},
      {"level", [](Console& console, const char*) { console.ShowLevel(); }},
      {"health", [](Console& console, const char*) { console.Health(); }}};
  constexpr int kTakeArguments = 4;  // the first commands
  for (const Command& command : kCommands) {
    const char* argument = After(command.name, line_);
    if (argument != nullptr && (&command < kCommands + kTakeArguments || *argument == '\0')) {
      return command.run(*this, argument);
    }
  }
  WriteText(output_, "error: unknown command; choose from");
  for (const Command& command : kCommands) {
    WriteText(output_, " ");
    WriteText(output_, command.name);
  }
  WriteText(output_, "\n");
}

void Console::Restore() {
  settings_.gain = board::kDefaultGain;
  for (int i = 0; i < pipeline_->label_count(); ++i) {
    settings_.thresholds[i] = pipeline_->threshold(i);
  }
  bundles_ = settings_;
  // Kept settings are ignored if the labels, the models or the default settings have changed.
  uint32_t owner = Mix(2166136261u, &bundles_, sizeof(bundles_));
  for (int i = 0; i < pipeline_->label_count(); ++i) owner = Mix(owner, pipeline_->label(i));
  owner = Mix(owner, pipeline_->config().model_sha8);
  const Commands* commands = pipeline_->commands();
  if (commands != nullptr) owner = Mix(owner, commands->config.model_sha8);
  owner_ = owner;
  UserSettings kept;
  if (!store_.Load(owner_, &kept) || kept == bundles_) return;
  Apply(kept);
  WriteSettings();
}

// Called before the answer is written, so that the answer confirms that the settings are saved.
Status Console::Keep() { return store_.Save(owner_, settings_); }

void Console::Report(Status kept) {
  if (kept != Status::kOk) WriteText(output_, lines::kNotKept);
}

void Console::Apply(const UserSettings& settings) {
  settings_ = settings;
  board::SetGain(static_cast<int>(settings.gain));
  for (int i = 0; i < pipeline_->label_count(); ++i) {
    pipeline_->SetThreshold(i, settings.thresholds[i]);
  }
}

void Console::WriteSettings() {
  WriteText(output_, lines::kSettings);
  WriteGain(output_, static_cast<int>(settings_.gain));
  WriteText(output_, ", ");
  WriteThresholds(nullptr);
}

void Console::Reset() {
  Apply(bundles_);
  const Status kept = Keep();
  WriteSettings();
  Report(kept);
}

void Console::Gain(const char* argument) {
  int gain = static_cast<int>(settings_.gain);
  if (*argument != '\0' && !ReadNumber(argument, board::kMinGain, board::kMaxGain, &gain)) {
    WriteRange(output_, "gain", board::kMinGain, board::kMaxGain, " dB\n");
    return;
  }
  Status kept = Status::kOk;
  if (*argument != '\0') {
    settings_.gain = gain;
    board::SetGain(gain);
    kept = Keep();
  }
  WriteGain(output_, gain);
  WriteText(output_, "\n");
  Report(kept);
}

void Console::Threshold(const char* argument) {
  const int labels = pipeline_->label_count();
  const char* name = nullptr;  // the label; null: all labels
  int threshold = 0;
  // A number before labels: a label may be a number too (`threshold 7 180`).
  bool given = ReadNumber(argument, 0, 255, &threshold);
  if (!given && *argument != '\0') {
    const char* rest = nullptr;
    for (int i = 0; i < labels && rest == nullptr; ++i) {
      name = pipeline_->label(i);
      rest = After(name, argument);
    }
    given = rest != nullptr && ReadNumber(rest, 0, 255, &threshold);
    if (!given && (rest == nullptr || *rest != '\0')) {
      WriteRange(output_, "threshold", 0, 255, ", for one label after its name\n");
      return;
    }
  }
  for (int i = 0; given && i < labels; ++i) {
    // Both bundles may have the label.
    if (name != nullptr && !IsSame(name, pipeline_->label(i))) continue;
    settings_.thresholds[i] = static_cast<uint8_t>(threshold);
    pipeline_->SetThreshold(i, static_cast<uint8_t>(threshold));
  }
  const Status kept = given ? Keep() : Status::kOk;
  WriteThresholds(name);
  Report(kept);
}

// The threshold of one label, or of all labels: one number if all are equal.
void Console::WriteThresholds(const char* name) {
  const int labels = pipeline_->label_count();
  bool same = name == nullptr;
  for (int i = 0; i < labels; ++i) {
    same = same && pipeline_->threshold(i) == pipeline_->threshold(0);
  }
  const char* separator = "threshold ";
  for (int i = 0; i < (same ? 1 : labels); ++i) {
    if (name != nullptr && !IsSame(name, pipeline_->label(i))) continue;
    WriteText(output_, separator);
    separator = ", ";
    if (!same) {
      WriteText(output_, pipeline_->label(i));
      WriteText(output_, " ");
    }
    WriteNumber(output_, pipeline_->threshold(i));
  }
  WriteText(output_, "\n");
}

void Console::Stats() {
  const uint32_t now = board::Milliseconds();
  const uint32_t sleep = board::SleepMilliseconds();
  const uint32_t all = now - stats_ms_;
  const uint32_t asleep = sleep - stats_sleep_ms_;
  stats_ms_ = now;
  stats_sleep_ms_ = sleep;
  // Tenths of a percent; after some minutes the product would not fit 32 bits.
  const uint32_t idle = all == 0 ? 0 : all < 4000000 ? asleep * 1000 / all : asleep / (all / 1000);
  const Field fields[] = {pipeline_->hops(),
                          audio_->overruns(),
                          idle / 10,
                          idle % 10,
                          board::kClockKhz / 1000 * (1000 - idle),
                          pipeline_->skipped(),
                          pipeline_->inferences(),
                          static_cast<uint32_t>(pipeline_->arena_used_bytes()),
                          static_cast<uint32_t>(board::StackUsed()),
                          static_cast<uint32_t>(board::StackSize())};
  WriteFormat(output_, lines::kStats, fields);
}

void Console::ShowLevel() {
  const Level& level = meter_->last();
  const Field fields[] = {level.peak,         level.rms,
                          Sign(level.offset), Magnitude(level.offset),
                          level.clipped / 10, level.clipped % 10};
  WriteFormat(output_, lines::kLevel, fields);
}

void Console::Scores(const char* argument) {
  if (*argument != '\0') diagnostics_->ShowScores(IsSame(argument, "on"));
  WriteText(output_, diagnostics_->shows_scores() ? "scores on\n" : "scores off\n");
}

void Console::Pcm(const char* argument) {
  int seconds = 0;
  if (!ReadNumber(argument, 0, Diagnostics::kMaxSeconds, &seconds)) {
    WriteRange(output_, "pcm", 0, Diagnostics::kMaxSeconds, " s\n");
    return;
  }
  diagnostics_->SendSamples(static_cast<uint32_t>(seconds));
}

void Console::Health() {
  const Diagnostics::Longest longest = diagnostics_->TakeLongest();
  const Field fields[] = {board::kName, board::Milliseconds(), CoreKilohertz(),
                          longest.hop,  longest.inference,     board::ResetCause()};
  WriteFormat(output_, lines::kHealth, fields);
}

}  // namespace kws
