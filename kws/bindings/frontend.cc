// SPDX-License-Identifier: Apache-2.0
#include "kws/frontend/frontend.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bindings.h"
#include "kws/frontend/params.h"
#include "kws/pipeline/dc_offset.h"
#include "kws/pipeline/detector.h"

namespace kws::bindings {
namespace {

constexpr size_t kWindow = Frontend::kWindowSamples;
constexpr size_t kChannels = Frontend::kChannels;

size_t FrameCount(size_t samples, size_t stride) {
  return samples < kWindow ? 0 : (samples - kWindow) / stride + 1;
}

size_t CheckedStride(int stride) {
  if (stride != Frontend::kStrideSamples && stride != Frontend::kStrideSamples / 2) {
    throw CoreError("frames start 320 or 160 samples apart");
  }
  return static_cast<size_t>(stride);
}

class StreamingFrontend {
 public:
  StreamingFrontend(int stride, bool keep_noise)
      : stride_(CheckedStride(stride)), frontend_(keep_noise) {}
  void Reset() {
    frontend_.Reset();
    pending_.clear();
  }
  nb::ndarray<nb::numpy, int8_t> Process(const nb::object& samples) {
    const Pcm pcm = PcmOf(samples);
    pending_.insert(pending_.end(), pcm.data(), pcm.data() + pcm.size());
    const size_t frames = FrameCount(pending_.size(), stride_);
    Owned<int8_t> out({frames, kChannels});
    for (size_t f = 0; f < frames; ++f) {
      frontend_.ProcessFrame(&pending_[f * stride_], &out.data[f * kChannels]);
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(frames * stride_));
    return out.Release();
  }

 private:
  size_t stride_;
  Frontend frontend_;
  std::vector<int16_t> pending_;
};

nb::ndarray<nb::numpy, int8_t> Features(const nb::object& samples, int threads, bool keep_noise) {
  const Clips clips = ClipsOf(samples);
  const size_t count = clips.shape(0);
  const size_t length = clips.shape(1);
  const size_t frames = FrameCount(length, Frontend::kStrideSamples);
  Owned<int8_t> out({count, frames, kChannels});
  {
    nb::gil_scoped_release release;
    ForRanges(count, threads, [&](size_t begin, size_t end) {
      Frontend frontend(keep_noise);
      for (size_t c = begin; c < end; ++c) {
        frontend.Reset();
        for (size_t f = 0; f < frames; ++f) {
          frontend.ProcessFrame(clips.data() + c * length + f * Frontend::kStrideSamples,
                                &out.data[(c * frames + f) * kChannels]);
        }
      }
    });
  }
  return out.Release();
}

nb::ndarray<nb::numpy, int16_t> WithoutOffset(const nb::object& samples) {
  const Clips clips = ClipsOf(samples);
  const size_t count = clips.shape(0);
  const size_t length = clips.shape(1);
  Owned<int16_t> out({count, length});
  std::copy(clips.data(), clips.data() + clips.size(), out.data.get());
  for (size_t c = 0; c < count; ++c) {
    DcOffset dc_offset;
    for (size_t at = 0; at < length; at += FeatureProvider::kHopSamples) {
      dc_offset.Remove(&out.data[c * length + at],
                       std::min<size_t>(FeatureProvider::kHopSamples, length - at));
    }
  }
  return out.Release();
}

}  // namespace

void BindFrontend(nb::module_& m) {
  m.attr("SAMPLE_RATE") = Frontend::kSampleRate;
  m.attr("WINDOW_SAMPLES") = Frontend::kWindowSamples;
  m.attr("STRIDE_SAMPLES") = Frontend::kStrideSamples;
  m.attr("CHANNELS") = Frontend::kChannels;
  m.attr("LOWEST_HZ") = kws::frontend::kLowestHz;
  m.attr("HIGHEST_HZ") = kws::frontend::kHighestHz;
  m.attr("SPECTROGRAM_FRAMES") = kws::PipelineConfig{}.window_frames;
  m.attr("SHORTEST_WINDOW") = kws::Detector::kShortestWindow;
  m.attr("LONGEST_WINDOW") = kws::Detector::kLongestWindow;

  nb::class_<StreamingFrontend>(m, "Frontend")
      .def(nb::init<int, bool>(), "stride_samples"_a = Frontend::kStrideSamples,
           "keep_noise"_a = false)
      .def("reset", &StreamingFrontend::Reset)
      .def("process", &StreamingFrontend::Process, "pcm"_a);
  m.def("features", &Features, "clips"_a, "threads"_a = 0, "keep_noise"_a = false);
  m.def("without_offset", &WithoutOffset, "clips"_a);
}

}  // namespace kws::bindings
