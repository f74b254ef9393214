// SPDX-License-Identifier: Apache-2.0
// The parts of an Arduino core that a sketch needs, for the host: Serial prints to stdout.
#ifndef KWS_TEST_ARDUINO_H_
#define KWS_TEST_ARDUINO_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

class SerialPort {
 public:
  void begin(unsigned long) {}
  void print(const char* text) { std::printf("%s", text); }
  void println(const char* text) { std::printf("%s\n", text); }
  void println(int number) { std::printf("%d\n", number); }
};
extern SerialPort Serial;

// The sketch's functions.
void setup();
void loop();

// A peripheral's interrupt function, set by the peripheral; false at the end of its input.
extern bool (*interrupt)();

// A sketch waits only after an error.
inline void delay(unsigned long) { std::exit(3); }

#endif  // KWS_TEST_ARDUINO_H_
