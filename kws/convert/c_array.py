# SPDX-License-Identifier: Apache-2.0
"""Reads a .tflite file from an array in C or C++ source, as `xxd -i` writes it."""

from __future__ import annotations

import re

from kws.errors import ModelError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_BLOCK = re.compile(r"\{([^{}]*)(\}?)")
_HEAD = re.compile(r"(?:(\w+)\s*\[\s*(\w*)\s*\][^\[\]=;{}]*|(\w+)\s*)=[\s{]*$")
_SIZE = re.compile(r"\b(\w+?)_?(?:len|length|size)\s*(?:=|\s)\s*(\d+)", re.IGNORECASE)

_FEWEST = 16  # bytes of the shortest .tflite file
_HEAD_LENGTH = 400  # characters before an array's brace to search for its name


def is_source(data: bytes) -> bool:
    """Whether a file could be C or C++ source with an array."""
    return b"{" in data and b"\0" not in data and not data.lstrip().startswith(b"<")


def model_of_source(data: bytes) -> bytes:
    """The .tflite file in an array of the source.

    Raises:
        ModelError: no array contains one, several do, or it is cut off.
    """
    text = _COMMENT.sub(" ", data.decode("utf-8", "replace"))
    sizes = {name: int(size) for name, size in _SIZE.findall(text)}
    models: dict[str, bytes] = {}
    longest = 0
    for block in _BLOCK.finditer(text):
        content = _bytes_of(block[1], whole=bool(block[2]))
        longest = max(longest, len(content))
        if content[4:8] != b"TFL3":
            continue
        head = _HEAD.search(text[max(0, block.start() - _HEAD_LENGTH) : block.start()])
        name, length = ((head[1] or head[3]), head[2] or "") if head else ("?", "")
        declared = sizes.get(name, int(length) if length.isdecimal() else 0)
        if not block[2] or declared not in (0, len(content)):
            promised = f" of {declared}" if declared else ""
            raise ModelError(
                f"array {name} ends after {len(content)} bytes{promised}; the file was cut off or "
                "changed, so copy it again"
            )
        models[name] = content
    if not models:
        seen = f"none of its arrays (the longest has {longest} bytes)" if longest else "no array"
        raise ModelError(
            f"source code, but {seen} contains a .tflite file; pass the file that contains it"
        )
    if len(set(models.values())) > 1:
        raise ModelError(
            f"contains {len(models)} models ({', '.join(models)}); keep one of them in the file"
        )
    return next(iter(models.values()))


def _bytes_of(listed: str, *, whole: bool) -> bytes:
    """The bytes of the C literals between two braces; empty if there is anything else.

    If not `whole`, the closing brace is missing and the last literal may be cut off.
    """
    numbers = [number.strip() for number in listed.split(",")]
    if not (whole and numbers[-1]):
        numbers.pop()
    if len(numbers) < _FEWEST:
        return b""
    try:
        return bytes([_value(number) for number in numbers])
    except ValueError:
        return b""


def _value(literal: str) -> int:
    """A byte's value from its C literal, signed or not."""
    digits = literal.rstrip("uUlL")
    is_octal = digits.lstrip("-+").isdigit() and digits.lstrip("-+").startswith("0")
    value = int(digits, 8 if is_octal else 0)
    return value + 256 if -128 <= value < 0 else value
