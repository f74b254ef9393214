# SPDX-License-Identifier: Apache-2.0
"""Flash of a model's kernels, from a table of measured sizes."""

from __future__ import annotations

import importlib.resources
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

TABLE = "op_flash.json"
"""In this file's folder, written by tools/op_flash.py."""


@dataclass(frozen=True)
class OpFlash:
    """Flash of a model's kernels on the Cortex-M4F: code and constants, in bytes."""

    own: dict[str, int]
    """Bytes of each kernel that no other kernel of the model uses."""

    shared: int
    """Bytes that several kernels of the model share."""

    compiler: str
    """The compiler of the measured kernels."""

    @property
    def together(self) -> int:
        """All bytes."""
        return sum(self.own.values()) + self.shared


def flash_of(kernels: Iterable[str]) -> OpFlash:
    """The flash of `kernels`: names of `_core.KERNELS` in any order; repeats count once."""
    table = json.loads((importlib.resources.files("kws.host.measure") / TABLE).read_text())
    present = set(kernels)
    own: Counter[str] = Counter(dict.fromkeys(sorted(present), 0))
    shared = 0
    for part in table["parts"]:
        users = present & set(part["kernels"])
        if len(users) == 1:
            own[users.pop()] += part["bytes"]
        elif users:
            shared += part["bytes"]
    return OpFlash(dict(own.most_common()), shared, table["compiler"])


def flash_text(kernels: Iterable[str]) -> str:
    """A line for each kernel, the largest first."""
    flash = flash_of(kernels)
    rows = [*flash.own.items(), *([("shared", flash.shared)] if flash.shared else [])]
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(
        [
            f"flash of the ops: {flash.together:,} bytes ({flash.compiler}, Cortex-M4F)",
            *(f"  {name:<{width}}  {size:>6,}" for name, size in rows),
        ]
    )
