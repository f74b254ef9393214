# SPDX-License-Identifier: Apache-2.0
"""Flash used by a model's kernels, as `kws convert` prints it."""

from __future__ import annotations

import pytest

from kws import _core
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.build.firmware import build
from kws.host.measure.flash_table import flash_of, flash_text
from kws.host.measure.footprint import read_footprint


def test_every_kernel_has_its_flash() -> None:
    for name in _core.KERNELS:
        assert flash_of([name]).together > 50, name


def test_shared_code_counts_once() -> None:
    one, both = flash_of(["CONV_2D"]), flash_of(["CONV_2D", "DEPTHWISE_CONV_2D", "CONV_2D"])
    assert one.shared == 0
    assert both.shared > 0
    assert both.own["CONV_2D"] + both.shared == one.together
    assert both.together < one.together + flash_of(["DEPTHWISE_CONV_2D"]).together


def test_text_has_a_line_per_op() -> None:
    lines = flash_text(["RESHAPE", "SOFTMAX", "RESHAPE"]).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["SOFTMAX", "RESHAPE", "shared"]


def test_a_variant_is_smaller_than_its_op() -> None:
    types = ("float32", "int16", "any type")  # which need more code or less
    names = _core.KERNELS.keys() - _core.OPS.keys()
    variants = [name for name in names if not name.endswith(types)]
    assert len(variants) > 5
    for name in variants:
        op = name.split()[0]
        assert flash_of([name]).together < 0.95 * flash_of([op]).together, name


@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("name", ["yes_no", "tiny"])
def test_the_table_agrees_with_the_linker(name: str) -> None:
    # The firmware would also have the kernels of the second look.
    bundle = load_bundle(default_bundle_path().with_name(name)).without_second_look()
    kernels = read_footprint(build("qemu", Device(bundle)).map).flash["kernels"]
    # Other compilers give slightly different sizes.
    expected = flash_of(_core.Interpreter(bundle.model).kernels).together
    assert expected == pytest.approx(kernels, rel=0.02), "run python -m tools.op_flash"
