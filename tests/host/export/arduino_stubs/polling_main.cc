// SPDX-License-Identifier: Apache-2.0
// The main program of sketches that wait for samples in loop().
#include "Arduino.h"

SerialPort Serial;

int main() {
  setup();
  for (;;) loop();
}
