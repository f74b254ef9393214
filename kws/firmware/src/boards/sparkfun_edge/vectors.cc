// SPDX-License-Identifier: Apache-2.0
// The vector table: the core's vectors, then the 32 of the Apollo3. Unused interrupts are faults.
#include "boards/cortex_m.h"

extern "C" {
void KwsTimerInterrupt();
void KwsUartInterrupt();
void KwsAdcInterrupt();
}

#define NONE KwsFaultEntry
#define NONE_4 NONE, NONE, NONE, NONE

// clang-format off
extern "C" __attribute__((used, section(".vectors"))) const kws::board::Vector kws_vectors[] = {
    KWS_CORE_VECTORS,
    /*  0 */ NONE_4, NONE_4,
    /*  8 */ NONE_4, NONE, NONE, KwsTimerInterrupt, KwsUartInterrupt,
    /* 16 */ NONE, NONE, KwsAdcInterrupt, NONE, NONE_4,
    /* 24 */ NONE_4, NONE_4,
};
// clang-format on

static_assert(sizeof(kws_vectors) == (16 + 32) * sizeof(kws::board::Vector),
              "an entry is missing or one too many");
