// SPDX-License-Identifier: Apache-2.0
// A program written for TFLM: outputs for each input on stdin. Usage: infer MODEL ARENA_BYTES
#include <TensorFlowLite.h>

#include <cstdio>
#include <cstdlib>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/micro/all_ops_resolver.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/micro/micro_profiler.h"
#include "tensorflow/lite/micro/recording_micro_interpreter.h"
#include "tensorflow/lite/micro/system_setup.h"
#include "tensorflow/lite/schema/schema_generated.h"

// The clock advances by a tick at each reading.
namespace tflite {
uint32_t ticks_per_second() { return 1000; }
uint32_t GetCurrentTimeTicks() {
  static uint32_t now = 0;
  return now++;
}
}  // namespace tflite

extern "C" void DebugLog(const char* text) { std::fputs(text, stdout); }

namespace {

alignas(16) uint8_t g_model[1 << 20];
alignas(16) uint8_t arena[1 << 20];
const tflite::Model* model;

TfLiteStatus RegisterOps(tflite::MicroMutableOpResolver<4>& resolver) {
  TF_LITE_ENSURE_STATUS(resolver.AddDepthwiseConv2D());
  TF_LITE_ENSURE_STATUS(resolver.AddFullyConnected());
  TF_LITE_ENSURE_STATUS(resolver.AddSoftmax());
  TF_LITE_ENSURE_STATUS(
      resolver.AddBuiltin(tflite::BuiltinOperator_RESHAPE, tflite::ops::micro::Register_RESHAPE()));
  return resolver.AddConv2D();
}

void PrintTensor(const char* name, const TfLiteTensor* tensor) {
  std::printf("%s %d %g %d", name, tensor->type, static_cast<double>(tensor->params.scale),
              static_cast<int>(tensor->params.zero_point));
  for (int i = 0; i < tensor->dims->size; ++i) std::printf(" %d", tensor->dims->data[i]);
  std::printf(" = %u\n", static_cast<unsigned>(tensor->bytes));
}

TfLiteStatus Run(tflite::MicroInterpreter* interpreter) {
  TF_LITE_ENSURE_STATUS(interpreter->AllocateTensors());
  TfLiteTensor* input = interpreter->input(0);
  const TfLiteTensor* output = interpreter->output(0);
  PrintTensor("input", input);
  PrintTensor("output", output);
  TFLITE_CHECK_EQ(interpreter->input(interpreter->inputs_size()), nullptr);
  TFLITE_CHECK_EQ(interpreter->output(interpreter->outputs_size()), nullptr);
  TFLITE_CHECK_EQ(interpreter->typed_input_tensor<int8_t>(0), input->data.int8);
  TFLITE_CHECK_EQ(interpreter->typed_input_tensor<float>(0), nullptr);
  while (std::fread(input->data.raw, 1, input->bytes, stdin) == input->bytes) {
    TF_LITE_ENSURE_STATUS(interpreter->Invoke());
    for (size_t i = 0; i < output->bytes; ++i) {
      std::printf("%d ", tflite::GetTensorData<int8_t>(output)[i]);
    }
    std::puts("");
  }
  return kTfLiteOk;
}

}  // namespace

int main(int, char** arguments) {
  tflite::InitializeTarget();
  std::FILE* file = std::fopen(arguments[1], "rb");
  if (file == nullptr || std::fread(g_model, 1, sizeof(g_model), file) == 0) return 3;
  const size_t arena_bytes = std::strtoul(arguments[2], nullptr, 10);
  model = tflite::GetModel(g_model);
  MicroPrintf("version %d", static_cast<int>(model->version()));

  static tflite::MicroErrorReporter reporter;
  static tflite::MicroMutableOpResolver<4> four(&reporter);
  if (RegisterOps(four) == kTfLiteOk) return 4;  // they are five

  static tflite::AllOpsResolver resolver;
  static tflite::MicroProfiler profiler;
  tflite::RecordingMicroAllocator* allocator =
      tflite::RecordingMicroAllocator::Create(arena, arena_bytes);
  static tflite::RecordingMicroInterpreter interpreter(
      model, resolver, allocator, tflite::MicroResourceVariables::Create(allocator, 24), &profiler);
  if (Run(&interpreter) != kTfLiteOk) {
    TF_LITE_REPORT_ERROR(&reporter, "no inference with %d bytes", static_cast<int>(arena_bytes));
    return 1;
  }
  interpreter.GetMicroAllocator().PrintAllocations();
  if (profiler.GetTotalTicks() == 0) return 5;
  profiler.LogTicksPerTagCsv();

  // The other constructors.
  static tflite::MicroInterpreter plain(model, resolver, arena, sizeof(arena));
  if (plain.AllocateTensors() != kTfLiteOk || plain.Reset() != kTfLiteOk) return 6;
  static tflite::MicroInterpreter with_reporter(model, resolver, arena, sizeof(arena), &reporter);
  if (with_reporter.initialization_status() != kTfLiteOk) return 7;
  static tflite::MicroInterpreter with_profiler(model, resolver, arena, sizeof(arena), nullptr,
                                                &profiler);
  return with_profiler.Invoke() == kTfLiteOk ? 0 : 8;
}
