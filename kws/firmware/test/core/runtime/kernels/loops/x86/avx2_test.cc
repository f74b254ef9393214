// SPDX-License-Identifier: Apache-2.0
// AVX2's loops equal the portable ones, for any sizes, within exact buffers. They do nothing where
// the processor has no AVX2.
#include "kws/runtime/kernels/loops/avx2.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kws/runtime/kernels/loops/dot.h"
#include "kws/runtime/kernels/loops/x86/depthwise_avx2_loops.h"
#include "kws/runtime/kernels/loops/x86/dot_avx2_loops.h"
#include "kws/runtime/kernels/shared/depthwise_rows.h"

#if KWS_MAY_HAVE_AVX2
namespace kws {
namespace {

class Avx2Test : public testing::Test {
 protected:
  void SetUp() override {
    if (!avx2::Use(true)) GTEST_SKIP() << "this processor has no AVX2";
  }
  void TearDown() override { avx2::Use(true); }

  int Random(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::vector<int8_t> Bytes(int count) {
    std::vector<int8_t> bytes(static_cast<size_t>(count));
    const bool extreme = Random(0, 3) == 0;
    for (int8_t& byte : bytes) {
      byte = static_cast<int8_t>(extreme ? (Random(0, 1) == 0 ? -128 : 127) : Random(-128, 127));
    }
    return bytes;
  }

  // An output stage of `channels` channels, with factors of any size.
  struct Stage {
    OutputStage stage;
    std::vector<int32_t> factors;  // multipliers, then shifts
    std::vector<int32_t> bias;

    Outputs Of(int channels) const { return Outputs(stage, factors.data(), channels); }
    const int32_t* Bias() const { return bias.empty() ? nullptr : bias.data(); }
  };
  Stage RandomStage(int channels) {
    Stage result;
    const bool each = Random(0, 1) == 1;
    const int count = each ? channels : 1;
    result.stage.channel_step = each ? 1 : 0;
    result.stage.fast_requantize = false;
    result.stage.offset = static_cast<int16_t>(Random(-128, 127));
    result.stage.min = static_cast<int8_t>(Random(-128, 0));
    result.stage.max = static_cast<int8_t>(Random(0, 127));
    result.factors.resize(static_cast<size_t>(count + (count + 3) / 4));
    auto* shifts = reinterpret_cast<int8_t*>(result.factors.data() + count);
    for (int i = 0; i < count; ++i) {
      result.factors[static_cast<size_t>(i)] = Random(0, 9) == 0 ? 0 : Random(1 << 30, INT32_MAX);
      shifts[i] = static_cast<int8_t>(Random(0, 4) == 0 ? Random(-31, 30) : Random(-12, 0));
    }
    if (Random(0, 3) != 0) {
      for (int i = 0; i < channels; ++i) result.bias.push_back(Random(-(1 << 20), 1 << 20));
    }
    return result;
  }

  std::mt19937 random_{1};
};

TEST_F(Avx2Test, DotsAreEqual) {
  for (int i = 0; i < 300; ++i) {
    const int count = Random(1, 100);
    const int offset = Random(-127, 128);
    const std::vector<int8_t> input = Bytes(count);
    const std::vector<int8_t> filter = Bytes(count * kDotRows);
    int32_t rows[2][kDotRows];
    int32_t one[2];
    std::vector<int16_t> columns[2];
    for (int k = 0; k < 2; ++k) {
      avx2::Use(k == 1);
      DotRows(input.data(), filter.data(), count, offset, rows[k]);
      one[k] = Dot(input.data(), filter.data(), count, offset);
      columns[k].resize(static_cast<size_t>(count));
      WriteIm2colColumn(input.data(), count, offset, 0, columns[k].data());
    }
    EXPECT_EQ(std::vector<int32_t>(rows[0], rows[0] + kDotRows),
              std::vector<int32_t>(rows[1], rows[1] + kDotRows));
    EXPECT_EQ(one[0], one[1]);
    EXPECT_EQ(columns[0], columns[1]);
  }
}

TEST_F(Avx2Test, ProductsWithColumnsAreEqual) {
  for (int i = 0; i < 300; ++i) {
    const int taps = i == 0 ? avx2::kMostTaps + 1 : Random(1, 100);
    const int filters = Random(1, 35);
    const int count = Random(1, Im2colColumns(static_cast<uint32_t>(taps)));
    const int step = filters + Random(0, 3);
    const std::vector<int8_t> weights = Bytes(taps * filters);
    const Stage stage = RandomStage(filters);
    std::vector<int16_t> columns(Im2colSize(static_cast<uint32_t>(taps)));
    for (int k = 0; k < count; ++k) {
      WriteIm2colColumn(Bytes(taps).data(), taps, Random(-127, 128), k, columns.data());
    }
    std::vector<int8_t> outputs[2];
    for (int k = 0; k < 2; ++k) {
      avx2::Use(k == 1);
      outputs[k].resize(static_cast<size_t>(step * (count - 1) + filters));
      const Filters all{weights.data(), stage.Bias(), stage.Of(filters), taps, filters};
      MultiplyIm2col(all, columns.data(), count, outputs[k].data(), step);
    }
    ASSERT_EQ(outputs[0], outputs[1]) << taps << " taps, " << filters << " filters";
  }
}

TEST_F(Avx2Test, DepthwiseConvolutionsAreEqual) {
  int taken = 0;
  for (int i = 0; i < 1000; ++i) {
    Window window{};
    const bool one = Random(0, 1) == 0;
    const auto small = [this](int low, int high) {
      return static_cast<uint16_t>(Random(low, high));
    };
    window.batches = 1;
    window.in_height = small(1, 9);
    window.in_width = small(1, 20);
    window.in_channels = one ? 1 : small(2, 40);
    window.out_channels = one ? small(1, 40) : window.in_channels;
    window.height = small(1, 4);
    window.width = small(1, 9);
    window.stride_height = small(1, 2);
    window.stride_width = small(1, 3);
    window.dilation_height = 1;
    window.dilation_width = 1;
    window.pad_top = small(0, window.height - 1);
    window.pad_left = small(0, window.width - 1);
    window.out_height =
        static_cast<uint16_t>((window.in_height + window.pad_top - 1) / window.stride_height + 1);
    window.out_width =
        static_cast<uint16_t>((window.in_width + window.pad_left - 1) / window.stride_width + 1);
    const Sides sides(window);
    const Stage stage = RandomStage(window.out_channels);
    const Outputs outputs = stage.Of(window.out_channels);
    const std::vector<int8_t> input =
        Bytes(window.in_height * window.in_width * window.in_channels);
    const std::vector<int8_t> filter = Bytes(window.height * window.width * window.out_channels);
    std::vector<int16_t> scratch((DepthwiseRowsScratch(sides) + 1) / 2);
    std::vector<int8_t> results[2];
    DepthwiseRows work{window,       Random(-127, 128), input.data(), filter.data(),
                       stage.Bias(), outputs,           nullptr,      scratch.data()};
    for (std::vector<int8_t>& result : results) {
      result.resize(
          static_cast<size_t>(window.out_height * window.out_width * window.out_channels));
    }
    work.output = results[0].data();
    RunDepthwiseRows(work, sides);
    work.output = results[1].data();
    if (!avx2::RunDepthwise(work)) continue;
    ++taken;
    ASSERT_EQ(results[0], results[1]);

    // The output of an image of the same size may replace it.
    if (!one && window.out_height == window.in_height && window.out_width == window.in_width) {
      std::vector<int8_t> both = input;
      work.input = both.data();
      work.output = both.data();
      ASSERT_TRUE(avx2::RunDepthwise(work));
      ASSERT_EQ(results[0], both);
    }
  }
  EXPECT_GT(taken, 900);
}

}  // namespace
}  // namespace kws
#endif
