// SPDX-License-Identifier: Apache-2.0
// BATCH_TO_SPACE_ND, int8 and float32: the inverse of SPACE_TO_BATCH_ND, and crops the image.
#include "kws/runtime/kernels/kernels.h"
#include "kws/runtime/kernels/shared/batch_space.h"

namespace kws {
namespace {

Status Prepare(PrepareContext& context) {
  return PrepareBatchSpace(context, OptionsType::kBatchToSpaceNd, false);
}

}  // namespace

KWS_REGISTER(BatchToSpaceNd, Prepare, InvokeBatchToSpace)

}  // namespace kws
