# SPDX-License-Identifier: Apache-2.0
"""The flash that `kws convert` says a model's ops take."""

from __future__ import annotations

import pytest

from kws import _core
from kws.bundle.bundle import default_bundle_path
from kws.bundle.flash_table import flash_of, flash_text
from kws.bundle.reading import load_bundle
from kws.host.build.firmware import build
from kws.host.measure.footprint import read_footprint
from tests.host.conftest import board_tools  # noqa: F401


def test_every_op_has_its_flash() -> None:
    for name in _core.OPS:
        assert flash_of([name]).together > 50, name


def test_what_ops_share_counts_once() -> None:
    one, both = flash_of(["CONV_2D"]), flash_of(["CONV_2D", "DEPTHWISE_CONV_2D", "CONV_2D"])
    assert one.shared == 0
    assert both.shared > 0
    assert both.own["CONV_2D"] + both.shared == one.together
    assert both.together < one.together + flash_of(["DEPTHWISE_CONV_2D"]).together


def test_text_has_a_line_for_each_kind() -> None:
    lines = flash_text(["RESHAPE", "SOFTMAX", "RESHAPE"]).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["SOFTMAX", "RESHAPE", "shared"]


@pytest.mark.usefixtures("board_tools")
def test_the_table_says_what_the_linker_says() -> None:
    bundle = load_bundle(default_bundle_path())
    kernels = read_footprint(build("qemu", bundle).map).flash["kernels"]
    # Another compiler gives a little more or less.
    assert flash_of(bundle.ops).together == pytest.approx(kernels, rel=0.02), (
        "run python -m tools.op_flash"
    )
