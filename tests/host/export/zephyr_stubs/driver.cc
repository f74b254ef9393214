// SPDX-License-Identifier: Apache-2.0
// Zephyr's functions for the host. The microphone behaves like Nordic's driver: it keeps two blocks
// to fill, and stops if there is no third. It delivers the samples on stdin; the program exits at
// their end. If the environment has LOSE, it stops once as if the program were late.
#include <zephyr/audio/dmic.h>
#include <zephyr/devicetree.h>
#include <zephyr/sys/printk.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

const device node_dmic_dev = {"pdm@4001d000"};

namespace {

bool lose = std::getenv("LOSE") != nullptr;
enum class State { kUnknown, kReady, kConfigured, kStarted } state = State::kUnknown;
k_mem_slab* slab = nullptr;
size_t block_bytes = 0;
void* filling[2];

void Demand(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "stub: %s\n", what);
  std::exit(4);
}

}  // namespace

void* AllocateBlock(k_mem_slab* from) {
  for (unsigned i = 0; i < from->num_blocks; ++i) {
    if (from->taken[i]) continue;
    from->taken[i] = true;
    return from->buffer + i * from->block_size;
  }
  return nullptr;
}

void k_mem_slab_free(k_mem_slab* from, void* block) {
  const size_t offset = static_cast<size_t>(static_cast<char*>(block) - from->buffer);
  const size_t index = offset / from->block_size;
  Demand(offset % from->block_size == 0 && index < from->num_blocks, "not a block of the slab");
  Demand(from->taken[index], "a block is freed twice");
  std::memset(block, 0x55, from->block_size);
  from->taken[index] = false;
}

void printk(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
}

bool device_is_ready(const device* dev) {
  Demand(dev == &node_dmic_dev, "another device");
  state = State::kReady;
  return true;
}

uint32_t dmic_build_channel_map(uint8_t channel, uint8_t pdm, pdm_lr lr) {
  return (uint32_t{pdm} << 1 | uint32_t{lr}) << (channel * 4U);
}

int dmic_configure(const device* dev, dmic_cfg* cfg) {
  Demand(dev == &node_dmic_dev && state == State::kReady, "configured before device_is_ready");
  const pcm_stream_cfg& stream = cfg->streams[0];
  Demand(stream.pcm_rate == 16000, "not 16 kHz");
  Demand(stream.pcm_width == 16, "not 16 bits");
  Demand(cfg->channel.req_num_chan == 1 && cfg->channel.req_num_streams == 1, "not one channel");
  Demand(cfg->channel.req_chan_map_lo == 0 && cfg->channel.req_chan_map_hi == 0, "not left");
  Demand(cfg->io.min_pdm_clk_freq <= 1032000 && cfg->io.max_pdm_clk_freq >= 1280000, "clock");
  Demand(cfg->io.min_pdm_clk_dc < 50 && cfg->io.max_pdm_clk_dc > 50, "duty cycle");
  Demand(stream.mem_slab != nullptr && stream.block_size <= stream.mem_slab->block_size,
         "a block does not fit into the slab's");
  Demand(stream.block_size > 0 && stream.block_size % 4 == 0, "a block is not whole words");
  // Two are being filled, four wait in the queue, the program has one.
  Demand(stream.mem_slab->num_blocks >= 7, "too few blocks");
  slab = stream.mem_slab;
  block_bytes = stream.block_size;
  state = State::kConfigured;
  return 0;
}

int dmic_trigger(const device* dev, enum dmic_trigger cmd) {
  Demand(dev == &node_dmic_dev && cmd == DMIC_TRIGGER_START, "not started");
  Demand(state == State::kConfigured, "started twice, or not configured");
  for (void*& block : filling) {
    block = AllocateBlock(slab);
    Demand(block != nullptr, "no block is free at the start");
  }
  state = State::kStarted;
  return 0;
}

int dmic_read(const device* dev, uint8_t stream, void** buffer, size_t* size, int32_t timeout) {
  Demand(dev == &node_dmic_dev && stream == 0, "another stream");
  Demand(timeout > 0, "does not wait");
  if (state != State::kStarted) return -11;
  void* next = AllocateBlock(slab);
  Demand(next != nullptr, "blocks are not freed");
  if (lose) {
    k_mem_slab_free(slab, next);
    for (void* block : filling) k_mem_slab_free(slab, block);
    lose = false;
    state = State::kConfigured;
    return -11;
  }
  const size_t bytes = std::fread(filling[0], 1, block_bytes, stdin);
  if (bytes == 0) std::exit(0);
  *buffer = filling[0];
  *size = bytes;
  filling[0] = filling[1];
  filling[1] = next;
  return 0;
}
