# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import kws
from kws.bundle import codegen
from kws.bundle.bundle import Bundle
from kws.bundle.making import make_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from tests.small_models import LABELS, dense_model

SOURCES = Path(kws.__file__).parent / "firmware" / "src"
REPOSITORY = Path(kws.__file__).parents[1]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    labels = ["silence", "unknown", "ja", "grüezi"]
    settings = RecognizerSettings(thresholds={"ja": 150, "unknown": 255})
    made = make_bundle(dense_model(), labels, name="d-1.x", recognizer=settings)
    return write_bundle(made, tmp_path_factory.mktemp("codegen") / "b")


PRINTER = """
#include <cstdio>
#include <type_traits>
#include "model_data.h"
#include "model_settings.h"
#include "op_resolver.h"

namespace s = kws::settings;
static_assert(alignof(std::remove_reference_t<decltype(g_model)>) >= 1);

int main() {
  if (reinterpret_cast<std::uintptr_t>(g_model) % 16 != 0) return 1;
  std::fwrite(g_model, 1, g_model_len, stdout);
  std::fprintf(stderr, "%s %s %d %zu %d %d %d %d %d", s::kModelName, s::kModelSha8, s::kLabelCount,
               s::kArenaBytes, s::kInferenceStride, static_cast<int>(s::kAverageWindowMs),
               static_cast<int>(s::kSuppressionMs), static_cast<int>(s::kMinimumCount),
               s::kDetectionThreshold);
  for (const char* label : s::kLabels) std::fprintf(stderr, " %s", label);
  for (int threshold : s::kThresholds) std::fprintf(stderr, " %d", threshold);
}
"""


def test_generated_code_compiles_and_agrees_with_the_bundle(bundle: Bundle, tmp_path: Path) -> None:
    (tmp_path / "main.cc").write_text(PRINTER)
    program = tmp_path / "main"
    sources = [tmp_path / "main.cc", bundle.firmware / "model_data.cc"]
    flags = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-pedantic"]
    includes = [f"-I{bundle.firmware}", *(f"-I{folder}" for folder in (SOURCES / "core", SOURCES))]
    # The resolver is not used here, so its kernels are not linked.
    subprocess.run(["g++", *flags, *includes, *sources, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, check=True)
    assert done.stdout == bundle.model
    recognizer = bundle.recognizer
    assert done.stderr.decode().split() == [
        bundle.name,
        bundle.sha8,
        *map(
            str,
            [
                len(bundle.labels),
                bundle.arena_bytes,
                bundle.inference_stride,
                recognizer.average_window_ms,
                recognizer.suppression_ms,
                recognizer.minimum_count,
                recognizer.detection_threshold,
            ],
        ),
        *bundle.labels,
        *("200", "255", "150", "200"),
    ]


def test_resolver_has_exactly_the_ops_of_the_model(bundle: Bundle) -> None:
    text = (bundle.firmware / "op_resolver.h").read_text()
    assert re.findall(r"Add(\w+)\(\);", text) == ["FullyConnected", "Softmax"]
    assert "MicroMutableOpResolver<2>" in text


@pytest.mark.skipif(shutil.which("clang-format") is None, reason="clang-format is not installed")
def test_generated_code_is_formatted(bundle: Bundle) -> None:
    subprocess.run(
        [
            "clang-format",
            f"--style=file:{REPOSITORY / '.clang-format'}",
            "--dry-run",
            "-Werror",
            *sorted(bundle.firmware.iterdir()),
        ],
        check=True,
    )


def test_each_file_names_its_generator_and_input(bundle: Bundle) -> None:
    assert sorted(path.name for path in bundle.firmware.iterdir()) == sorted(
        codegen.firmware_files(bundle)
    )
    for path in bundle.firmware.iterdir():
        first = path.read_text().splitlines()[0]
        assert "kws convert" in first
        assert bundle.sha8 in first


def test_one_threshold_for_all_needs_no_table() -> None:
    made = make_bundle(dense_model(), LABELS, name="a")
    assert "kThresholds" not in codegen.firmware_sources(made)["model_settings.h"]


@pytest.mark.parametrize("gate_db", [0.0, 1.2])
def test_the_firmware_has_a_gate_only_if_the_bundle_has_one(gate_db: float) -> None:
    settings = RecognizerSettings(gate_db=gate_db)
    made = make_bundle(dense_model(), LABELS, name="a", recognizer=settings)
    line = "inline constexpr int kGateRise = 12;\n"
    assert (line in codegen.firmware_sources(made)["model_settings.h"]) is (gate_db > 0)


@pytest.mark.parametrize("report_unknown", [False, True])
def test_the_firmware_reports_unknown_only_if_the_bundle_does(
    report_unknown: bool, tmp_path: Path
) -> None:
    settings = RecognizerSettings(report_unknown=report_unknown)
    made = make_bundle(dense_model(), LABELS, name="a", recognizer=settings)
    bundle = write_bundle(made, tmp_path / "b")
    assert (
        "kReportUnknown" in (bundle.firmware / "model_settings.h").read_text()
    ) is report_unknown
    (tmp_path / "main.cc").write_text(
        '#include "bundle_config.h"\n'
        'constexpr kws::PipelineConfig config = kws::BundleConfig("1", "b");\n'
        f"static_assert(config.report_unknown == {str(report_unknown).lower()});\n"
    )
    includes = [f"-I{bundle.firmware}", *(f"-I{folder}" for folder in (SOURCES / "core", SOURCES))]
    flags = ["-std=c++17", "-fsyntax-only", "-Wall", "-Werror"]
    subprocess.run(["g++", *flags, *includes, tmp_path / "main.cc"], check=True)


def test_labels_do_not_change_other_files() -> None:
    a = codegen.firmware_sources(make_bundle(dense_model(), LABELS, name="a"))
    b = codegen.firmware_sources(make_bundle(dense_model(), LABELS, name="b"))
    assert {name for name in a if a[name] != b[name]} == {"model_settings.h"}
