# SPDX-License-Identifier: Apache-2.0
"""An Arduino library with sketches for PDM and I2S microphones."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kws import __version__
from kws.bundle.bundle import Bundle
from kws.bundle.library import identifier, library_sources
from kws.host.export.core_files import bundle_texts, core_files

NEXT = (
    "copy the folder into the libraries folder of your sketchbook, then open File > Examples > "
    "{library}"
)


def files(bundle: Bundle) -> dict[str, str]:
    """The library's files by path."""
    name = identifier(bundle)
    library = library_name(bundle)
    sources = {**core_files(fast=True), **library_sources(bundle)}
    return {
        "library.properties": properties(
            library,
            f"Hears: {', '.join(bundle.keywords)}.",
            "Recognizes spoken words on the microcontroller, without a network.",
            f"kws_{name}.h",
        ),
        "keywords.txt": _KEYWORDS,
        "README.md": _readme(bundle, library, name),
        **bundle_texts(bundle),
        **{f"src/{path}": text for path, text in cpp_files(sources).items()},
        "examples/PrintWords/PrintWords.ino": _pdm_sketch(name),
        "examples/PrintWordsESP32/PrintWordsESP32.ino": _esp32_sketch(name),
        "examples/PrintWordsPico/PrintWordsPico.ino": _pico_sketch(name),
    }


def cpp_files(sources: Mapping[str, str]) -> dict[str, str]:
    """The same files, with names that end in .cpp instead of .cc.

    Version 1 of Arduino's IDE and Arduino CLI before 0.35 do not compile files that end in .cc.
    """
    return {re.sub(r"\.cc$", ".cpp", path): text for path, text in sources.items()}


def library_name(bundle: Bundle) -> str:
    """The library's folder and name."""
    return f"kws_{identifier(bundle)}"


def properties(name: str, sentence: str, paragraph: str, header: str) -> str:
    """Text of library.properties."""
    return f"""\
name={name}
version={__version__}
author=kws
maintainer=kws
sentence={sentence}
paragraph={paragraph}
category=Signal Input/Output
url=https://docs.arduino.cc/libraries/
architectures=*
license=Apache-2.0
includes={header}
"""


# Arduino's editor wants a tab between a word and its kind.
_KEYWORDS = "\n".join(
    f"{word}\t{kind}"
    for word, kind in (
        ("Spotter", "KEYWORD1"),
        ("Detection", "KEYWORD1"),
        ("Start", "KEYWORD2"),
        ("Push", "KEYWORD2"),
        ("Reset", "KEYWORD2"),
        ("label", "KEYWORD2"),
        ("SetThreshold", "KEYWORD2"),
        ("MeanScore", "KEYWORD2"),
    )
) + "\n"  # fmt: skip


def _pdm_sketch(name: str) -> str:
    return f"""\
// Prints the words that it hears: a board with a PDM microphone.
#include <PDM.h>
{_spotter(name)}
// Samples from the interrupt to loop(): 0.26 s, longer than an inference.
static const unsigned kRing = 4096;
static const unsigned kBlock = 256;
static int16_t ring[kRing];
static volatile unsigned written = 0;
static unsigned taken = 0;

static void OnSamples() {{
  int16_t block[kBlock];
  const int bytes = PDM.read(block, sizeof(block));
  for (int i = 0; i < bytes / 2; ++i) ring[(written + i) % kRing] = block[i];
  written = written + bytes / 2;
}}
{_PRINTING}
void setup() {{
  Serial.begin(115200);
  if (spotter.Start() != kws::Status::kOk) Stop(kws::StatusMessage(spotter.status()));
  PDM.onReceive(OnSamples);
  PDM.setBufferSize(2 * kBlock);
  if (!PDM.begin(1, kws::Spotter::kSampleRate)) Stop("the microphone did not start");
}}

void loop() {{
  const unsigned ready = written - taken;
  if (ready > kRing) {{
    Serial.println("samples were lost");
    taken = written;
    return;
  }}
  const unsigned first = taken % kRing;
  const unsigned count = first + ready <= kRing ? ready : kRing - first;
  spotter.Push(ring + first, count, OnWord);
  taken += count;
}}
"""


def _esp32_sketch(name: str) -> str:
    return f"""\
// Prints the words that it hears: an ESP32 with an I2S microphone such as the INMP441.
#include <ESP_I2S.h>
{_spotter(name)}
static I2SClass microphone;
static const int kSck = 4, kWs = 5, kSd = 6;  // the microphone's pins; L/R is at GND
{I2S_SAMPLE}{_PRINTING}
void setup() {{
  Serial.begin(115200);
  if (spotter.Start() != kws::Status::kOk) Stop(kws::StatusMessage(spotter.status()));
  microphone.setPins(kSck, kWs, -1, kSd);
  if (!microphone.begin(I2S_MODE_STD, kws::Spotter::kSampleRate, I2S_DATA_BIT_WIDTH_32BIT,
                        I2S_SLOT_MODE_MONO, I2S_STD_SLOT_LEFT)) {{
    Stop("the microphone did not start");
  }}
}}

void loop() {{
  static int32_t slots[320];
  static int16_t samples[320];
  const size_t bytes = microphone.readBytes(reinterpret_cast<char*>(slots), sizeof(slots));
  const size_t count = bytes / sizeof(slots[0]);
  for (size_t i = 0; i < count; ++i) samples[i] = SampleOf(slots[i]);
  spotter.Push(samples, count, OnWord);
}}
"""


def _pico_sketch(name: str) -> str:
    return f"""\
// Prints the words that it hears: a Raspberry Pi Pico with an I2S microphone such as the INMP441.
#include <I2S.h>
{_spotter(name)}
static I2S microphone(INPUT);
static const int kSck = 26, kSd = 28;  // the microphone's pins; WS is at 27, L/R at GND
{I2S_SAMPLE}{_PRINTING}
void setup() {{
  Serial.begin(115200);
  if (spotter.Start() != kws::Status::kOk) Stop(kws::StatusMessage(spotter.status()));
  microphone.setBCLK(kSck);
  microphone.setDATA(kSd);
  microphone.setBitsPerSample(32);
  microphone.setBuffers(32, 256);  // 0.26 s of two slots, longer than an inference
  if (!microphone.begin(kws::Spotter::kSampleRate)) Stop("the microphone did not start");
}}

void loop() {{
  static int16_t samples[320];
  for (int16_t& sample : samples) {{
    int32_t left, right;
    microphone.read32(&left, &right);
    sample = SampleOf(left);
  }}
  if (microphone.getOverflow()) Serial.println("samples were lost");
  spotter.Push(samples, 320, OnWord);
}}
"""


def _spotter(name: str) -> str:
    return f"""\
#include <kws_{name}.h>

alignas(16) static uint8_t memory[kws::bundle_{name}_bytes];
static kws::Spotter spotter(kws::bundle_{name}, memory, sizeof(memory));
"""


I2S_SAMPLE = """
// The microphone's 24 bits are the upper ones of a slot of 32, with 94 dB SPL at -26 dB of full
// scale. 16 is the shift without amplification; each step lower is 6 dB louder. At 13, 94 dB SPL
// is at -8 dB, and a tone above 102 dB SPL is clipped.
static const int kShift = 13;

static int16_t SampleOf(int32_t slot) {
  const int32_t value = slot >> kShift;
  return value > INT16_MAX ? INT16_MAX : value < INT16_MIN ? INT16_MIN : int16_t(value);
}
"""
"""A sample from a slot of an I2S microphone, in C++; ESP-IDF's example has it, too."""

_PRINTING = """
static void OnWord(const kws::Detection& hit) {
  Serial.print(spotter.label(hit.label));
  Serial.print(" ");
  Serial.println(hit.score);
}

static void Stop(const char* reason) {
  for (;;) {
    Serial.println(reason);
    delay(1000);
  }
}
"""


def _readme(bundle: Bundle, library: str, name: str) -> str:
    words = ", ".join(f"*{word}*" for word in bundle.keywords)
    return f"""\
# {library}

Hears {words}: an Arduino library with a model that kws trained.

Copy this folder into `libraries/` of your sketchbook (or: Sketch > Include Library > Add .ZIP
Library), then open File > Examples > {library}. The sketches print each word with its score, 0 to
255. `src/kws/spotter.h` explains the functions; the model is `kws::bundle_{name}`.

- `PrintWords`: boards with a PDM microphone whose core has the library PDM. Arduino Nano 33 BLE
  Sense (both revisions), Nano RP2040 Connect, Feather Sense, and Seeed XIAO nRF52840 Sense with
  Seeed's mbed-enabled core.
- `PrintWordsESP32`: ESP32 with Espressif's core 3.x, and an I2S microphone such as the INMP441. The
  pins are free on the ESP32-S3; on the first ESP32, change them: its GPIO 6 belongs to the flash.
- `PrintWordsPico`: Raspberry Pi Pico and Pico 2 with the core arduino-pico, and such a microphone.

If an I2S microphone misses words from afar, lower `kShift` in the sketch; if sound is clipped,
raise it. For any other microphone, change a sketch's reading: `spotter.Push` takes 16 kHz mono
samples. The sketches were tested on a PC and with headers of these cores, not on a board.
"""
