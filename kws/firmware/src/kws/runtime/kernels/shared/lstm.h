// SPDX-License-Identifier: Apache-2.0
// The parts of UNIDIRECTIONAL_SEQUENCE_LSTM that do not depend on types: options, inputs,
// references.
#ifndef KWS_RUNTIME_KERNELS_SHARED_LSTM_H_
#define KWS_RUNTIME_KERNELS_SHARED_LSTM_H_

#include <cstdint>

#include "kws/runtime/kernel_context.h"

namespace kws {
namespace lstm {

enum Options { kActivation = 0, kCellClip = 1, kTimeMajor = 3, kDiagonal = 5 };
enum Inputs { kInputTensor = 0, kHiddenTensor = 18, kCellTensor = 19, kInputCount = 24 };

// In the order of the op's inputs.
enum GateIndex { kInputGate, kForgetGate, kCandidate, kOutputGate, kGates };
constexpr int kFirstWeights = 1;    // input index of the gates' weights
constexpr int kFirstRecurrent = 5;  // of the recurrent weights
constexpr int kFirstBias = 12;      // of the biases

enum References {
  kInput,
  kHidden,
  kCell,
  kOutput,
  kWeights,
  kRecurrent = kWeights + kGates,
  kBias = kRecurrent + kGates,
  kLstmReferences = kBias + kGates
};

constexpr uint8_t kActivationTanh = 4;
// Inputs of LSTM variants: 9 to 11 peepholes, 16 and 17 projection, from 20 on layer normalization.
inline bool IsPlain(const PrepareContext& context) {
  for (int i = 9; i < kInputCount; ++i) {
    const bool variant = i < kFirstBias || i == 16 || i == 17 || i >= 20;
    if (variant && context.HasInput(i)) return false;
  }
  return context.Option<uint8_t>(kActivation, 0) == kActivationTanh &&
         context.Option<uint8_t>(kDiagonal, 0) == 0;
}

}  // namespace lstm
}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_SHARED_LSTM_H_
