# SPDX-License-Identifier: Apache-2.0
"""An Arduino library with a sketch for boards with a PDM microphone."""

from __future__ import annotations

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
        **{f"src/{path}": text for path, text in sources.items()},
        "examples/PrintWords/PrintWords.ino": _sketch(name),
    }


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


def _sketch(name: str) -> str:
    return f"""\
// Prints the words that it hears.
#include <PDM.h>
#include <kws_{name}.h>

alignas(16) static uint8_t memory[kws::bundle_{name}_bytes];
static kws::Spotter spotter(kws::bundle_{name}, memory, sizeof(memory));

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

static void OnWord(const kws::Detection& hit) {{
  Serial.print(spotter.label(hit.label));
  Serial.print(" ");
  Serial.println(hit.score);
}}

static void Stop(const char* reason) {{
  for (;;) {{
    Serial.println(reason);
    delay(1000);
  }}
}}

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


def _readme(bundle: Bundle, library: str, name: str) -> str:
    words = ", ".join(f"*{word}*" for word in bundle.keywords)
    return f"""\
# {library}

Hears {words}: an Arduino library with a model that kws trained.

Copy this folder into `libraries/` of your sketchbook (or: Sketch > Include Library > Add .ZIP
Library), then open File > Examples > {library}. The sketch prints each word with its score, 0 to
255. `src/kws/spotter.h` explains the functions; the model is `kws::bundle_{name}`.

The sketch is for boards whose core has the library PDM: Arduino Nano 33 BLE Sense (both revisions),
Nano RP2040 Connect, Feather Sense, and Seeed XIAO nRF52840 Sense with Seeed's mbed-enabled core. It
was compiled with three of these cores, not run on a board. For another microphone, replace the
lines with `PDM`: `spotter.Push` takes 16 kHz mono samples.
"""
