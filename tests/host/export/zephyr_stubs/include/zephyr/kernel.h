// SPDX-License-Identifier: Apache-2.0
// Memory slabs of Zephyr 3.5 and later. Misuse ends the program.
#ifndef KWS_TEST_ZEPHYR_KERNEL_H_
#define KWS_TEST_ZEPHYR_KERNEL_H_

#include <cstddef>
#include <cstdint>

struct k_mem_slab {
  k_mem_slab(char* memory, size_t size, unsigned number, bool* used)
      : buffer(memory), block_size(size), num_blocks(number), taken(used) {}

  char* buffer;
  size_t block_size;
  unsigned num_blocks;
  bool* taken;
};

void* AllocateBlock(k_mem_slab* slab);  // for drivers: null if all blocks are in use
void k_mem_slab_free(k_mem_slab* slab, void* block);

#define K_MEM_SLAB_DEFINE_STATIC(name, size, number, alignment)                     \
  alignas(alignment) static char name##_memory[(size) * (number)];                  \
  static bool name##_taken[number];                                                 \
  static_assert((size) % (alignment) == 0, "a block is a multiple of its alignment"); \
  static k_mem_slab name(name##_memory, size, number, name##_taken)

#endif  // KWS_TEST_ZEPHYR_KERNEL_H_
