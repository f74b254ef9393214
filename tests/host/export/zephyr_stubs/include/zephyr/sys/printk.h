// SPDX-License-Identifier: Apache-2.0
#ifndef KWS_TEST_ZEPHYR_PRINTK_H_
#define KWS_TEST_ZEPHYR_PRINTK_H_

__attribute__((format(printf, 1, 2))) void printk(const char* format, ...);

#endif  // KWS_TEST_ZEPHYR_PRINTK_H_
