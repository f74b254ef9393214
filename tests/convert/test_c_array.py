# SPDX-License-Identifier: Apache-2.0
"""Models in C source, as in Arduino sketches."""

from __future__ import annotations

import pytest

from kws.convert.c_array import is_source, model_of_source
from kws.errors import ModelError
from tests.small_models import dense_model

MODEL = dense_model()
SIZE = len(MODEL)
HEX = ", ".join(f"0x{byte:02x}" for byte in MODEL)
LINES = ",\n  ".join(
    ", ".join(f"0x{byte:02X}" for byte in MODEL[start : start + 12]) for start in range(0, SIZE, 12)
)
SIGNED = ", ".join(str(byte - 256 if byte > 127 else byte) for byte in MODEL)

SOURCES = {
    "xxd -i": f"unsigned char m_tflite[] = {{\n  {LINES}\n}};\nunsigned int m_tflite_len = {SIZE};",
    "an attribute": "#ifdef __has_attribute\n#define HAVE(x) __has_attribute(x)\n#endif\n"
    "#define DATA_ALIGN __attribute__((aligned(4)))\n"
    f"const unsigned char g_model[] DATA_ALIGN = {{{HEX},}};\nconst int g_model_len = {SIZE};",
    "alignas": f"namespace x {{\nalignas(16) extern const uint8_t g[{SIZE}] = {{{HEX}}};\n}}",
    "PROGMEM": f"const unsigned char g_model[] PROGMEM = {{{HEX}}};\nint len = sizeof(g_model);",
    "decimal": f"const unsigned char g_model[] = {{{', '.join(map(str, MODEL))}}};",
    "octal": f"const char g_model[] = {{{', '.join(f'0{byte:o}' for byte in MODEL)}}};",
    "signed": f"const int8_t g_model[] = {{{SIGNED}}};",
    "suffixes": f"const uint8_t g_model[] = {{{', '.join(f'{byte}u' for byte in MODEL)}}};",
    "std::array": f"constexpr std::array<uint8_t, {SIZE}> kModel = {{{{ {HEX} }}}};",
    "comments": f"// {{1, 2}}\nconst uint8_t m[] = {{ /* id: 0x54 }} */ {HEX.replace(', ', ',')} "
    "// the end }\n};",
    "other arrays": f"const uint8_t table[] = {{{', '.join(map(str, range(64)))}}};\n"
    f"const float mean[2] = {{0.5f, 1.0f}};\nconst uint8_t g_model[] = {{{HEX}}};\n"
    f"#define G_MODEL_LEN {SIZE}\nint main() {{ return table[0]; }}",
    "twice the same": f"const uint8_t a[] = {{{HEX}}};\nconst uint8_t b[] = {{{HEX}}};",
    "a size in a macro": f"const uint8_t g_model[MODEL_SIZE] = {{{HEX}}};",
}


@pytest.mark.parametrize("form", SOURCES)
def test_each_form_gives_the_models_bytes(form: str) -> None:
    source = SOURCES[form].encode()
    assert is_source(source)
    assert model_of_source(source) == MODEL


def test_models_and_html_are_not_source() -> None:
    assert not is_source(MODEL)
    assert not is_source(b"<!DOCTYPE html><style>body { color: red }</style>")


PART = HEX[:2998]
PART_SIZE = PART.count("0x") - 1  # the last number may be incomplete

REFUSED = {
    "no array": ("int main() { return 0; }", "no array contains a .tflite file"),
    "other arrays": (f"int t[] = {{{', '.join(map(str, range(64)))}}};", "longest has 64 bytes"),
    "words": ("const uint32_t m[] = {0x1c, 0x334c4654};", "no array contains a .tflite file"),
    "two models": (
        f"const uint8_t a[] = {{{HEX}}};\nconst uint8_t b[] = {{{HEX[:-1]}7}};",
        r"contains 2 models \(a, b\); keep one",
    ),
    "no end": (
        f"const uint8_t a[] = {{{PART}",
        f"a ends after {PART_SIZE} bytes; .* cut off",
    ),
    "another length": (
        f"const uint8_t a[] = {{{PART}}};\nconst int a_len = {SIZE};",
        rf"array a ends after {PART_SIZE + 1} bytes of {SIZE}; .* cut off",
    ),
    "another size": (
        f"const uint8_t a[{SIZE}] = {{{PART}}};",
        rf"array a ends after {PART_SIZE + 1} bytes of {SIZE}; .* cut off",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_source_without_a_whole_model_gives_a_one_line_error(case: str) -> None:
    source, error = REFUSED[case]
    with pytest.raises(ModelError, match=error):
        model_of_source(source.encode())
