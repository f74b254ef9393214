# SPDX-License-Identifier: Apache-2.0
"""The licences of a bundle's data and of the code in its firmware.

A bundle describes its data in a text (`Bundle.data`), so the licences are searched in that text.
It is unsettled whether the licence of a recording also covers a model trained on it; the terms here
are the cautious reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kws import config
from kws.bundle.built_in import built_in_names, default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.layout import SETTINGS_FILE

YES, NO, SAME, ASK = "yes", "no", "same terms", "ask"
"""Whether something may be sold; SAME: only under its own licence."""

NAME, TEXT = "name the source", "give the licence text"

NOT_RECORDED = "not recorded"
NOT_RECOGNIZED = "not recognized"
"""Shown instead of a licence: there is no text about the data, or it names no known licence."""


@dataclass(frozen=True)
class Terms:
    """A known licence."""

    pattern: str
    """Regular expression for its name in a text whose blanks are hyphens."""

    sale: str
    """YES, NO, SAME or ASK."""

    must: tuple[str, ...] = ()
    """The seller's obligation."""

    spdx: str = ""
    """Its SPDX id or a short name; empty if it is the name in the text."""


_CC = r"\bCC-BY"
_VERSION = r"(?:-\d\.\d)?\b"
_KNOWN = (
    # The more restrictive licences come first: the name of one may begin with another's name.
    Terms(rf"{_CC}-NC(?:-SA|-ND)?{_VERSION}", NO, (NAME,)),
    Terms(
        r"(?i:\bnon-?commercial|\bno-commercial|\bnot-for-commercial)",
        NO,
        spdx="non-commercial use",
    ),
    Terms(r"(?i:\bresearch-(?:use-)?only|\bresearch-purposes|\bfor-research)", NO, spdx="research"),
    Terms(rf"{_CC}-ND{_VERSION}", ASK, (NAME,)),
    Terms(rf"{_CC}-SA{_VERSION}", SAME, (NAME,)),
    Terms(rf"{_CC}{_VERSION}", YES, (NAME,)),
    Terms(r"\bCC-?0(?:-1\.0)?\b|\bCC-Zero\b", YES, spdx="CC0-1.0"),
    Terms(r"(?i:\bpublic-domain\b)", YES, spdx="public domain"),
    Terms(
        r"(?i:\bApache(?:-licen[cs]e)?,?(?:-version)?-2(?:\.0)?\b)", YES, (NAME, TEXT), "Apache-2.0"
    ),
    # Not the university, which has published recordings, too.
    Terms(r"\bMIT\b(?=-[Ll]icen[cs]e|[,.;:)]|$)", YES, (NAME, TEXT)),
    Terms(r"\bWTFPL(?:-?v?2(?:\.0)?)?\b", YES, spdx="WTFPL"),
    Terms(r"\bBSD(?:-[023]-Clause)?\b", YES, (NAME, TEXT)),
    Terms(r"\b[AL]?GPL(?:-?v?\d(?:\.\d)?)?(?:-or-later|-only)?\b", SAME, (NAME, TEXT)),
    Terms(r"\bODbL(?:-1\.0)?\b", SAME, (NAME, TEXT)),
    Terms(r"\bCDLA-Permissive-\d\.\d\b", YES, (TEXT,)),
    # The speech of some games: free to pass on, but not to sell as an individual item.
    Terms(r"\bfree-to-give-away\b", ASK, (TEXT,), "free to give away"),
)

_CC_WORDS = {
    r"\bcreative-commons": "CC",
    r"\b(?<=CC-)attribution": "BY",
    r"(?<=CC-BY)-non-?commercial": "-NC",
    r"(?<=CC-BY)(-NC)?-share-?alike": r"\1-SA",
    r"(?<=CC-BY)(-NC)?-no-?deriv\w*": r"\1-ND",
}
"""Long names in licences of Creative Commons, in the order of replacement."""

_SOURCES = {
    r"(?i:speech[ _]commands)": ("Speech Commands", "CC-BY-4.0"),
    r"(?i:librispeech)": ("LibriSpeech", "CC-BY-4.0"),
    r"(?i:voxceleb)": ("VoxCeleb", ""),
    r"(?i:berlin database of emotional speech|emo-?db)": ("Emo-DB", ""),
}
"""Data sets that a text may name, and their licences; empty: the licence is unclear."""


@dataclass(frozen=True)
class Item:
    """A part of a model or of its firmware."""

    part: str
    """Its name: a licence may cover several sources."""

    licence: str
    """SPDX id or short name; NOT_RECORDED or NOT_RECOGNIZED if unknown."""

    sale: str
    """YES, NO, SAME or ASK."""

    must: tuple[str, ...] = ()
    """The seller's obligation."""


SPEECH_EMBEDDING = Item(
    "speech embedding", "unsettled", ASK, ("see docs/own_words.md, or train with --sellable",)
)
"""The teacher of `kws wake`: weights that others rebuilt and that learned from public videos."""

FIRMWARE = (
    Item("kws", "Apache-2.0", YES, (NAME, TEXT)),
    # Source: the copyright files of Debian's packages. The LGPL parts of newlib are for Linux only.
    # `-nodefaultlibs` with c_nano and gcc: no other library is linked, and no vendor's SDK is used.
    Item("newlib", "BSD-style", YES, (NAME, "give the texts of its copyright file")),
    Item("libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", YES),
)
"""The code in each board's firmware, apart from the model."""


def licences_of(bundle: Bundle) -> list[Item]:
    """The licences of a model and its data, as far as the bundle records them."""
    own = bundle.sha256 in _built_in_hashes()
    weights = Item("weights", "Apache-2.0", YES, (NAME, TEXT)) if own else _weights(bundle)
    # The texts of the built-in models describe all rounds of training, including the other models.
    others = () if own else _other_models(bundle)
    return [weights, *_data(bundle.all_data), *others]


def find_licences(text: str) -> list[Item]:
    """The known licences that a text names, each once, in the order of the text."""
    rest = re.sub(r"[\s-]+", "-", text)
    for pattern, short in _CC_WORDS.items():
        rest = re.sub(pattern, short, rest, flags=re.IGNORECASE)
    rest = re.sub(r"\bcc-by(?:-nc|-sa|-nd)*", lambda name: name[0].upper(), rest, flags=re.I)
    found: dict[str, tuple[int, Terms]] = {}
    for terms in _KNOWN:
        for match in re.finditer(terms.pattern, rest):
            found.setdefault(terms.spdx or match[0], (match.start(), terms))
        rest = re.sub(terms.pattern, lambda name: "." * len(name[0]), rest)
    ordered = sorted(found.items(), key=lambda pair: pair[1][0])
    return [Item("data", name, terms.sale, terms.must) for name, (_, terms) in ordered]


def _built_in_hashes() -> set[str]:
    """The SHA-256 of each built-in model."""
    folders = [default_bundle_path().with_name(name) for name in built_in_names()]
    return {config.read_toml(folder / SETTINGS_FILE)["sha256"] for folder in folders}


def _weights(bundle: Bundle) -> Item:
    if bundle.arch is not None:
        return Item("weights", "yours, if you trained them", YES)
    return Item("weights", NOT_RECORDED, ASK)


def _data(text: str) -> list[Item]:
    named = find_licences(text)
    items = [*named, *_sources(text, {item.licence for item in named})]
    return items or [Item("data", NOT_RECOGNIZED if text else NOT_RECORDED, ASK)]


def _sources(text: str, licences: set[str]) -> Iterator[Item]:
    """Sources that a text names without a licence."""
    for pattern, (name, licence) in _SOURCES.items():
        if licence not in licences and re.search(pattern, text):
            known = find_licences(licence)
            yield replace(known[0], part=name) if known else Item(name, NOT_RECORDED, ASK)
    if text.startswith(("Synthetic voices.", "Synthetic voices and recordings.")):
        # Written by `kws wake` before it named the voices.
        yield Item("voices", NOT_RECORDED, ASK, ("look up each voice in kws voices",))
    if text.startswith("Synthetic voices"):
        for program in re.findall(r"\b(espeak-ng|flite)\b", text):
            yield Item(f"voices of {program}", "covers the program, not its sound", YES)
    if text.startswith("Synthetic voices and recordings"):
        yield Item("recordings", "yours, if you made them", YES)
    folder = re.search(r"clips of the folder (.+)\.$", text)  # written by `kws train`
    if folder and not licences:
        yield Item(
            f"folder {folder[1]}", NOT_RECORDED, ASK, ("ask, unless the recordings are yours",)
        )


def _other_models(bundle: Bundle) -> Iterator[Item]:
    """The models from which this one learned."""
    training = bundle.metrics.get("training", {})
    # The key was `origin` until kws 0.1.
    if training.get("base_model", training.get("origin")):
        must = "follow its licences too; kws wake starts from ten_words"
        yield Item("base model", NOT_RECORDED, ASK, (must,))
    if "speech embedding" in bundle.all_data:
        yield SPEECH_EMBEDDING
    elif training.get("teacher"):
        yield Item("teacher", NOT_RECORDED, ASK, ("follow its licences too",))
