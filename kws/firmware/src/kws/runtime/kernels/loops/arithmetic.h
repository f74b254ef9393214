// SPDX-License-Identifier: Apache-2.0
// Products and saturation that some processors have as an instruction.
#ifndef KWS_RUNTIME_KERNELS_LOOPS_ARITHMETIC_H_
#define KWS_RUNTIME_KERNELS_LOOPS_ARITHMETIC_H_

#include "kws/runtime/kernels/loops/cortex_m4/dsp.h"
#include "kws/runtime/kernels/loops/m0/m0.h"
#include "kws/runtime/kernels/loops/portable/arithmetic.h"
#include "kws/runtime/kernels/loops/processor.h"

namespace kws {

#if KWS_HAVE_DSP
using dsp::RoundingHighMulOfSmall;
using dsp::RoundingHighWord;
using dsp::SaturateToInt8;
using portable::RoundingHighMul;
#elif KWS_HAVE_M0
using m0::RoundingHighMul;
using m0::RoundingHighMulOfSmall;
using m0::RoundingHighWord;
using portable::SaturateToInt8;
#else
using portable::RoundingHighMul;
using portable::RoundingHighMulOfSmall;
using portable::RoundingHighWord;
using portable::SaturateToInt8;
#endif

}  // namespace kws

#endif  // KWS_RUNTIME_KERNELS_LOOPS_ARITHMETIC_H_
