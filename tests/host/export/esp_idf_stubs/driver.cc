// SPDX-License-Identifier: Apache-2.0
// ESP-IDF's functions for the host, and main. The microphone is an INMP441 that sends the slots on
// stdin; the program exits at their end. If the environment has LOSE, the first read is too late.
#include "driver/i2s_std.h"
#include "sdkconfig.h"

extern "C" void app_main();

struct i2s_channel_obj_t {
  enum { kNew, kReady, kRunning } state;
  i2s_isr_callback_t on_overflow;
};

namespace {

i2s_channel_obj_t channel;
bool channel_made = false;

void Demand(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "stub: %s\n", what);
  std::exit(4);
}

}  // namespace

extern "C" {

esp_err_t i2s_new_channel(const i2s_chan_config_t* config, i2s_chan_handle_t* tx,
                          i2s_chan_handle_t* rx) {
  Demand(config->id == I2S_NUM_AUTO && config->role == I2S_ROLE_MASTER, "not the master");
  Demand(tx == nullptr && rx != nullptr, "not a receiver alone");
  // A DMA buffer has at most 4092 bytes; all together hold more than an inference's time.
  Demand(config->dma_frame_num * sizeof(int32_t) <= 4092, "a DMA buffer is too long");
  Demand(config->dma_desc_num * config->dma_frame_num >= 16000 / 5, "buffers of less than 0.2 s");
  Demand(!channel_made, "two channels");
  channel_made = true;
  *rx = &channel;
  return ESP_OK;
}

esp_err_t i2s_channel_init_std_mode(i2s_chan_handle_t handle, const i2s_std_config_t* config) {
  Demand(handle == &channel && handle->state == i2s_channel_obj_t::kNew, "initialized twice");
  Demand(config->clk_cfg.sample_rate_hz == 16000, "not 16 kHz");
  const i2s_std_slot_config_t& slot = config->slot_cfg;
  Demand(slot.data_bit_width == I2S_DATA_BIT_WIDTH_32BIT, "not 32 bits");
  Demand(slot.slot_mode == I2S_SLOT_MODE_MONO && slot.slot_mask == I2S_STD_SLOT_LEFT, "not left");
  Demand(slot.bit_shift && !slot.ws_pol && slot.ws_width == 32, "not Philips' format");
  const i2s_std_gpio_config_t& pins = config->gpio_cfg;
  Demand(pins.bclk == CONFIG_HEAR_BCLK && pins.ws == CONFIG_HEAR_WS, "not the clocks' pins");
  Demand(pins.din == CONFIG_HEAR_DIN, "not the data's pin");
  Demand(pins.mclk == I2S_GPIO_UNUSED && pins.dout == I2S_GPIO_UNUSED, "too many pins");
  handle->state = i2s_channel_obj_t::kReady;
  return ESP_OK;
}

esp_err_t i2s_channel_register_event_callback(i2s_chan_handle_t handle,
                                              const i2s_event_callbacks_t* callbacks, void*) {
  Demand(handle == &channel && handle->state != i2s_channel_obj_t::kRunning, "registered late");
  handle->on_overflow = callbacks->on_recv_q_ovf;
  return ESP_OK;
}

esp_err_t i2s_channel_enable(i2s_chan_handle_t handle) {
  Demand(handle == &channel && handle->state == i2s_channel_obj_t::kReady, "enabled too early");
  handle->state = i2s_channel_obj_t::kRunning;
  return ESP_OK;
}

esp_err_t i2s_channel_read(i2s_chan_handle_t handle, void* dest, size_t size, size_t* bytes_read,
                           uint32_t timeout_ms) {
  Demand(handle == &channel && handle->state == i2s_channel_obj_t::kRunning, "read too early");
  Demand(timeout_ms > 0 && size > 0 && size % sizeof(int32_t) == 0, "not whole slots");
  static bool lose = std::getenv("LOSE") != nullptr;
  if (lose) {
    i2s_event_data_t event = {nullptr, size};
    Demand(handle->on_overflow != nullptr, "no callback");
    handle->on_overflow(handle, &event, nullptr);
    lose = false;
  }
  *bytes_read = std::fread(dest, 1, size, stdin);
  if (*bytes_read == 0) std::exit(0);
  return ESP_OK;
}
}

int main() { app_main(); }
