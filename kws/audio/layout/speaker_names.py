# SPDX-License-Identifier: Apache-2.0
"""Speakers, from the names of recordings."""

from __future__ import annotations

import re

_TAKE = re.compile(r"[ _-]*(\(\d{1,4}\)|(?<![0-9A-Za-z])\d{1,4})$")
"""A take number at the end. A number of five digits or more is an id or a time."""

_ID = re.compile(r"(^|[ _-])\(?\d{5,}\)?$")

_NOBODY = frozenset(
    (
        "audio", "aufnahme", "clip", "enregistrement", "file", "grabacion", "grabación", "memo",
        "mic", "microphone", "new recording", "nohash", "output", "part", "participant", "person",
        "phrase", "rec", "record", "recorded", "recording", "sample", "segment", "sound",
        "speaker", "speech", "spk", "subject", "take", "test", "track", "train", "untitled",
        "user", "utt", "utterance", "voice", "voice memo", "wav", "wave", "word",
    )
)  # fmt: skip
"""Names before a number that are not a person's name, in lower case."""


def named_speaker(stem: str, word: str) -> str | None:
    """The speaker named in a file name (without extension) in the folder of this word.

    `anna_nohash_3` is Anna, and so are `anna_3`, `anna-3`, `anna 3` and `anna (3)`: a number of up
    to four digits at the end is the take.

    Returns:
        None if the name has no speaker: only the word or a number (`3`, `yes_3`), an id
        (`common_voice_en_18193140`), or a generic name (`Recording (3)`, `sample-12`, `speaker_7`).
    """
    speaker, mark, _ = stem.partition("_nohash_")
    if mark and speaker:
        return speaker
    if _ID.search(stem):
        return None
    speaker = _TAKE.sub("", stem)
    spelled = re.escape(word).replace("_", "[ _-]")
    speaker = re.sub(rf"^{spelled}[ _-]+|[ _-]+{spelled}$", "", speaker)
    plain = re.sub(r"[\s_-]+", " ", speaker).strip().lower()
    return None if not speaker or speaker == word or plain in _NOBODY else speaker
