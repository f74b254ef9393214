// SPDX-License-Identifier: Apache-2.0
// The I2S library of Espressif's core 3.x for the host, as far as a microphone needs it.
#ifndef KWS_TEST_ESP_I2S_H_
#define KWS_TEST_ESP_I2S_H_

#include "slots.h"

typedef enum { I2S_MODE_STD, I2S_MODE_TDM, I2S_MODE_PDM_TX, I2S_MODE_PDM_RX } i2s_mode_t;
typedef enum { I2S_DATA_BIT_WIDTH_16BIT = 16, I2S_DATA_BIT_WIDTH_32BIT = 32 } i2s_data_bit_width_t;
typedef enum { I2S_SLOT_MODE_MONO = 1, I2S_SLOT_MODE_STEREO = 2 } i2s_slot_mode_t;
typedef enum { I2S_STD_SLOT_LEFT = 1, I2S_STD_SLOT_RIGHT = 2 } i2s_std_slot_mask_t;

class I2SClass {
 public:
  void setPins(int8_t bclk, int8_t ws, int8_t dout, int8_t din = -1, int8_t mclk = -1) {
    Demand(bclk >= 0 && ws >= 0 && din >= 0 && bclk != ws && bclk != din && ws != din, "pins");
    Demand(dout == -1 && mclk == -1, "too many pins");
    pins_ = true;
  }
  bool begin(i2s_mode_t mode, uint32_t rate, i2s_data_bit_width_t bits, i2s_slot_mode_t slots,
             int8_t slot_mask = -1) {
    Demand(pins_ && !running_, "no pins, or begun twice");
    Demand(mode == I2S_MODE_STD, "not standard mode");
    Demand(rate == 16000, "not 16 kHz");
    Demand(bits == I2S_DATA_BIT_WIDTH_32BIT, "not 32 bits");
    Demand(slots == I2S_SLOT_MODE_MONO && slot_mask == I2S_STD_SLOT_LEFT, "not left");
    running_ = true;
    return true;
  }
  size_t readBytes(char* buffer, size_t size) {
    Demand(running_, "read too early");
    Demand(size > 0 && size % sizeof(int32_t) == 0, "not whole slots");
    int32_t* slots = reinterpret_cast<int32_t*>(buffer);
    for (size_t i = 0; i < size / sizeof(int32_t); ++i) slots[i] = NextSlot();
    return size;
  }

 private:
  bool pins_ = false;
  bool running_ = false;
};

#endif  // KWS_TEST_ESP_I2S_H_
