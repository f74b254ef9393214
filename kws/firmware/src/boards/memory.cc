// The functions of the C library that the compiler calls by itself, for size: the library's are
// unrolled to three times as much code. The core copies some kilobytes a second.
#include <cstddef>
#include <cstdint>

extern "C" {

// Words as long as there are four bytes; the core loads and stores unaligned words as well.
void* memcpy(void* to, const void* from, size_t size) {
  using Word = uint32_t __attribute__((aligned(1), may_alias));
  uint8_t* target = static_cast<uint8_t*>(to);
  const uint8_t* source = static_cast<const uint8_t*>(from);
  for (; size >= sizeof(Word); size -= sizeof(Word)) {
    *reinterpret_cast<Word*>(target) = *reinterpret_cast<const Word*>(source);
    target += sizeof(Word);
    source += sizeof(Word);
  }
  for (; size > 0; --size) *target++ = *source++;
  return to;
}

void* memset(void* to, int value, size_t size) {
  using Word = uint32_t __attribute__((aligned(1), may_alias));
  uint8_t* target = static_cast<uint8_t*>(to);
  const uint32_t pattern = static_cast<uint8_t>(value) * 0x01010101u;
  for (; size >= sizeof(Word); size -= sizeof(Word)) {
    *reinterpret_cast<Word*>(target) = pattern;
    target += sizeof(Word);
  }
  for (; size > 0; --size) *target++ = static_cast<uint8_t>(value);
  return to;
}

}  // extern "C"
