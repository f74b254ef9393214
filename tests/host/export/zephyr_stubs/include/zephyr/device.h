// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_TEST_ZEPHYR_DEVICE_H_
#define KWS_TEST_ZEPHYR_DEVICE_H_

struct device {
  const char* name;
};

bool device_is_ready(const device* dev);

#endif  // KWS_TEST_ZEPHYR_DEVICE_H_
