// SPDX-License-Identifier: Apache-2.0
// The interpreter on small models: correct outputs, and damaged models.
#include "kws/runtime/micro_interpreter.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/runtime/test_model.h"
#include "kws/runtime/all_ops_resolver.h"
#include "kws/runtime/model/op_names.h"

namespace kws {
namespace {

constexpr size_t kArenaBytes = 16384;

// An arena of exactly `size` bytes, so that AddressSanitizer detects any access beyond it.
class Arena {
 public:
  explicit Arena(size_t size)
      : bytes_(static_cast<uint8_t*>(aligned_alloc(16, size))), size_(size) {
    std::memset(bytes_, 0xa5, size);
  }
  ~Arena() { free(bytes_); }
  uint8_t* data() { return bytes_; }
  size_t size() const { return size_; }

 private:
  uint8_t* bytes_;
  size_t size_;
};

// Loads `bytes` as a model and, if that succeeds, runs it.
Status LoadAndRun(const std::vector<uint8_t>& bytes, Arena* arena) {
  std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  const Model model = GetModel(copy.get(), bytes.size());
  AllOpsResolver resolver;
  MicroInterpreter interpreter(model, resolver, arena->data(), arena->size());
  const Status status = interpreter.AllocateTensors();
  if (status != Status::kOk) return status;
  for (size_t i = 0; i < interpreter.inputs_size(); ++i) {
    const TensorView input = interpreter.input(i);
    std::memset(input.data, 1, input.bytes);
  }
  return interpreter.Invoke();
}

std::vector<uint8_t> TestModel() {
  return std::vector<uint8_t>(test::kModel, test::kModel + sizeof(test::kModel));
}

std::vector<std::vector<uint8_t>> TestModels() {
  const unsigned char* streaming = test::kStreamingModel;
  return {TestModel(), {streaming, streaming + sizeof(test::kStreamingModel)}};
}

TEST(Interpreter, OutputEqualsTflms) {
  const Model model = GetModel(test::kModel);
  AllOpsResolver resolver;
  Arena arena(kArenaBytes);
  MicroInterpreter interpreter(model, resolver, arena.data(), arena.size());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  ASSERT_EQ(interpreter.inputs_size(), 1u);
  ASSERT_EQ(interpreter.input(0).bytes, sizeof(test::kInput));
  for (int run = 0; run < 2; ++run) {
    std::memcpy(interpreter.input(0).data, test::kInput, sizeof(test::kInput));
    ASSERT_EQ(interpreter.Invoke(), Status::kOk);
    const TensorView output = interpreter.output(0);
    ASSERT_EQ(output.bytes, sizeof(test::kOutput));
    EXPECT_EQ(std::memcmp(output.data, test::kOutput, sizeof(test::kOutput)), 0);
  }
}

TEST(Interpreter, KeepsVariablesUntilReset) {
  const Model model = GetModel(test::kStreamingModel);
  AllOpsResolver resolver;
  Arena arena(kArenaBytes);
  MicroInterpreter interpreter(model, resolver, arena.data(), arena.size());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  const size_t input_bytes = interpreter.input(0).bytes;
  const size_t output_bytes = interpreter.output(0).bytes;
  ASSERT_EQ(sizeof(test::kStreamingOutputs) / output_bytes, 4u);
  for (int run = 0; run < 2; ++run) {
    for (size_t call = 0; call < 4; ++call) {
      std::memcpy(interpreter.input(0).data, test::kStreamingInputs + call * input_bytes,
                  input_bytes);
      ASSERT_EQ(interpreter.Invoke(), Status::kOk);
      EXPECT_EQ(std::memcmp(interpreter.output(0).data,
                            test::kStreamingOutputs + call * output_bytes, output_bytes),
                0);
    }
    ASSERT_EQ(interpreter.Reset(), Status::kOk);
  }
}

TEST(Interpreter, ResetLeavesInputsAlone) {
  const Model model = GetModel(test::kStreamingModel);
  AllOpsResolver resolver;
  Arena arena(kArenaBytes);
  MicroInterpreter interpreter(model, resolver, arena.data(), arena.size());
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  std::memcpy(interpreter.input(0).data, test::kStreamingInputs, interpreter.input(0).bytes);
  ASSERT_EQ(interpreter.Reset(), Status::kOk);
  ASSERT_EQ(interpreter.Invoke(), Status::kOk);
  EXPECT_EQ(
      std::memcmp(interpreter.output(0).data, test::kStreamingOutputs, interpreter.output(0).bytes),
      0);
}

TEST(Interpreter, DescribesInputsAndOutputs) {
  const Model model = GetModel(test::kModel);
  AllOpsResolver resolver;
  Arena arena(kArenaBytes);
  MicroInterpreter interpreter(model, resolver, arena.data(), arena.size());
  EXPECT_EQ(interpreter.input(0).data, nullptr);
  EXPECT_EQ(interpreter.Invoke(), Status::kNotAllocated);
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  const TensorView input = interpreter.input(0);
  EXPECT_EQ(input.type, TensorType::kInt8);
  EXPECT_EQ(input.rank, 2);
  EXPECT_EQ(input.dims[1], 80);
  EXPECT_FLOAT_EQ(input.scale, 0.1f);
  EXPECT_EQ(input.zero_point, -128);
  EXPECT_EQ(interpreter.input(1).data, nullptr);
  EXPECT_EQ(interpreter.output(1).data, nullptr);
}

TEST(Interpreter, NeedsExactlyTheArenaItReports) {
  const Model model = GetModel(test::kModel);
  AllOpsResolver resolver;
  Arena large(kArenaBytes);
  MicroInterpreter first(model, resolver, large.data(), large.size());
  ASSERT_EQ(first.AllocateTensors(), Status::kOk);
  const size_t used = first.arena_used_bytes();
  for (size_t size = 0; size <= used; ++size) {
    MicroInterpreter interpreter(model, resolver, large.data(), size);
    EXPECT_EQ(interpreter.AllocateTensors(), size < used ? Status::kArenaTooSmall : Status::kOk)
        << size << " of " << used;
  }
}

TEST(Interpreter, TakesAnUnalignedArena) {
  const Model model = GetModel(test::kModel);
  AllOpsResolver resolver;
  Arena arena(kArenaBytes);
  MicroInterpreter interpreter(model, resolver, arena.data() + 3, arena.size() - 3);
  ASSERT_EQ(interpreter.AllocateTensors(), Status::kOk);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(interpreter.input(0).data) % 4, 0u);
}

TEST(Interpreter, NamesTheMissingOp) {
  const Model model = GetModel(test::kModel);
  MicroMutableOpResolver<3> resolver;
  EXPECT_EQ(resolver.AddReshape(), Status::kOk);
  EXPECT_EQ(resolver.AddConv2D(), Status::kOk);
  EXPECT_EQ(resolver.AddConv2D(), Status::kOk);
  EXPECT_EQ(resolver.AddSoftmax(), Status::kOk);
  EXPECT_EQ(resolver.AddFullyConnected(), Status::kResolverFull);
  Arena arena(kArenaBytes);
  MicroInterpreter interpreter(model, resolver, arena.data(), arena.size());
  EXPECT_EQ(interpreter.AllocateTensors(), Status::kUnsupportedOp);
  EXPECT_EQ(interpreter.error().op_index, 2);
  EXPECT_STREQ(BuiltinOpName(interpreter.error().builtin_code), "DEPTHWISE_CONV_2D");
  EXPECT_EQ(interpreter.Invoke(), Status::kNotAllocated);
}

TEST(Model, RefusesOtherFiles) {
  EXPECT_EQ(GetModel(nullptr, 100).status(), Status::kBadArgument);
  std::vector<uint8_t> bytes = TestModel();
  EXPECT_EQ(GetModel(bytes.data(), 0).status(), Status::kBadModel);
  bytes[5] = 'G';
  EXPECT_EQ(GetModel(bytes.data(), bytes.size()).status(), Status::kWrongSchemaVersion);
  const std::vector<uint8_t> zeros(4096, 0);
  EXPECT_NE(GetModel(zeros.data(), zeros.size()).status(), Status::kOk);
}

TEST(Model, EveryTruncationIsAnErrorOrRuns) {
  Arena arena(kArenaBytes);
  for (const std::vector<uint8_t>& whole : TestModels()) {
    int errors = 0;
    for (size_t size = 0; size < whole.size(); ++size) {
      const std::vector<uint8_t> part(whole.begin(), whole.begin() + static_cast<long>(size));
      errors += LoadAndRun(part, &arena) != Status::kOk;
    }
    // Nearly all; bytes after the last table that the runtime reads may be missing.
    EXPECT_GT(errors, static_cast<int>(whole.size() * 9 / 10));
  }
}

TEST(Model, EveryFlippedBitIsAnErrorOrRuns) {
  Arena arena(kArenaBytes);
  for (std::vector<uint8_t> bytes : TestModels()) {
    int errors = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        bytes[i] ^= static_cast<uint8_t>(1 << bit);
        errors += LoadAndRun(bytes, &arena) != Status::kOk;
        bytes[i] ^= static_cast<uint8_t>(1 << bit);
      }
    }
    EXPECT_GT(errors, 0);
  }
}

TEST(Model, RandomDamageIsAnErrorOrRuns) {
  const std::vector<std::vector<uint8_t>> models = TestModels();
  Arena arena(kArenaBytes);
  uint32_t random = 1;
  const auto next = [&random] { return random = random * 1664525u + 1013904223u; };
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes = models[static_cast<size_t>(round) % models.size()];
    for (uint32_t edits = 1 + (next() >> 24) % 8; edits > 0; --edits) {
      const size_t at = (next() >> 8) % bytes.size();
      // Half of the edits are limits at which offsets and sizes overflow.
      const uint8_t value = static_cast<uint8_t>(next() >> 24);
      bytes[at] = (next() >> 31) != 0 ? value : (value & 1) != 0 ? 0xff : 0;
    }
    LoadAndRun(bytes, &arena);
  }
}

}  // namespace
}  // namespace kws
