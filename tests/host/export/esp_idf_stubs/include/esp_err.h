// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_TEST_ESP_ERR_H_
#define KWS_TEST_ESP_ERR_H_

#include <cstdio>
#include <cstdlib>

typedef int esp_err_t;

#define ESP_OK 0
#define ESP_ERROR_CHECK(call)                               \
  do {                                                      \
    if ((call) != ESP_OK) {                                 \
      std::fprintf(stderr, "ESP_ERROR_CHECK: %s\n", #call); \
      std::exit(5);                                         \
    }                                                       \
  } while (0)

#endif  // KWS_TEST_ESP_ERR_H_
