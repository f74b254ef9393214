// SPDX-License-Identifier: Apache-2.0
// TFLM's types of tensors and results, with the numbers and names of its c/common.h.
#ifndef TFLM_C_COMMON_H_
#define TFLM_C_COMMON_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum TfLiteStatus {
  kTfLiteOk = 0,
  kTfLiteError = 1,
} TfLiteStatus;

typedef enum TfLiteType {
  kTfLiteNoType = 0,
  kTfLiteFloat32 = 1,
  kTfLiteInt32 = 2,
  kTfLiteUInt8 = 3,
  kTfLiteInt64 = 4,
  kTfLiteString = 5,
  kTfLiteBool = 6,
  kTfLiteInt16 = 7,
  kTfLiteInt8 = 9,
  kTfLiteFloat16 = 10,
  kTfLiteResource = 14,
} TfLiteType;

// `size` dimensions. Longer arrays do not occur: the runtime refuses such models.
typedef struct TfLiteIntArray {
  int size;
  int data[6];
} TfLiteIntArray;

// real = scale * (quantized - zero_point); scale 0: not quantized.
typedef struct TfLiteQuantizationParams {
  float scale;
  int32_t zero_point;
} TfLiteQuantizationParams;

typedef union TfLitePtrUnion {
  void* data;
  char* raw;
  const char* raw_const;
  float* f;
  int8_t* int8;
  uint8_t* uint8;
  int16_t* i16;
  int32_t* i32;
  int64_t* i64;
  bool* b;
} TfLitePtrUnion;

// An input or output of a model. It belongs to the interpreter; `data` points into the arena.
typedef struct TfLiteTensor {
  TfLiteType type;
  TfLitePtrUnion data;
  TfLiteIntArray* dims;
  TfLiteQuantizationParams params;
  size_t bytes;
} TfLiteTensor;

#define TF_LITE_ENSURE_STATUS(expression)               \
  do {                                                  \
    const TfLiteStatus tflm_status_ = (expression);     \
    if (tflm_status_ != kTfLiteOk) return tflm_status_; \
  } while (0)

#endif  // TFLM_C_COMMON_H_
