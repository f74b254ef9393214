// SPDX-License-Identifier: Apache-2.0
// The frontend on the emulated board, for tests/features/test_frontend_emulated.py, which builds
// and runs it; KWS_KEEP_NOISE is 0 or 1. Reads PSRAM as the firmware does (a uint32 count of
// samples, then int16 samples). Writes a line of 80 hexadecimal digits per frame, and a line on the
// tested arithmetic.
#include <cstdint>

#include "boards/board.h"
#include "boards/qemu/mps2_an386.h"
#include "core/frontend/complex16_check.h"
#include "kws/frontend/channel_steps.h"
#include "kws/frontend/frontend.h"
#include "kws/frontend/loops/root.h"

namespace kws {
namespace {

Frontend g_frontend(KWS_KEEP_NOISE);

void WriteHex(uint8_t byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  const char digits[2] = {kDigits[byte >> 4], kDigits[byte & 15]};
  board::Write(digits, sizeof(digits));
}

template <size_t size>
void WriteLine(const char (&text)[size]) {
  board::Write(text, size - 1);
  board::Write("\n", 1);
}

void WriteFeatures() {
  const uint32_t samples = board::Register(board::kPsram);
  const auto* pcm = reinterpret_cast<const int16_t*>(board::kPsram + 4);
  for (uint32_t start = 0; start + Frontend::kWindowSamples <= samples;
       start += Frontend::kStrideSamples) {
    int8_t features[Frontend::kChannels];
    g_frontend.ProcessFrame(pcm + start, features);
    for (int8_t feature : features) WriteHex(static_cast<uint8_t>(feature));
    board::Write("\n", 1);
  }
}

bool RootIsRight(uint64_t x) {
  const uint64_t root = frontend::RoundedSqrt(x);
  if (x == 0) return root == 0;
  if (x < (uint64_t{1} << 32) && root == 0xFFFF) return x > root * (root - 1);
  return root * (root - 1) < x && x <= root * (root + 1) && !(x >> 32 == 0 && root > 0xFFFF);
}

// The FPU's root is approximate: check all values near a change, at every size.
bool RootsAreRight() {
  for (uint64_t x = 0; x < 20000; ++x) {
    if (!RootIsRight(x)) return false;
  }
  for (uint64_t root = 2; root < (1u << 24); root += 1 + root / 500) {
    for (uint64_t x = root * (root - 1) - 2; x <= root * (root - 1) + 2; ++x) {
      if (!RootIsRight(x)) return false;
    }
    if (!RootIsRight(root * root) || !RootIsRight(root * root - 1)) return false;
  }
  return RootIsRight((uint64_t{1} << 32) - 1) && RootIsRight((uint64_t{1} << 48) - 1);
}

}  // namespace
}  // namespace kws

int main() {
  kws::board::Init();
  kws::WriteFeatures();
  if (!kws::RootsAreRight()) {
    kws::WriteLine("error: a root is wrong");
  } else if (kws::test::WrongComplexFunction(2000) != nullptr) {
    kws::WriteLine("error: a complex function is wrong");
  } else {
    kws::WriteLine("arithmetic is right");
  }
  kws::board::Exit();
}
