// SPDX-License-Identifier: Apache-2.0
// Recognizes keywords in a WAV file: 16 kHz, mono, 16-bit.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kws/bundle_config.h"
#include "kws/output.h"
#include "kws/pipeline/pipeline.h"
#include "model_data.h"
#include "model_settings.h"
#include "op_resolver.h"

namespace {

namespace settings = kws::settings;

alignas(16) uint8_t arena[settings::kArenaBytes];
int8_t frames[settings::kInputFrames * kws::Frontend::kChannels];

// Writes the pipeline's text to the terminal. A desktop has no LED.
class Terminal final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { std::fwrite(text, 1, size, stdout); }
  void SetLed(int) override {}
};

uint32_t Number(const uint8_t* bytes, int size) {
  uint32_t value = 0;
  for (int i = size - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

// The samples of a WAV file; empty if it is missing or has another format.
std::vector<int16_t> ReadWav(const char* path) {
  std::vector<int16_t> samples;
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return samples;
  uint8_t header[12], chunk[8], format[16] = {};
  if (std::fread(header, 1, 12, file) == 12 && std::memcmp(header, "RIFF", 4) == 0) {
    while (std::fread(chunk, 1, 8, file) == 8) {
      uint32_t size = Number(chunk + 4, 4);
      if (std::memcmp(chunk, "data", 4) == 0) {
        const bool pcm = Number(format, 2) == 1 && Number(format + 2, 2) == 1;
        if (!pcm || Number(format + 4, 4) != kws::Frontend::kSampleRate) break;
        samples.resize(size / 2);
        samples.resize(std::fread(samples.data(), 2, samples.size(), file));
        break;
      }
      if (std::memcmp(chunk, "fmt ", 4) == 0 && std::fread(format, 1, 16, file) == 16) size -= 16;
      std::fseek(file, size + size % 2, SEEK_CUR);
    }
  }
  std::fclose(file);
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<int16_t> samples = argc == 2 ? ReadWav(argv[1]) : std::vector<int16_t>();
  if (samples.empty()) {
    std::fprintf(stderr, "usage: hear_wav FILE.wav (16 kHz, mono, 16-bit)\n");
    return 2;
  }
  Terminal terminal;
  const kws::Model model = kws::GetModel(g_model);
  settings::ModelOpResolver resolver;
  constexpr kws::PipelineConfig config = kws::BundleConfig("example", "desktop");
  kws::Pipeline pipeline(config, {model, resolver}, arena, sizeof(arena),
                         {frames, settings::kInputFrames}, &terminal);
  if (pipeline.Start() != kws::Status::kOk) return 1;

  constexpr size_t kHop = kws::Frontend::kStrideSamples;  // 320 samples, 20 ms
  for (size_t end = kHop; end <= samples.size(); end += kHop) {
    if (pipeline.ProcessHop(&samples[end - kHop]) != kws::Status::kOk) return 1;
  }
  return 0;
}
