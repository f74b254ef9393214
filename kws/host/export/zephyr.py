# SPDX-License-Identifier: Apache-2.0
"""A Zephyr module, and a sample for boards with a PDM microphone."""

from __future__ import annotations

from kws.bundle.bundle import Bundle
from kws.bundle.library import identifier, library_sources
from kws.host.export.core_files import bundle_texts, core_files

NEXT = "in a Zephyr workspace: west build -b xiao_ble/nrf52840/sense {out}/samples/hear"


def files(bundle: Bundle) -> dict[str, str]:
    """The module's files by path."""
    name = identifier(bundle)
    sources = {**core_files(), **library_sources(bundle)}
    return {
        "zephyr/module.yml": _module(name),
        "zephyr/CMakeLists.txt": _cmake_lists(name),
        "zephyr/Kconfig": _kconfig(bundle, name),
        "west.yml": _manifest(name),
        "README.md": _readme(bundle, name),
        **bundle_texts(bundle),
        **{f"src/{path}": text for path, text in sources.items()},
        "samples/hear/CMakeLists.txt": _SAMPLE_CMAKE_LISTS,
        "samples/hear/prj.conf": _configuration(name),
        "samples/hear/sample.yaml": _sample(name),
        "samples/hear/src/main.cc": _main(name),
        "samples/hear/boards/nrf52840dk_nrf52840.overlay": _NRF52840DK,
        "samples/hear/boards/xiao_ble_nrf52840_sense.overlay": _XIAO,
        "samples/hear/boards/arduino_nano_33_ble_nrf52840_sense.conf": _NANO,
    }


def _module(name: str) -> str:
    return f"""\
name: kws_{name}
build:
  cmake: zephyr
  kconfig: zephyr/Kconfig
samples:
  - samples
"""


def _cmake_lists(name: str) -> str:
    return f"""\
if(CONFIG_KWS_{name.upper()})
  set(src ${{CMAKE_CURRENT_LIST_DIR}}/../src)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${{src}}/*.cc)
  zephyr_library_named(kws_{name})
  zephyr_library_sources(${{sources}})
  zephyr_include_directories(${{src}})
  # These determine the speed, so they use -O2 even if the rest is compiled for size.
  file(GLOB_RECURSE fast CONFIGURE_DEPENDS ${{src}}/kws/frontend/*.cc ${{src}}/kws/*_loops.cc)
  set_source_files_properties(${{fast}} PROPERTIES COMPILE_OPTIONS -O2)
endif()
"""


def _kconfig(bundle: Bundle, name: str) -> str:
    return f"""\
config KWS_{name.upper()}
    bool "Keyword spotting: {", ".join(bundle.keywords)}"
    select CPP
    select REQUIRES_FULL_LIBCPP
    help
      kws/spotter.h and a model in kws_{name}.h. Needs C++11 or later.
"""


def _manifest(name: str) -> str:
    return f"""\
# For a new workspace with this module in it; see README.md.
manifest:
  remotes:
    - name: zephyrproject-rtos
      url-base: https://github.com/zephyrproject-rtos
  projects:
    - name: zephyr
      remote: zephyrproject-rtos
      revision: v4.1.0
      import:
        # Modules of Nordic's chips; add your chip's.
        name-allowlist:
          - cmsis
          - cmsis_6
          - hal_nordic
  self:
    path: kws_{name}
"""


# A build in any workspace finds the module: its folder is the sample's grandparent.
_SAMPLE_CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.20.0)

list(APPEND EXTRA_ZEPHYR_MODULES ${CMAKE_CURRENT_LIST_DIR}/../..)
find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})
project(hear)

target_sources(app PRIVATE src/main.cc)
"""


def _configuration(name: str) -> str:
    return f"""\
CONFIG_KWS_{name.upper()}=y
CONFIG_AUDIO=y
CONFIG_AUDIO_DMIC=y
CONFIG_MAIN_STACK_SIZE=4096
"""


def _sample(name: str) -> str:
    return f"""\
sample:
  name: hear
  description: Prints the words that kws_{name} hears
tests:
  kws_{name}.hear:
    build_only: true
    filter: dt_nodelabel_enabled("dmic_dev")
    integration_platforms:
      - nrf52840dk/nrf52840
      - xiao_ble/nrf52840/sense
      - arduino_nano_33_ble/nrf52840/sense
"""


_NRF52840DK = """\
/* The board has no microphone: connect one. Clock is P0.30, data P0.31; select "left". */
&pinctrl {
	microphone_pins: microphone_pins {
		group1 {
			psels = <NRF_PSEL(PDM_CLK, 0, 30)>, <NRF_PSEL(PDM_DIN, 0, 31)>;
		};
	};
};

dmic_dev: &pdm0 {
	pinctrl-0 = <&microphone_pins>;
	pinctrl-names = "default";
	clock-source = "PCLK32M_HFXO";
	status = "okay";
};
"""

_XIAO = """\
/ {
	/* The microphone's supply. */
	msm261d3526hicpm-c-en {
		regulator-boot-on;
	};
};

dmic_dev: &pdm0 {
	status = "okay";
};
"""

_NANO = """\
# Switches the microphone's supply on.
CONFIG_REGULATOR=y
"""


def _main(name: str) -> str:
    return f"""\
// Prints the words that it hears.
#include <zephyr/audio/dmic.h>
#include <zephyr/device.h>
#include <zephyr/devicetree.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "kws_{name}.h"

// A block is 50 ms. Two are being filled, four wait in Nordic's driver, one is being heard.
static const size_t kBlock = 800;
K_MEM_SLAB_DEFINE_STATIC(blocks, kBlock * sizeof(int16_t), 8, 4);

alignas(16) static uint8_t memory[kws::bundle_{name}_bytes];
static kws::Spotter spotter(kws::bundle_{name}, memory, sizeof(memory));

static const device* const microphone = DEVICE_DT_GET(DT_NODELABEL(dmic_dev));

static void OnWord(const kws::Detection& hit) {{
  printk("%s %d @%u\\n", spotter.label(hit.label), hit.score, unsigned(hit.time_ms));
}}

static int Configure() {{
  pcm_stream_cfg stream = {{}};
  stream.pcm_rate = kws::Spotter::kSampleRate;
  stream.pcm_width = 16;
  stream.block_size = kBlock * sizeof(int16_t);
  stream.mem_slab = &blocks;
  dmic_cfg config = {{}};
  // Clocks that any PDM microphone accepts: Hz, and percent of a period.
  config.io.min_pdm_clk_freq = 1000000;
  config.io.max_pdm_clk_freq = 3250000;
  config.io.min_pdm_clk_dc = 40;
  config.io.max_pdm_clk_dc = 60;
  config.streams = &stream;
  config.channel.req_num_streams = 1;
  config.channel.req_num_chan = 1;
  config.channel.req_chan_map_lo = dmic_build_channel_map(0, 0, PDM_CHAN_LEFT);
  return dmic_configure(microphone, &config);
}}

int main() {{
  if (spotter.Start() != kws::Status::kOk) {{
    printk("%s\\n", kws::StatusMessage(spotter.status()));
    return 0;
  }}
  if (!device_is_ready(microphone) || Configure() != 0 ||
      dmic_trigger(microphone, DMIC_TRIGGER_START) != 0) {{
    printk("the microphone did not start\\n");
    return 0;
  }}
  for (;;) {{
    void* block;
    size_t bytes;
    if (dmic_read(microphone, 0, &block, &bytes, 1000) != 0) {{
      // Nordic's driver stops when it has no free block.
      printk("samples were lost\\n");
      dmic_trigger(microphone, DMIC_TRIGGER_START);
      continue;
    }}
    spotter.Push(static_cast<const int16_t*>(block), bytes / sizeof(int16_t), OnWord);
    k_mem_slab_free(&blocks, block);
  }}
}}
"""


def _readme(bundle: Bundle, name: str) -> str:
    words = ", ".join(f"*{word}*" for word in bundle.keywords)
    return f"""\
# kws_{name}

Hears {words}: a Zephyr module with a model that kws trained, for Zephyr 3.5 or later.

## The sample

`samples/hear` prints each word with its score, 0 to 255, and its time in ms. In a Zephyr
workspace:

```
west build -b xiao_ble/nrf52840/sense /path/to/kws_{name}/samples/hear
west flash
```

| board | microphone |
|---|---|
| `xiao_ble/nrf52840/sense` | on the board |
| `arduino_nano_33_ble/nrf52840/sense` | on the board; the words go to the UART on pins TX and RX |
| `nrf52840dk/nrf52840` | a PDM microphone that you connect: clock P0.30, data P0.31 |

For another board, name its PDM controller `dmic_dev` in `samples/hear/boards/BOARD.overlay`.

Without a workspace, put this folder into an empty folder, and in the empty folder (`west`, the
Zephyr SDK and Zephyr's other tools have to be installed):

```
west init -l kws_{name}
west update
west build -b xiao_ble/nrf52840/sense kws_{name}/samples/hear
```

`west.yml` names the version of Zephyr, v4.1.0, and Nordic's modules. The sample was tested on a PC
and with headers of Zephyr 4.0.99, not on a board.

## In your application

Add the module to your `CMakeLists.txt`, before `find_package(Zephyr)`:

```
list(APPEND EXTRA_ZEPHYR_MODULES /path/to/kws_{name})
```

and to `prj.conf`:

```
CONFIG_KWS_{name.upper()}=y
```

`-DEXTRA_ZEPHYR_MODULES=/path/to/kws_{name}` does the same as the first. The variable was
`ZEPHYR_EXTRA_MODULES` before Zephyr 3.4.

Then include `kws_{name}.h`. `src/kws/spotter.h` (C++11) and `src/kws/kws_c.h` (C) explain the
functions; headers in subfolders of `src/kws/` are internal. `spotter.Push` takes 16 kHz mono
samples. An inference takes milliseconds, so do not call it in an interrupt.
"""
