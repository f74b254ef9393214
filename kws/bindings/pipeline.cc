// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "kws/pipeline/near_misses.h"
#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/micro_interpreter.h"
#include "recognizer_settings.h"
#include "serial/responder.h"

namespace kws::bindings {
namespace {

// Collects the text of the serial port.
class TextOutput final : public kws::Output {
 public:
  void Write(const char* text, size_t size) override { text_.append(text, size); }
  std::string Take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

// A bundle's configuration and the data that it points to.
class Part {
 public:
  Part(const nb::bytes& model, std::vector<std::string> labels, std::string name, std::string sha8,
       int inference_stride, int average_window_ms, int detection_threshold, int suppression_ms,
       int minimum_count, const std::vector<int>& thresholds, bool report_unknown,
       int window_frames, int stride_samples, bool keep_noise, int first_keyword, int gate_rise,
       const std::vector<int>& output_order, const nb::bytes& second_model, int proposal, int looks,
       int every, int earlier, const std::vector<int>& second_order, size_t second_arena_bytes)
      : bytes_(static_cast<const char*>(model.data()), model.size()),
        labels_(std::move(labels)),
        name_(std::move(name)),
        sha8_(std::move(sha8)),
        thresholds_(thresholds, labels_.size()),
        gate_rise_(gate_rise),
        output_order_(output_order.begin(), output_order.end()),
        second_bytes_(static_cast<const char*>(second_model.data()), second_model.size()),
        second_(Threshold(proposal), looks, every, earlier),
        second_order_(second_order.begin(), second_order.end()),
        second_arena_bytes_(second_arena_bytes),
        model_(kws::GetModel(bytes_.data(), bytes_.size())),
        second_model_(kws::GetModel(second_bytes_.data(), second_bytes_.size())) {
    for (const std::string& label : labels_) label_pointers_.push_back(label.c_str());
    config_.model_name = name_.c_str();
    config_.model_sha8 = sha8_.c_str();
    config_.labels = label_pointers_.data();
    config_.label_count = static_cast<int>(labels_.size());
    config_.inference_stride = inference_stride;
    config_.recognizer = Settings(average_window_ms, detection_threshold, suppression_ms,
                                  minimum_count, thresholds_);
    config_.report_unknown = report_unknown;
    config_.window_frames = window_frames;
    config_.stride_samples = stride_samples;
    config_.keep_noise = keep_noise;
    config_.first_keyword = first_keyword;
    config_.output_order = OrderOf(output_order_);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  const kws::PipelineConfig& config() const { return config_; }
  const kws::Model& model() const { return model_; }
  int gate_rise() const { return gate_rise_; }

  bool has_second() const { return !second_bytes_.empty(); }
  const kws::Model& second_model() const { return second_model_; }
  // 0: the second model uses the first one's arena.
  size_t second_arena_bytes() const { return second_arena_bytes_; }
  const kws::SecondLookSettings& second_settings() const { return second_; }
  const uint8_t* second_order() const { return OrderOf(second_order_); }

 private:
  const uint8_t* OrderOf(const std::vector<uint8_t>& order) const {
    if (order.empty()) return nullptr;
    if (order.size() != labels_.size()) {
      throw CoreError("the order of the outputs does not name each of them once");
    }
    return order.data();
  }

  std::string bytes_;
  std::vector<std::string> labels_;
  std::vector<const char*> label_pointers_;
  std::string name_;
  std::string sha8_;
  Thresholds thresholds_;
  int gate_rise_;
  std::vector<uint8_t> output_order_;
  std::string second_bytes_;
  kws::SecondLookSettings second_;
  std::vector<uint8_t> second_order_;
  size_t second_arena_bytes_;
  kws::Model model_;
  kws::Model second_model_;
  kws::PipelineConfig config_{};
};

// The result of a hop: a detection, or another active bundle.
struct Event {
  int label;  // kNothing: another bundle is active
  int score;
  uint32_t time_ms;
  int bundle;        // the label's, or the active one
  std::string text;  // the device's line, without its end
};

// A bundle's second model, in an arena of its own if `shared` is null.
struct Second {
  Second(const Part& part, const kws::OpResolver& resolver, Arena* shared)
      : own(shared != nullptr ? 0 : part.second_arena_bytes()),
        runner(part.second_model(), resolver, (shared != nullptr ? *shared : own).data(),
               (shared != nullptr ? *shared : own).size()),
        look(&runner, part.second_settings(), part.second_order(), shared != nullptr) {}

  Arena own;
  kws::MicroInterpreter runner;
  kws::SecondLook look;
};

class Pipeline {
 public:
  Pipeline(const Part* part, size_t arena_bytes, const Part* then, uint32_t listen_ms)
      : arena_(arena_bytes),
        runner_(part->model(), resolver_, arena_.data(), arena_.size()),
        pipeline_(part->config(), &runner_, {frames_, kws::Detector::kLongestWindow}),
        responder_(&pipeline_, &output_, KWS_VERSION, "host", arena_.size()) {
    if (then != nullptr) {
      then_runner_ = std::make_unique<kws::MicroInterpreter>(then->model(), resolver_,
                                                             arena_.data(), arena_.size());
      commands_.reset(new kws::Commands{then->config(), then_runner_.get(), listen_ms, {}});
      pipeline_.UseCommands(commands_.get());
      responder_.UseCommands();
    }
    UseSecondLook(0, *part);
    if (then != nullptr) UseSecondLook(1, *then);
    if (part->gate_rise() > 0) {
      gate_ = std::make_unique<kws::Gate>(part->gate_rise());
      pipeline_.UseGate(gate_.get());
    }
    const Status status = responder_.AfterStart(pipeline_.Start());
    boot_ = output_.Take();
    peaks_.resize(labels());
    near_ = kws::NearMisses(&pipeline_, LookOf(0), LookOf(1));
    Check(status, boot_);
  }

  nb::bytes Boot() const { return nb::bytes(boot_.data(), boot_.size()); }

  nb::bytes Feed(const nb::object& samples, int rate) {
    CheckRate(rate);
    const std::string text = Process(PcmOf(samples), [](const std::string&) {});
    return nb::bytes(text.data(), text.size());
  }

  std::vector<Event> Hear(const nb::object& samples, int rate) {
    CheckRate(rate);
    std::vector<Event> events;
    Process(PcmOf(samples), [&](const std::string& lines) {
      if (!lines.empty()) AddEvents(lines, &events);
    });
    return events;
  }

  // Feed, with time and scores of each inference.
  nb::tuple Trace(const nb::object& samples, int rate) {
    std::vector<int32_t> times;
    std::vector<int8_t> scores;
    const std::string text = Record(samples, rate, &times, &scores, nullptr);
    return nb::make_tuple(nb::bytes(text.data(), text.size()), TimesOf(times), RowsOf(scores));
  }

  // Trace, and what the second model would see at each inference.
  nb::tuple TraceLooks(const nb::object& samples, int rate) {
    if (!seconds_[0]) throw CoreError("this bundle has no second look");
    std::vector<int32_t> times;
    std::vector<int8_t> scores;
    std::vector<int8_t> looks;
    const std::string text = Record(samples, rate, &times, &scores, &looks);
    return nb::make_tuple(nb::bytes(text.data(), text.size()), TimesOf(times), RowsOf(scores),
                          RowsOf(looks));
  }

  uint32_t Inferences() const { return pipeline_.inferences(); }
  uint32_t Skipped() const { return pipeline_.skipped(); }
  uint32_t Looks() const { return LooksOf(0); }

  bool Listening() const { return pipeline_.listening(); }

  nb::ndarray<nb::numpy, int8_t> Frame() const {
    const int8_t* newest = pipeline_.newest_frame();
    const size_t size = newest != nullptr ? size_t{kws::Frontend::kChannels} : 0;
    Owned<int8_t> out({size});
    if (newest != nullptr) std::copy(newest, newest + kws::Frontend::kChannels, out.data.get());
    return out.Release();
  }

  std::vector<int> Means() const {
    std::vector<int> means;
    for (size_t i = 0; i < labels(); ++i) {
      means.push_back(pipeline_.MeanScore(static_cast<int>(i)));
    }
    return means;
  }

  // Scores (0..255) of the second model's newest look since the last call that processed samples,
  // one per label, 0 for labels of the other bundle; empty if it did not look.
  std::vector<int> Looked() const { return looked_; }

  // The near misses that became certain in the last call that processed samples.
  std::vector<kws::NearMiss> Nearly() const { return nearly_; }

  // The near misses at the end of the sound.
  std::vector<kws::NearMiss> LastNearly() {
    std::vector<kws::NearMiss> last;
    for (kws::NearMiss miss; near_.TakeLast(&miss);) last.push_back(miss);
    return last;
  }

  // Bytes that each bundle uses of the arena.
  std::vector<size_t> ArenaUsed() const {
    std::vector<size_t> used = {pipeline_.arena_used_bytes(0)};
    if (commands_) used.push_back(pipeline_.arena_used_bytes(1));
    return used;
  }

  // (mean score, time in ms) of each label.
  std::vector<std::pair<int, uint32_t>> Peaks() const { return peaks_; }

  std::vector<int> LabelThresholds() const {
    std::vector<int> thresholds;
    for (size_t i = 0; i < labels(); ++i) {
      thresholds.push_back(pipeline_.threshold(static_cast<int>(i)));
    }
    return thresholds;
  }

  void SetThreshold(int label, int threshold) {
    if (label < 0 || static_cast<size_t>(label) >= labels()) {
      throw CoreError("there is no label " + std::to_string(label));
    }
    if (threshold < 0 || threshold > 255) throw CoreError("a threshold is between 0 and 255");
    pipeline_.SetThreshold(label, static_cast<uint8_t>(threshold));
  }

 private:
  // The device's output for `pcm`; calls after_hop() with its lines after each hop.
  template <typename AfterHop>
  std::string Process(const Pcm& pcm, const AfterHop& after_hop) {
    nb::gil_scoped_release release;
    pending_.insert(pending_.end(), pcm.data(), pcm.data() + pcm.size());
    looked_.clear();
    nearly_.clear();
    std::string text;
    size_t used = 0;
    Status status = Status::kOk;
    for (; status == Status::kOk && pending_.size() - used >= kws::FeatureProvider::kHopSamples;
         used += kws::FeatureProvider::kHopSamples) {
      const uint32_t looks_before[] = {LooksOf(0), LooksOf(1)};
      status = responder_.AfterHop(pipeline_.ProcessHop(&pending_[used]));
      KeepLooked(looks_before);
      const std::string lines = output_.Take();
      text += lines;
      if (status != Status::kOk) break;
      KeepPeaks();
      near_.AfterHop();
      for (kws::NearMiss miss; near_.Take(&miss);) nearly_.push_back(miss);
      after_hop(lines);
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(used));
    Check(status, text);
    return text;
  }

  // An array has no sample rate, so the rate is not checked.
  static void CheckRate(int rate) {
    if (rate == kws::Frontend::kSampleRate) return;
    throw CoreError("samples at " + std::to_string(rate) + " Hz; kws takes " +
                    std::to_string(kws::Frontend::kSampleRate) + " Hz, so resample them first");
  }

  void UseSecondLook(int bundle, const Part& part) {
    if (!part.has_second()) return;
    const size_t own = part.second_arena_bytes();
    seconds_[bundle] = std::make_unique<Second>(part, resolver_, own > 0 ? nullptr : &arena_);
    pipeline_.UseSecondLook(bundle, &seconds_[bundle]->look);
  }

  // A bundle's second look, or null.
  const kws::SecondLook* LookOf(int bundle) const {
    return seconds_[bundle] ? &seconds_[bundle]->look : nullptr;
  }

  uint32_t LooksOf(int bundle) const {
    return LookOf(bundle) != nullptr ? LookOf(bundle)->looks() : 0;
  }

  // `before`: each bundle's looks before the hop.
  void KeepLooked(const uint32_t (&before)[2]) {
    for (int bundle = 0; bundle < 2; ++bundle) {
      if (LooksOf(bundle) == before[bundle]) continue;
      looked_.assign(labels(), 0);
      const int8_t* seen = LookOf(bundle)->seen();
      for (size_t i = 0; i < labels(); ++i) {
        if (pipeline_.bundle_of(static_cast<int>(i)) == bundle) looked_[i] = *seen++ + 128;
      }
    }
  }

  std::string Record(const nb::object& samples, int rate, std::vector<int32_t>* times,
                     std::vector<int8_t>* scores, std::vector<int8_t>* looks) {
    CheckRate(rate);
    const Pcm pcm = PcmOf(samples);
    if (commands_) throw CoreError("the scores of two bundles do not make one table");
    return Process(pcm, [&](const std::string&) {
      if (!pipeline_.inferred()) return;
      times->push_back(static_cast<int32_t>(pipeline_.inferred_ms()));
      scores->insert(scores->end(), pipeline_.scores(), pipeline_.scores() + labels());
      if (looks == nullptr) return;
      looks->resize(scores->size());
      const Status status = seconds_[0]->look.Look(&(*looks)[looks->size() - labels()]);
      if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
    });
  }

  static nb::ndarray<nb::numpy, int32_t> TimesOf(const std::vector<int32_t>& times) {
    Owned<int32_t> rows({times.size()});
    std::copy(times.begin(), times.end(), rows.data.get());
    return rows.Release();
  }

  nb::ndarray<nb::numpy, int8_t> RowsOf(const std::vector<int8_t>& values) const {
    Owned<int8_t> rows({values.size() / labels(), labels()});
    std::copy(values.begin(), values.end(), rows.data.get());
    return rows.Release();
  }

  void KeepPeaks() {
    // The means of a keyword that hands over to the other bundle are already cleared.
    const kws::Detection& detection = pipeline_.detection();
    if (detection.label != kws::Detection::kNothing) {
      std::pair<int, uint32_t>& peak = peaks_[static_cast<size_t>(detection.label)];
      if (detection.score > peak.first) peak = {detection.score, detection.time_ms};
    }
    if (!pipeline_.inferred() || !pipeline_.has_trusted_means()) return;
    for (size_t i = 0; i < labels(); ++i) {
      const int mean = pipeline_.MeanScore(static_cast<int>(i));
      if (mean > peaks_[i].first) peaks_[i] = {mean, pipeline_.inferred_ms()};
    }
  }

  // The events of the last hop, which wrote `lines`.
  void AddEvents(const std::string& lines, std::vector<Event>* events) const {
    size_t begin = 0;
    const auto next_line = [&] {
      const size_t end = lines.find('\n', begin);
      const std::string line = lines.substr(begin, end - begin);
      begin = end + 1;
      return line;
    };
    const kws::Detection& detection = pipeline_.detection();
    if (detection.label != kws::Detection::kNothing) {
      events->push_back({detection.label, detection.score, detection.time_ms,
                         pipeline_.bundle_of(detection.label), next_line()});
    }
    if (pipeline_.changed()) {
      events->push_back({kws::Detection::kNothing, 0, pipeline_.changed_ms(),
                         pipeline_.listening() ? 1 : 0, next_line()});
    }
  }

  // The exception's text is the firmware's error line, with a mismatch in words.
  void Check(Status status, const std::string& text) const {
    if (status == Status::kOk) return;
    if (pipeline_.mismatch() != kws::Mismatch::kNone) {
      throw CoreError(kws::MismatchMessage(pipeline_.mismatch()));
    }
    const std::string mark = "error: ";
    const size_t at = text.rfind(mark);
    if (at == std::string::npos) throw CoreError(kws::StatusMessage(status));
    throw CoreError(text.substr(at + mark.size(), text.find('\n', at) - at - mark.size()));
  }

  size_t labels() const { return static_cast<size_t>(pipeline_.label_count()); }

  kws::AllOpsResolver resolver_;
  Arena arena_;
  TextOutput output_;
  kws::MicroInterpreter runner_;
  std::unique_ptr<kws::MicroInterpreter> then_runner_;
  std::unique_ptr<kws::Commands> commands_;
  std::unique_ptr<Second> seconds_[2];
  std::unique_ptr<kws::Gate> gate_;
  int8_t frames_[kws::Detector::kLongestWindow * kws::Frontend::kChannels];
  kws::Pipeline pipeline_;
  kws::Responder responder_;
  std::string boot_;
  std::vector<std::pair<int, uint32_t>> peaks_;
  std::vector<int> looked_;
  kws::NearMisses near_;
  std::vector<kws::NearMiss> nearly_;
  std::vector<int16_t> pending_;
};

}  // namespace

void BindPipeline(nb::module_& m) {
  nb::class_<Part>(m, "Part").def(
      nb::init<const nb::bytes&, std::vector<std::string>, std::string, std::string, int, int, int,
               int, int, const std::vector<int>&, bool, int, int, bool, int, int,
               const std::vector<int>&, const nb::bytes&, int, int, int, int,
               const std::vector<int>&, size_t>(),
      "model"_a, "labels"_a, nb::kw_only(), "name"_a, "sha8"_a, "inference_stride"_a,
      "average_window_ms"_a, "detection_threshold"_a, "suppression_ms"_a, "minimum_count"_a,
      "thresholds"_a = std::vector<int>(), "report_unknown"_a = false,
      "window_frames"_a = kws::PipelineConfig{}.window_frames,
      "stride_samples"_a = kws::PipelineConfig{}.stride_samples, "keep_noise"_a = false,
      "first_keyword"_a = kws::PipelineConfig{}.first_keyword, "gate_rise"_a = 0,
      "output_order"_a = std::vector<int>(), "second_model"_a = nb::bytes(""),
      "proposal"_a = static_cast<int>(kws::SecondLookSettings{}.proposal),
      "looks"_a = kws::SecondLookSettings{}.looks, "every"_a = kws::SecondLookSettings{}.every,
      "earlier"_a = kws::SecondLookSettings{}.earlier, "second_order"_a = std::vector<int>(),
      "second_arena_bytes"_a = 0);
  nb::class_<Event>(m, "Event")
      .def_prop_ro("label",
                   [](const Event& event) {
                     return event.label == kws::Detection::kNothing ? std::nullopt
                                                                    : std::optional(event.label);
                   })
      .def_ro("score", &Event::score)
      .def_ro("time_ms", &Event::time_ms)
      .def_ro("bundle", &Event::bundle)
      .def_ro("text", &Event::text);
  m.attr("NEAR_MISS_MS") = kws::NearMissRule::kApartMs;
  nb::class_<kws::NearMiss>(m, "NearMiss")
      .def_ro("label", &kws::NearMiss::label)
      .def_ro("score", &kws::NearMiss::score)
      .def_ro("threshold", &kws::NearMiss::threshold)
      .def_ro("time_ms", &kws::NearMiss::time_ms);
  nb::class_<Pipeline>(m, "Pipeline")
      .def(nb::init<const Part*, size_t, const Part*, uint32_t>(), "part"_a, nb::kw_only(),
           "arena_bytes"_a, "then"_a.none() = nb::none(), "listen_ms"_a = 0, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 4>())
      .def_prop_ro("boot", &Pipeline::Boot)
      .def("feed", &Pipeline::Feed, "pcm"_a, "rate"_a = kws::Frontend::kSampleRate)
      .def("hear", &Pipeline::Hear, "pcm"_a, "rate"_a = kws::Frontend::kSampleRate)
      .def("trace", &Pipeline::Trace, "pcm"_a, "rate"_a = kws::Frontend::kSampleRate)
      .def("trace_looks", &Pipeline::TraceLooks, "pcm"_a, "rate"_a = kws::Frontend::kSampleRate)
      .def_prop_ro("frame", &Pipeline::Frame, nb::rv_policy::move)
      .def_prop_ro("inferences", &Pipeline::Inferences)
      .def_prop_ro("skipped", &Pipeline::Skipped)
      .def_prop_ro("looks", &Pipeline::Looks)
      .def_prop_ro("looked", &Pipeline::Looked)
      .def_prop_ro("near_misses", &Pipeline::Nearly)
      .def("last_near_misses", &Pipeline::LastNearly)
      .def_prop_ro("listening", &Pipeline::Listening)
      .def_prop_ro("arena_used", &Pipeline::ArenaUsed)
      .def_prop_ro("means", &Pipeline::Means)
      .def_prop_ro("peaks", &Pipeline::Peaks)
      .def_prop_ro("thresholds", &Pipeline::LabelThresholds)
      .def("set_threshold", &Pipeline::SetThreshold, "label"_a, "threshold"_a);
}

}  // namespace kws::bindings
