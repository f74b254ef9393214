// SPDX-License-Identifier: Apache-2.0
// The vector table: the core's vectors, then the 48 of the nRF52840, by peripheral ID (PS 4.2.4).
// Unused interrupts are faults.
#include "boards/cortex_m.h"
#include "boards/nrf52840/tables/board_table.h"

extern "C" {
void KwsPowerClockInterrupt();
void KwsUartInterrupt();
void KwsTimerInterrupt();
void KwsPdmInterrupt();
void KwsUsbdInterrupt();
}

#define NONE KwsFaultEntry
#define USBD kws::board::table::kHasUsb ? KwsUsbdInterrupt : NONE
#define NONE_4 NONE, NONE, NONE, NONE

// clang-format off
extern "C" __attribute__((used, section(".vectors"))) const kws::board::Vector kws_vectors[] = {
    KWS_CORE_VECTORS,
    /*  0 */ KwsPowerClockInterrupt, NONE, KwsUartInterrupt, NONE, NONE_4,
    /*  8 */ KwsTimerInterrupt, NONE, NONE, NONE, NONE_4,
    /* 16 */ NONE_4, NONE_4,
    /* 24 */ NONE_4, NONE, KwsPdmInterrupt, NONE, NONE,
    /* 32 */ NONE_4, NONE, NONE, NONE, USBD,
    /* 40 */ NONE_4, NONE_4,
};
// clang-format on

static_assert(sizeof(kws_vectors) == (16 + 48) * sizeof(kws::board::Vector),
              "an entry is missing or one too many");
