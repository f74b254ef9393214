// SPDX-License-Identifier: Apache-2.0
// Models of tests/data, and noise as a pipeline's input.
#ifndef KWS_TEST_CORE_PLAYED_NOISE_H_
#define KWS_TEST_CORE_PLAYED_NOISE_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/recording_output.h"
#include "core/reported_pipeline.h"

namespace kws {

inline constexpr size_t kHop = Frontend::kStrideSamples;

// A model with four labels that detects words in noise; empty if the file is missing.
inline std::vector<uint8_t> ReadModel(const char* name) {
  const auto here = std::filesystem::path(__FILE__).parent_path();
  std::ifstream file(here / "../../../../tests/data/models" / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Bursts of noise.
inline std::vector<int16_t> Sound(size_t hops, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int16_t> samples(hops * kHop);
  int level = 10;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i % 4000 == 0) level = 1 << (random() % 15);
    samples[i] = static_cast<int16_t>(static_cast<int>(random() % 65536 - 32768) * level / 32768);
  }
  return samples;
}

// The pipeline's output for `samples`.
inline std::string Play(ReportedPipeline& pipeline, RecordingOutput& output,
                        const std::vector<int16_t>& samples) {
  output.Clear();
  for (size_t at = 0; at + kHop <= samples.size(); at += kHop) {
    EXPECT_EQ(pipeline.ProcessHop(&samples[at]), Status::kOk);
  }
  return output.text();
}

}  // namespace kws

#endif  // KWS_TEST_CORE_PLAYED_NOISE_H_
