// SPDX-License-Identifier: Apache-2.0
// A devicetree with one node, with the label dmic_dev.
#ifndef KWS_TEST_ZEPHYR_DEVICETREE_H_
#define KWS_TEST_ZEPHYR_DEVICETREE_H_

#include <zephyr/device.h>

extern const device node_dmic_dev;

#define DT_NODELABEL(label) node_##label
#define DEVICE_DT_GET(node) (&node)

#endif  // KWS_TEST_ZEPHYR_DEVICETREE_H_
