# SPDX-License-Identifier: Apache-2.0
"""The flash that a model's ops take, from a table of measurements."""

from __future__ import annotations

import importlib.resources
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

TABLE = "op_flash.json"
"""In this file's folder. tools/op_flash.py writes it."""


@dataclass(frozen=True)
class OpFlash:
    """Flash of a model's kernels on the Cortex-M4F: code and constants, in bytes."""

    own: dict[str, int]
    """For each kind of op in the model, the bytes that no other kind of its ops uses."""

    shared: int
    """The bytes that several kinds of its ops use."""

    compiler: str
    """The compiler of the kernels that were measured."""

    @property
    def together(self) -> int:
        """The whole flash."""
        return sum(self.own.values()) + self.shared


def flash_of(ops: Iterable[str]) -> OpFlash:
    """What the kernels of `ops` (the schema's names, in any order, repeated or not) take."""
    table = json.loads((importlib.resources.files("kws.bundle") / TABLE).read_text())
    present = set(ops)
    own: Counter[str] = Counter(dict.fromkeys(sorted(present), 0))
    shared = 0
    for part in table["parts"]:
        users = present & set(part["ops"])
        if len(users) == 1:
            own[users.pop()] += part["bytes"]
        elif users:
            shared += part["bytes"]
    return OpFlash(dict(own.most_common()), shared, table["compiler"])


def flash_text(ops: Iterable[str]) -> str:
    """A line for each kind of op, the largest first."""
    flash = flash_of(ops)
    rows = [*flash.own.items(), *([("shared by them", flash.shared)] if flash.shared else [])]
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(
        [
            f"flash of the ops: {flash.together:,} bytes ({flash.compiler}, Cortex-M4F)",
            *(f"  {name:<{width}}  {size:>6,}" for name, size in rows),
        ]
    )
