# SPDX-License-Identifier: Apache-2.0
"""Flash and RAM of each part of the firmware, from the linker's map."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from kws.errors import ToolError, os_reason

# A section and its object's path below the build folder to its part; the first that matches.
_PARTS = (
    ("calls", re.compile(r"^\.text.*(?<!runtime)/model/(then/)?(look/)?compiled_model\.o$")),
    ("model", re.compile(r"(?<!runtime)/model/(then/)?(look/)?[^/]*\.o$")),
    ("frontend", re.compile(r"/src/kws/(frontend/|pipeline/feature_provider\.o$)")),
    ("kernels", re.compile(r"/src/kws/runtime/kernels/")),
    ("interpreter", re.compile(r"/src/kws/runtime/")),
    ("board", re.compile(r"/src/boards/(?!audio_ring)")),
    ("pipeline", re.compile(r"/src/")),
    ("libraries", re.compile(r"\.a\(")),
)
OTHER = "padding"

_FLASH = re.compile(r"\.(vectors|text|rodata|data|ARM\.ex\w+|init_array)\b")
_RAM = re.compile(r"\.(data|bss|COMMON)\b|COMMON$")
_ENTRY = re.compile(r"^ (\.?\S+)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$")


@dataclass(frozen=True)
class Footprint:
    """Bytes by part, named as in the picture of docs/architecture.md.

    `calls` is the code of a compiled model, `libraries` come with the compiler, `padding` is due to
    alignment. The stack is not in `ram`.
    """

    flash: dict[str, int]
    ram: dict[str, int]
    kernels: dict[str, int]
    """Flash of each file of `runtime/kernels/` (name without suffix), the largest first."""

    def flash_without(self, *parts: str) -> int:
        """Flash of everything but `parts`."""
        return sum(size for part, size in self.flash.items() if part not in parts)


def read_footprint(file: Path) -> Footprint:
    """The footprint from a map of GNU ld.

    Raises:
        ToolError: the file is missing or not such a map.
    """
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ToolError(f"{file}: {os_reason(error)}; build the firmware again") from None
    _, mark, placed = text.partition("Linker script and memory map")
    if not mark:
        raise ToolError(f"{file}: not a map of GNU ld; build the firmware again")
    flash: Counter[str] = Counter()
    ram: Counter[str] = Counter()
    kernels: Counter[str] = Counter()
    for section, entries in _entries(placed).items():
        for name, size in _sizes(entries):
            part = _part(name)
            if _FLASH.match(section):
                flash[part] += size
                if part == "kernels":
                    kernels[Path(name).stem] += size
            if _RAM.match(section):
                ram[part] += size
    return Footprint(flash=_known(flash), ram=_known(ram), kernels=dict(kernels.most_common()))


def _entries(placed: str) -> dict[str, list[tuple[int, int, str]]]:
    """Address, size and name (input section and object) of each section's entries, by address."""
    entries: defaultdict[str, list[tuple[int, int, str]]] = defaultdict(list)
    section = ""
    # A long section name has its own line, before its numbers.
    for line in re.sub(r"^( \S+)\n +0x", r"\1 0x", placed, flags=re.MULTILINE).splitlines():
        if line.startswith("."):
            section = line.split()[0]
        match = _ENTRY.match(line)
        if match and (size := int(match[3], 16)):
            entries[section].append((int(match[2], 16), size, f"{match[1]} {match[4]}"))
    return entries


def _sizes(entries: Sequence[tuple[int, int, str]]) -> Iterator[tuple[str, int]]:
    """The bytes of each entry, and with an empty name the gaps between entries.

    Duplicate strings are merged, but the map lists their original sizes: an entry ends where the
    next one begins.
    """
    for (start, size, name), following in zip_longest(entries, entries[1:]):
        end = start + size
        begin = following[0] if following else end
        yield name, min(end, begin) - start
        yield "", max(0, begin - end)


def _part(name: str) -> str:
    return next((part for part, pattern in _PARTS if pattern.search(name)), OTHER)


def _known(sizes: Counter[str]) -> dict[str, int]:
    """The sizes in the order of the parts, without empty parts."""
    return {part: sizes[part] for part in (*(p for p, _ in _PARTS), OTHER) if sizes[part]}
