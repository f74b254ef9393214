# SPDX-License-Identifier: Apache-2.0
"""A PlatformIO library."""

from __future__ import annotations

import json

from kws import __version__
from kws.bundle.bundle import Bundle
from kws.bundle.library import identifier
from kws.host.export import arduino

NEXT = "copy the folder into lib/ of your project, and include kws_{name}.h"


def files(bundle: Bundle) -> dict[str, str]:
    """The library's files by path: those of the Arduino library, with PlatformIO's manifest."""
    own = arduino.files(bundle)
    for name in ("library.properties", "keywords.txt"):
        del own[name]
    name = identifier(bundle)
    words = ", ".join(bundle.keywords)
    manifest = {
        "name": f"kws_{name}",
        "version": __version__,
        "description": f"Hears: {words}. Recognizes spoken words without a network.",
        "keywords": "keyword spotting, speech, microphone",
        "license": "Apache-2.0",
        "frameworks": "*",
        "platforms": "*",
        "headers": f"kws_{name}.h",
        "build": {"srcDir": "src", "includeDir": "src"},
    }
    own["library.json"] = json.dumps(manifest, indent=2) + "\n"
    own["README.md"] = f"""\
# kws_{name}

Hears {words}: a PlatformIO library with a model that kws trained.

Copy this folder into `lib/` of your project and include `kws_{name}.h`. `src/kws/spotter.h` (C++11)
and `src/kws/kws_c.h` (C) explain the functions; headers in subfolders of `src/kws/` are internal.
`examples/` has whole programs for the Arduino framework: `PrintWords` for boards with the library
PDM, such as the Nano 33 BLE Sense, `PrintWordsESP32` (core 3.x) and `PrintWordsPico` (core
arduino-pico) for an I2S microphone such as the INMP441.
"""
    return own
