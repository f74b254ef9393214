// SPDX-License-Identifier: Apache-2.0
// ESP-IDF's I2S driver, as far as a microphone in standard mode needs it; types of the ESP32-S3.
#ifndef KWS_TEST_I2S_STD_H_
#define KWS_TEST_I2S_STD_H_

#include <cstddef>
#include <cstdint>

#include "esp_err.h"

extern "C" {

typedef struct i2s_channel_obj_t* i2s_chan_handle_t;
typedef enum { GPIO_NUM_NC = -1, GPIO_NUM_0 = 0, GPIO_NUM_MAX = 49 } gpio_num_t;
typedef enum { I2S_NUM_0 = 0, I2S_NUM_1 = 1, I2S_NUM_AUTO = 2 } i2s_port_t;
typedef enum { I2S_ROLE_MASTER, I2S_ROLE_SLAVE } i2s_role_t;
typedef enum { I2S_DATA_BIT_WIDTH_16BIT = 16, I2S_DATA_BIT_WIDTH_24BIT = 24,
               I2S_DATA_BIT_WIDTH_32BIT = 32 } i2s_data_bit_width_t;
typedef enum { I2S_SLOT_BIT_WIDTH_AUTO = 0 } i2s_slot_bit_width_t;
typedef enum { I2S_SLOT_MODE_MONO = 1, I2S_SLOT_MODE_STEREO = 2 } i2s_slot_mode_t;
typedef enum { I2S_STD_SLOT_LEFT = 1, I2S_STD_SLOT_RIGHT = 2, I2S_STD_SLOT_BOTH = 3 }
    i2s_std_slot_mask_t;
typedef enum { I2S_CLK_SRC_DEFAULT } i2s_clock_src_t;
typedef enum { I2S_MCLK_MULTIPLE_256 = 256 } i2s_mclk_multiple_t;

typedef struct {
  int id;
  i2s_role_t role;
  uint32_t dma_desc_num;
  uint32_t dma_frame_num;
} i2s_chan_config_t;

typedef struct {
  uint32_t sample_rate_hz;
  i2s_clock_src_t clk_src;
  uint32_t ext_clk_freq_hz;
  i2s_mclk_multiple_t mclk_multiple;
  uint32_t bclk_div;
} i2s_std_clk_config_t;

typedef struct {
  i2s_data_bit_width_t data_bit_width;
  i2s_slot_bit_width_t slot_bit_width;
  i2s_slot_mode_t slot_mode;
  i2s_std_slot_mask_t slot_mask;
  uint32_t ws_width;
  bool ws_pol;
  bool bit_shift;
  bool left_align;
  bool big_endian;
  bool bit_order_lsb;
} i2s_std_slot_config_t;

typedef struct {
  gpio_num_t mclk;
  gpio_num_t bclk;
  gpio_num_t ws;
  gpio_num_t dout;
  gpio_num_t din;
  struct {
    uint32_t mclk_inv : 1;
    uint32_t bclk_inv : 1;
    uint32_t ws_inv : 1;
  } invert_flags;
} i2s_std_gpio_config_t;

typedef struct {
  i2s_std_clk_config_t clk_cfg;
  i2s_std_slot_config_t slot_cfg;
  i2s_std_gpio_config_t gpio_cfg;
} i2s_std_config_t;

typedef struct {
  void* dma_buf;
  size_t size;
} i2s_event_data_t;

typedef bool (*i2s_isr_callback_t)(i2s_chan_handle_t, i2s_event_data_t*, void*);

typedef struct {
  i2s_isr_callback_t on_recv;
  i2s_isr_callback_t on_recv_q_ovf;
  i2s_isr_callback_t on_sent;
  i2s_isr_callback_t on_send_q_ovf;
} i2s_event_callbacks_t;

esp_err_t i2s_new_channel(const i2s_chan_config_t* config, i2s_chan_handle_t* tx,
                          i2s_chan_handle_t* rx);
esp_err_t i2s_channel_init_std_mode(i2s_chan_handle_t handle, const i2s_std_config_t* config);
esp_err_t i2s_channel_register_event_callback(i2s_chan_handle_t handle,
                                              const i2s_event_callbacks_t* callbacks, void* data);
esp_err_t i2s_channel_enable(i2s_chan_handle_t handle);
esp_err_t i2s_channel_read(i2s_chan_handle_t handle, void* dest, size_t size, size_t* bytes_read,
                           uint32_t timeout_ms);
}

#define I2S_GPIO_UNUSED GPIO_NUM_NC
#define I2S_CHANNEL_DEFAULT_CONFIG(port, is_role) {port, is_role, 6, 240}
#define I2S_STD_CLK_DEFAULT_CONFIG(rate) {rate, I2S_CLK_SRC_DEFAULT, 0, I2S_MCLK_MULTIPLE_256, 8}
// As on the chip, mono mode has no slot until the program selects one.
#define I2S_STD_PHILIPS_SLOT_DEFAULT_CONFIG(bits, mode)                             \
  {bits, I2S_SLOT_BIT_WIDTH_AUTO, mode, I2S_STD_SLOT_BOTH, bits, false, true, true, \
   false, false}

#endif  // KWS_TEST_I2S_STD_H_
