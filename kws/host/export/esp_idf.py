# SPDX-License-Identifier: Apache-2.0
"""An ESP-IDF component, and an example for boards with an I2S microphone."""

from __future__ import annotations

from kws import __version__
from kws.bundle.bundle import Bundle
from kws.bundle.library import identifier, library_sources
from kws.host.export.arduino import I2S_SAMPLE
from kws.host.export.core_files import bundle_texts, core_files

NEXT = (
    "idf.py -C {out}/examples/hear set-target esp32s3, then menuconfig for the pins, then build "
    "flash monitor"
)


def files(bundle: Bundle) -> dict[str, str]:
    """The component's files by path."""
    name = identifier(bundle)
    sources = {**core_files(), **library_sources(bundle)}
    return {
        "idf_component.yml": _manifest(bundle),
        "CMakeLists.txt": _CMAKE_LISTS,
        "README.md": _readme(bundle, name),
        **bundle_texts(bundle),
        **{f"src/{path}": text for path, text in sources.items()},
        "examples/hear/CMakeLists.txt": _PROJECT,
        "examples/hear/sdkconfig.defaults": "CONFIG_ESP_MAIN_TASK_STACK_SIZE=8192\n",
        "examples/hear/main/CMakeLists.txt": _MAIN_CMAKE_LISTS,
        "examples/hear/main/idf_component.yml": _main_manifest(name),
        "examples/hear/main/Kconfig.projbuild": _KCONFIG,
        "examples/hear/main/main.cc": _main(name),
    }


def _manifest(bundle: Bundle) -> str:
    return f"""\
version: "{__version__}"
description: "Keyword spotting: {", ".join(bundle.keywords)}"
license: Apache-2.0
dependencies:
  idf: ">=5.3"
"""


_CMAKE_LISTS = """\
set(src ${CMAKE_CURRENT_LIST_DIR}/src)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${src}/*.cc)
idf_component_register(SRCS ${sources} INCLUDE_DIRS src)

# These determine the speed, so they use -O2 even if the rest is compiled for size.
file(GLOB_RECURSE fast CONFIGURE_DEPENDS ${src}/kws/frontend/*.cc ${src}/kws/*_loops.cc)
set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS -O2)
"""

_PROJECT = """\
cmake_minimum_required(VERSION 3.16)

include($ENV{IDF_PATH}/tools/cmake/project.cmake)
project(hear)
"""

# idf_component.yml adds the library.
_MAIN_CMAKE_LISTS = """\
idf_component_register(SRCS main.cc PRIV_REQUIRES esp_driver_i2s)
"""


def _main_manifest(name: str) -> str:
    return f"""\
dependencies:
  kws_{name}:
    path: ../../..
"""


_KCONFIG = """\
menu "Microphone"

config HEAR_BCLK
    int "GPIO of the bit clock (SCK)"
    default 26 if IDF_TARGET_ESP32
    default 4

config HEAR_WS
    int "GPIO of the word select (WS)"
    default 25 if IDF_TARGET_ESP32
    default 5

config HEAR_DIN
    int "GPIO of the data (SD)"
    default 33 if IDF_TARGET_ESP32
    default 6

endmenu
"""


def _main(name: str) -> str:
    return f"""\
// Prints the words that it hears: an I2S microphone such as the INMP441.
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "driver/i2s_std.h"
#include "esp_err.h"
#include "kws_{name}.h"
#include "sdkconfig.h"

static const size_t kBlock = 320;  // samples: 20 ms

alignas(16) static uint8_t memory[kws::bundle_{name}_bytes];
static kws::Spotter spotter(kws::bundle_{name}, memory, sizeof(memory));
static volatile bool samples_were_lost = false;
{I2S_SAMPLE}
static void OnWord(const kws::Detection& hit) {{
  std::printf("%s %d @%" PRIu32 "\\n", spotter.label(hit.label), hit.score, hit.time_ms);
}}

// In an interrupt: the oldest samples were overwritten.
static bool OnOverflow(i2s_chan_handle_t, i2s_event_data_t*, void*) {{
  samples_were_lost = true;
  return false;
}}

static i2s_chan_handle_t StartMicrophone() {{
  // 0.24 s, longer than an inference.
  i2s_chan_config_t channel = I2S_CHANNEL_DEFAULT_CONFIG(I2S_NUM_AUTO, I2S_ROLE_MASTER);
  channel.dma_desc_num = 12;
  channel.dma_frame_num = kBlock;
  i2s_chan_handle_t microphone = nullptr;
  ESP_ERROR_CHECK(i2s_new_channel(&channel, nullptr, &microphone));

  const i2s_std_clk_config_t clock = I2S_STD_CLK_DEFAULT_CONFIG(kws::Spotter::kSampleRate);
  const i2s_std_slot_config_t slot =
      I2S_STD_PHILIPS_SLOT_DEFAULT_CONFIG(I2S_DATA_BIT_WIDTH_32BIT, I2S_SLOT_MODE_MONO);
  i2s_std_config_t config = {{}};
  config.clk_cfg = clock;
  config.slot_cfg = slot;
  config.slot_cfg.slot_mask = I2S_STD_SLOT_LEFT;  // the microphone's pin L/R is low
  config.gpio_cfg.mclk = I2S_GPIO_UNUSED;
  config.gpio_cfg.bclk = static_cast<gpio_num_t>(CONFIG_HEAR_BCLK);
  config.gpio_cfg.ws = static_cast<gpio_num_t>(CONFIG_HEAR_WS);
  config.gpio_cfg.dout = I2S_GPIO_UNUSED;
  config.gpio_cfg.din = static_cast<gpio_num_t>(CONFIG_HEAR_DIN);
  ESP_ERROR_CHECK(i2s_channel_init_std_mode(microphone, &config));

  i2s_event_callbacks_t callbacks = {{}};
  callbacks.on_recv_q_ovf = OnOverflow;
  ESP_ERROR_CHECK(i2s_channel_register_event_callback(microphone, &callbacks, nullptr));
  ESP_ERROR_CHECK(i2s_channel_enable(microphone));
  return microphone;
}}

extern "C" void app_main() {{
  if (spotter.Start() != kws::Status::kOk) {{
    std::printf("%s\\n", kws::StatusMessage(spotter.status()));
    return;
  }}
  const i2s_chan_handle_t microphone = StartMicrophone();
  for (;;) {{
    static int32_t slots[kBlock];
    static int16_t samples[kBlock];
    size_t bytes = 0;
    ESP_ERROR_CHECK(i2s_channel_read(microphone, slots, sizeof(slots), &bytes, 1000));
    if (samples_were_lost) {{
      samples_were_lost = false;
      std::printf("samples were lost\\n");
    }}
    const size_t count = bytes / sizeof(slots[0]);
    for (size_t i = 0; i < count; ++i) samples[i] = SampleOf(slots[i]);
    spotter.Push(samples, count, OnWord);
  }}
}}
"""


def _readme(bundle: Bundle, name: str) -> str:
    words = ", ".join(f"*{word}*" for word in bundle.keywords)
    return f"""\
# kws_{name}

Hears {words}: an ESP-IDF component with a model that kws trained, for ESP-IDF 5.3 or later. The
folder has to be called `kws_{name}`, as ESP-IDF names components after their folders.

## The example

`examples/hear` prints each word with its score, 0 to 255, and its time in ms. Connect an I2S
microphone such as the INMP441, with its pin L/R at GND:

| microphone | ESP32 | other chips |
|---|---|---|
| SCK | GPIO 26 | GPIO 4 |
| WS | GPIO 25 | GPIO 5 |
| SD | GPIO 33 | GPIO 6 |
| VDD, GND | 3.3 V, GND | 3.3 V, GND |

`idf.py menuconfig`, *Microphone*, changes the pins.

```
cd examples/hear
idf.py set-target esp32s3
idf.py build flash monitor
```

If it misses words from afar, lower `kShift` in `main/main.cc`; if sound is clipped, raise it. The
example was tested on a PC and with headers of ESP-IDF 6.2, not on a board.

## In your project

Put this folder into `components/` of your project, or name it in `main/idf_component.yml`:

```
dependencies:
  kws_{name}:
    path: /path/to/kws_{name}
```

Then include `kws_{name}.h`. `src/kws/spotter.h` (C++11) and `src/kws/kws_c.h` (C) explain the
functions; headers in subfolders of `src/kws/` are internal. `spotter.Push` takes 16 kHz mono
samples. An inference takes milliseconds, so do not call it in an interrupt.

The kernels are portable C++; none uses the vector instructions of the ESP32-S3 and ESP32-P4.
"""
