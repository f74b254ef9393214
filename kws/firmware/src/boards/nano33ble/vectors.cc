// The vector table: the core's, then the nRF52840's 48 (PS 4.2.4, by peripheral ID). What nobody
// enables would be a fault.
#include "boards/cortex_m.h"

extern "C" {
void KwsUartInterrupt();
void KwsTimerInterrupt();
void KwsPdmInterrupt();
}

#define KWS_UNUSED KwsFaultEntry

extern "C" __attribute__((used, section(".vectors"))) const kws::board::Vector kws_vectors[] = {
    KWS_CORE_VECTORS,
    /* 0 */ KWS_UNUSED,        KWS_UNUSED,      KwsUartInterrupt, KWS_UNUSED,
    /* 4 */ KWS_UNUSED,        KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 8 */ KwsTimerInterrupt, KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 12 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 16 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 20 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 24 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 28 */ KWS_UNUSED,       KwsPdmInterrupt, KWS_UNUSED,       KWS_UNUSED,
    /* 32 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 36 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 40 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
    /* 44 */ KWS_UNUSED,       KWS_UNUSED,      KWS_UNUSED,       KWS_UNUSED,
};

static_assert(sizeof(kws_vectors) == (16 + 48) * sizeof(kws::board::Vector),
              "an entry is missing or one too many");
