// SPDX-License-Identifier: Apache-2.0
#include "PDM.h"

#include "Arduino.h"

PdmMicrophone PDM;

static bool NextBlock() { return PDM.Deliver(); }

int PdmMicrophone::begin(int channels, int rate) {
  began_ = channels == 1 && rate == 16000 && received_ != nullptr;
  if (began_) interrupt = NextBlock;
  return began_ ? 1 : 0;
}
