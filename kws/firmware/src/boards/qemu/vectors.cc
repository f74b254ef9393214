// SPDX-License-Identifier: Apache-2.0
// The emulated board's vector table: interrupts of peripherals stay disabled.
#include "boards/cortex_m.h"

extern "C" __attribute__((used, section(".vectors")))
const kws::board::Vector kws_vectors[] = {KWS_CORE_VECTORS};
