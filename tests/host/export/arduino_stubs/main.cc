// SPDX-License-Identifier: Apache-2.0
#include "Arduino.h"
#include "PDM.h"

SerialPort Serial;
PdmMicrophone PDM;

void setup();
void loop();

// loop() runs more often than samples come.
int main() {
  setup();
  while (PDM.Deliver()) {
    for (int i = 0; i < 3; ++i) loop();
  }
}
