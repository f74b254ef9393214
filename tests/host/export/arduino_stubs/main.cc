// SPDX-License-Identifier: Apache-2.0
#include "Arduino.h"

SerialPort Serial;
bool (*interrupt)() = nullptr;

// loop() runs more often than samples come.
int main() {
  setup();
  if (interrupt == nullptr) return 5;
  while (interrupt()) {
    for (int i = 0; i < 3; ++i) loop();
  }
}
