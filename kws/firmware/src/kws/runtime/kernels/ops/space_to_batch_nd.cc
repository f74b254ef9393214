// SPDX-License-Identifier: Apache-2.0
// SPACE_TO_BATCH_ND, int8 and float32: pads the image and moves every n-th row and column to a
// batch.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/batch_space.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  return PrepareBatchSpace(context, OptionsType::kSpaceToBatchNd, true);
}

}  // namespace

KWS_REGISTER(SpaceToBatchNd, Prepare, InvokeSpaceToBatch)

}  // namespace kws
