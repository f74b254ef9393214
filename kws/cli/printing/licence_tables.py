# SPDX-License-Identifier: Apache-2.0
"""The list of `kws licences`."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kws.bundle.licences import ASK, FIRMWARE, NO, SAME, YES, Item, licences_of
from kws.cli.option_values import print_tables
from kws.tables import make_table

if TYPE_CHECKING:
    from rich.table import Table

    from kws.bundle.bundle import Bundle

_TERMS = {
    YES: "use, sell",
    SAME: "use; sell under the same terms",
    NO: "not for sale",
    ASK: "ask its owner",
}

_NOTE = (
    "Data: as far as the bundle's text names licences. Recordings used for --negatives, --noises, "
    "--rooms or --extra-data are listed only if the text names them. Whether the licence of a "
    "recording covers a model trained on it is unsettled; this list assumes that it does. It is "
    "not legal advice."
)


def print_licences(bundles: Sequence[Bundle]) -> None:
    """Print the texts about the data, a table per bundle, and a table of the firmware's code."""
    width = shutil.get_terminal_size().columns
    for bundle in bundles:
        print(textwrap.fill(f"{bundle.name}, data: {bundle.all_data or 'not recorded'}", width))
        print_tables(_table(f"model {bundle.name}", licences_of(bundle)))
    print_tables(_table("firmware", FIRMWARE))
    print(textwrap.fill(_NOTE, width))


def to_json(bundles: Sequence[Bundle]) -> dict[str, Any]:
    """The same as JSON values."""
    return {
        "models": [
            {
                "name": bundle.name,
                "data": bundle.all_data,
                "licences": [asdict(item) for item in licences_of(bundle)],
            }
            for bundle in bundles
        ],
        "firmware": [asdict(item) for item in FIRMWARE],
    }


def _table(title: str, items: Sequence[Item]) -> Table:
    from rich.markup import escape

    table = make_table("part", "licence", "terms", "you must", title=title, words=range(4))
    for item in items:
        table.add_row(escape(item.part), item.licence, _TERMS[item.sale], "; ".join(item.must))
    return table
