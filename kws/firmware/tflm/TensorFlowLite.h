// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite Micro's interface over kws's runtime: a program that was written for TFLM
// compiles with this folder and kws's sources instead of TFLM's. Classes and functions have TFLM's
// names, arguments and results; the README of `kws export tflm` lists the differences. C++11.
#ifndef TFLM_TENSORFLOWLITE_H_
#define TFLM_TENSORFLOWLITE_H_

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_log.h"

#endif  // TFLM_TENSORFLOWLITE_H_
