// SPDX-License-Identifier: Apache-2.0
#include "kws/pipeline/recognizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings.h"
#include "recognizer_settings.h"

namespace kws::bindings {
namespace {

class Recognizer {
 public:
  Recognizer(int label_count, int average_window_ms, int detection_threshold, int suppression_ms,
             int minimum_count, const std::vector<int>& thresholds, int first_keyword, int proposal,
             int looks, int every)
      : label_count_(label_count),
        recognizer_(label_count,
                    Settings(average_window_ms, detection_threshold, suppression_ms, minimum_count,
                             Thresholds(thresholds, static_cast<size_t>(label_count))),
                    first_keyword > 0),
        has_second_(looks > 0),
        proposals_(&recognizer_, label_count, first_keyword,
                   kws::SecondLookSettings(Threshold(proposal), looks, every)) {}
  Recognizer(const Recognizer&) = delete;
  Recognizer& operator=(const Recognizer&) = delete;

  // Rows of (time, label, score), one per new detection. `looks`: the second model's scores; none
  // without a second look, that is with `looks` of 0 above.
  nb::ndarray<nb::numpy, int32_t> Run(const nb::object& rows, const Times& times,
                                      const nb::object& looks) {
    const ScoreRows scores = Rows(rows, times);
    const ScoreRows second = has_second_ ? Rows(looks, times) : scores;
    std::vector<int32_t> heard;
    {
      nb::gil_scoped_release release;
      for (size_t row = 0; row < times.size(); ++row) {
        kws::Recognizer::Result result;
        const size_t at = row * scores.shape(1);
        const int32_t time = times.data()[row];
        bool look = false;
        const Status status = has_second_ ? proposals_.Add(scores.data() + at, time, &result, &look)
                                          : recognizer_.Process(scores.data() + at, time, &result);
        if (look) proposals_.Confirm(second.data() + at, &result);
        looks_ += look;
        if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
        if (result.is_new) heard.insert(heard.end(), {time, result.label, result.score});
      }
    }
    Owned<int32_t> out({heard.size() / 3, 3});
    std::copy(heard.begin(), heard.end(), out.data.get());
    return out.Release();
  }

  nb::tuple Process(const nb::object& row, int time_ms) {
    const Scores scores = ArrayOf<Scores>(row, "scores", "one int8 for each label");
    if (scores.size() != static_cast<size_t>(label_count_)) {
      throw CoreError("there are " + std::to_string(label_count_) + " labels, not " +
                      std::to_string(scores.size()) + " scores");
    }
    kws::Recognizer::Result result;
    const Status status = recognizer_.Process(scores.data(), time_ms, &result);
    if (status != Status::kOk) throw CoreError(kws::StatusMessage(status));
    return nb::make_tuple(result.label, static_cast<int>(result.score), result.is_new);
  }

  uint32_t Looks() const { return looks_; }

 private:
  ScoreRows Rows(const nb::object& rows, const Times& times) const {
    const ScoreRows scores = ArrayOf<ScoreRows>(rows, "scores", "a row of int8 for each result");
    if (scores.shape(1) != static_cast<size_t>(label_count_)) {
      throw CoreError("there are " + std::to_string(label_count_) + " labels, not " +
                      std::to_string(scores.shape(1)) + " scores a row");
    }
    if (scores.shape(0) != times.size()) throw CoreError("each row of scores needs one time");
    return scores;
  }

  int label_count_;
  kws::Recognizer recognizer_;
  bool has_second_;
  kws::Proposals proposals_;
  uint32_t looks_ = 0;
};

}  // namespace

void BindRecognizer(nb::module_& m) {
  const kws::RecognizerSettings defaults;
  m.attr("AVERAGE_WINDOW_MS") = defaults.average_window_ms;
  m.attr("DETECTION_THRESHOLD") = static_cast<int>(defaults.detection_threshold);
  m.attr("SUPPRESSION_MS") = defaults.suppression_ms;
  m.attr("MINIMUM_COUNT") = defaults.minimum_count;
  nb::class_<Recognizer>(m, "Recognizer")
      .def(nb::init<int, int, int, int, int, const std::vector<int>&, int, int, int, int>(),
           "label_count"_a, "average_window_ms"_a, "detection_threshold"_a, "suppression_ms"_a,
           "minimum_count"_a, "thresholds"_a = std::vector<int>(), "first_keyword"_a = 2,
           "proposal"_a = 0, "looks"_a = 0, "every"_a = 1)
      .def("process", &Recognizer::Process, "scores"_a, "time_ms"_a)
      .def("run", &Recognizer::Run, "scores"_a, "times_ms"_a, "looks"_a = nb::none())
      .def_prop_ro("looks", &Recognizer::Looks);
}

}  // namespace kws::bindings
