// SPDX-License-Identifier: Apache-2.0
// The vector table in RAM: the core's vectors, then the 26 of the RP2040 (DS 2.3.2). Unused
// interrupts are faults.
#include "boards/cortex_m.h"

extern "C" {
void KwsTimerInterrupt();
void KwsDmaInterrupt();
void KwsUartInterrupt();
}

#define NONE KwsFaultEntry
#define NONE_4 NONE, NONE, NONE, NONE

// clang-format off
extern "C" __attribute__((used, section(".vectors"))) const kws::board::Vector kws_vectors[] = {
    KWS_CORE_VECTORS,
    /*  0 */ KwsTimerInterrupt, NONE, NONE, NONE, NONE_4,
    /*  8 */ NONE, NONE, NONE, KwsDmaInterrupt, NONE_4,
    /* 16 */ NONE_4, KwsUartInterrupt, NONE, NONE, NONE,
    /* 24 */ NONE, NONE,
};
// clang-format on

static_assert(sizeof(kws_vectors) == (16 + 26) * sizeof(kws::board::Vector),
              "one entry too few or too many");
