// SPDX-License-Identifier: Apache-2.0
// The vector table: the core's vectors, then the 82 of the STM32L475 (RM 13.3). Unused interrupts
// are faults.
#include "boards/cortex_m.h"

extern "C" {
void KwsNmi();
void KwsMicDmaInterrupt();
void KwsTimerInterrupt();
void KwsSendDmaInterrupt();
}

#define NONE KwsFaultEntry
#define NONE_4 NONE, NONE, NONE, NONE

// clang-format off
extern "C" __attribute__((used, section(".vectors"))) const kws::board::Vector kws_vectors[] = {
    KWS_CORE_VECTORS_WITH_NMI(KwsNmi),
    /*  0 */ NONE_4, NONE_4,
    /*  8 */ NONE_4, NONE, NONE, KwsMicDmaInterrupt, NONE,
    /* 16 */ NONE_4, NONE_4,
    /* 24 */ NONE_4, KwsTimerInterrupt, NONE, NONE, NONE,
    /* 32 */ NONE_4, NONE_4,
    /* 40 */ NONE_4, NONE_4,
    /* 48 */ NONE_4, NONE_4,
    /* 56 */ NONE_4, NONE_4,
    /* 64 */ NONE_4, KwsSendDmaInterrupt, NONE, NONE, NONE,
    /* 72 */ NONE_4, NONE_4,
    /* 80 */ NONE, NONE,
};
// clang-format on

static_assert(sizeof(kws_vectors) == (16 + 82) * sizeof(kws::board::Vector),
              "one entry too few or too many");
