# SPDX-License-Identifier: Apache-2.0
"""Commands that convert models to bundles, and change a bundle's settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kws.bundle.recognizer_settings import RecognizerSettings
from kws.cli.option_values import bundle_text, refuse_built_in, split_words
from kws.cli.options import BUNDLE, setting_option
from kws.errors import UsageError

if TYPE_CHECKING:
    from kws.bundle.bundle import Bundle
    from kws.bundle.changes import Changes

PlanOption = Annotated[
    Path | None, typer.Option("--plan", help="PNG file for a picture of the memory plan.")
]
StrideOption = Annotated[
    int | None, typer.Option("--stride", min=1, max=50, help="Hops of 20 ms per inference (2).")
]
AboutOption = Annotated[
    str | None,
    typer.Option("--about", help="Training data of the model, and its licence."),
]


def convert(
    model: Annotated[
        Path,
        typer.Argument(
            **BUNDLE | {"metavar": "<model>"},
            help="An int8 .tflite file or C source with one (model.h), or a microWakeWord model's "
            ".json. With --incremental also a bundle, with --also only a bundle.",
        ),
    ],
    *,
    out: Annotated[Path | None, typer.Option(help="Folder of the new bundle.")] = None,
    labels: Annotated[
        str,
        typer.Option(
            help="Labels of the model's outputs, in the same order: yes,no,unknown,silence."
        ),
    ] = "",
    name: Annotated[
        str | None, typer.Option(help="Short name of the model. The default is the file's name.")
    ] = None,
    about: AboutOption = None,
    stride: StrideOption = None,
    incremental: Annotated[
        bool,
        typer.Option(
            "--incremental",
            help="Make an incremental model: it computes only the new frames of --stride hops, "
            "with the same scores. Without --labels, --out is a .tflite file.",
        ),
    ] = False,
    compiled: Annotated[
        bool,
        typer.Option(
            "--compiled",
            help="Build the model into firmware as C++ that calls the kernels, without an "
            "interpreter.",
        ),
    ] = False,
    also: Annotated[
        str | None,
        typer.Option(
            help="Add .tflite files for LiteRT on phones and PCs to the new bundle, made from the "
            "float weights of a trained bundle: float16, dynamic or float16,dynamic.",
        ),
    ] = None,
    plan: PlanOption = None,
) -> None:
    """Make a bundle from an int8 model.

    kws set changes the bundle's settings.

    \b
    kws convert yes_no --also float16,dynamic --out runs/phone   # for LiteRT too
    """  # noqa: D301 - the help starts a block of lines at \b
    from kws.bundle.changes import Changes
    from kws.convert.tflite_import import convert_file, convert_manifest
    from kws.convert.wake_manifest import SUFFIX

    changes = Changes(name=name, about=about, inference_stride=stride, compiled=compiled or None)
    if not model.exists():
        raise UsageError(f"{model}: no such file or directory; pass a .tflite file")
    if also is not None:
        if incremental or labels:
            other = "--incremental" if incremental else "--labels"
            raise UsageError(f"--also and {other} cannot be combined; use two commands")
        bundle = _make_litert(model, out, also, changes)
    elif incremental:
        made = _make_incremental(model, out, split_words(labels) if labels else (), changes)
        if made is None:
            return
        bundle = made
    elif model.is_dir():
        raise _no_model(model)
    elif model.suffix == SUFFIX:
        if out is None or labels:
            raise UsageError(f"{model}: a manifest contains the label; give --out and no --labels")
        bundle = convert_manifest(model, out, changes)
    elif not labels or out is None:
        raise UsageError(f"{model}: a .tflite file needs --labels and --out")
    else:
        bundle = convert_file(model, split_words(labels), out, changes)
    _print_bundle(bundle, plan)


def set_command(
    bundle: Annotated[Path, typer.Argument(**BUNDLE, help="Folder of a bundle.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the new bundle. By default <bundle> is changed."),
    ] = None,
    threshold: Annotated[
        int | None, setting_option(RecognizerSettings, "detection_threshold", "--threshold")
    ] = None,
    average_window_ms: Annotated[
        int | None, setting_option(RecognizerSettings, "average_window_ms", "--average-window-ms")
    ] = None,
    suppression_ms: Annotated[
        int | None, setting_option(RecognizerSettings, "suppression_ms", "--suppression-ms")
    ] = None,
    minimum_count: Annotated[
        int | None, setting_option(RecognizerSettings, "minimum_count", "--minimum-count")
    ] = None,
    gate_db: Annotated[
        float | None, setting_option(RecognizerSettings, "gate_db", "--gate-db")
    ] = None,
    stride: StrideOption = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            **BUNDLE,
            help="Add a second look: the model of this bundle checks each keyword before it is "
            "reported. Choose the thresholds of both with kws calibrate.",
        ),
    ] = None,
    no_verify: Annotated[
        bool, typer.Option("--no-verify", help="Remove the bundle's second look.")
    ] = False,
    report_unknown: Annotated[
        bool | None,
        typer.Option(
            "--report-unknown/--no-report-unknown",
            help="Whether words other than keywords print a line, as in TFLM's micro_speech.",
            show_default="no",
        ),
    ] = None,
    compiled: Annotated[
        bool | None,
        typer.Option(
            "--compiled/--interpreted",
            help="Whether firmware contains the model as C++ that calls the kernels, without an "
            "interpreter.",
            show_default="interpreted",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Short name of the model.")] = None,
    about: AboutOption = None,
    plan: PlanOption = None,
) -> None:
    """Change a bundle's settings.

    The model is unchanged. --threshold is for all labels and replaces thresholds of individual
    labels. Without options, the bundle is rewritten by this version of kws.

    \b
    kws set yes_no --threshold 180 --out runs/sensitive   # fewer misses
    kws set runs/marvin/bundle --gate-db 0.8              # rests in a quiet room
    kws set runs/marvin/bundle --stride 3                 # runs every 60 ms
    kws set runs/marvin/bundle --compiled                 # smaller firmware
    kws set yes_no --verify runs/wide/bundle --out runs/two
    """  # noqa: D301 - the help starts a block of lines at \b
    from kws.bundle.changes import Changes, change_bundle
    from kws.bundle.reading import load_bundle

    refuse_built_in(bundle, out)
    if verify and no_verify:
        raise UsageError("--verify and --no-verify cannot be combined")
    changes = Changes(
        name=name,
        about=about,
        inference_stride=stride,
        average_window_ms=average_window_ms,
        detection_threshold=threshold,
        suppression_ms=suppression_ms,
        minimum_count=minimum_count,
        report_unknown=report_unknown,
        compiled=compiled,
        gate_db=gate_db,
        verified_by=load_bundle(verify) if verify else None,
        no_verify=no_verify,
    )
    _print_bundle(change_bundle(bundle, out or bundle, changes), plan)


def _no_model(folder: Path) -> Exception:
    """The error for a folder as input."""
    from kws.bundle.layout import SETTINGS_FILE
    from kws.bundle.reading import load_bundle

    if not (folder / SETTINGS_FILE).is_file():
        load_bundle(folder)  # its error describes the folder
    name = bundle_text(folder)
    return UsageError(f"{name}: this is already a bundle; change its settings with kws set {name}")


def _make_litert(model: Path, out: Path | None, also: str, changes: Changes) -> Bundle:
    """The bundle with files for LiteRT, which are printed."""
    from kws.convert.litert import KINDS, kinds_of
    from kws.model.weights.litert_bundle import file_name, write_with_litert

    kinds = kinds_of(also)
    if not model.is_dir():
        raise UsageError(
            f"{model}: --also needs float weights, which this file does not have; pass a bundle "
            "that kws train wrote"
        )
    if out is None:
        raise UsageError(f"{model}: --also needs --out for the new bundle")
    bundle = write_with_litert(model, kinds, out, changes)
    for kind in kinds:
        file = out / file_name(kind)
        print(f"{file}: {file.stat().st_size} bytes, {KINDS[kind]}, for LiteRT")
    return bundle


def _make_incremental(
    model: Path, out: Path | None, labels: tuple[str, ...], changes: Changes
) -> Bundle | None:
    """The bundle of the incremental model; None if a bare .tflite file was made."""
    from kws.bundle.bundle import DEFAULT_STRIDE
    from kws.convert.incremental.bundle import (
        incremental_of_bundle,
        incremental_of_file,
        write_incremental_file,
    )

    if out is None:
        raise UsageError(f"{model}: --incremental needs --out for the new bundle")
    if model.is_dir():
        bundle, small = incremental_of_bundle(model, out, changes)
    elif labels:
        bundle, small = incremental_of_file(model, labels, out, changes)
    elif out.suffix == ".tflite":
        small = write_incremental_file(model, out, changes.inference_stride or DEFAULT_STRIDE)
        print(f"{out}: {len(small.model)} bytes\n{small}")
        return None
    else:
        raise UsageError(f"{model}: a .tflite file needs --labels, or a .tflite file as --out")
    print(small)
    return bundle


def _print_bundle(bundle: Bundle, plan: Path | None) -> None:
    """Print a bundle's size; draw its memory plan into `plan`."""
    from kws import _core
    from kws.bundle.memory.plan import plan_of, plan_text
    from kws.host.measure.flash_table import flash_text

    print(
        f"{bundle.path}: {bundle.name} {bundle.sha8}, {len(bundle.model)} bytes, "
        f"arena {bundle.arena_bytes} bytes, ops {', '.join(bundle.ops)}"
    )
    memory_plan = plan_of(bundle.model)
    print(plan_text(memory_plan))
    print(flash_text(_core.Interpreter(bundle.model).kernels))
    look = bundle.second_look
    if look:
        print(
            f"second look: {look.sha8}, {len(look.model)} bytes, {look.program}, "
            f"up to {look.settings.looks} looks {look.settings.every * bundle.every_ms} ms apart"
            + (f", each at 2 windows {bundle.earlier_ms} ms apart" if bundle.earlier_ms else "")
        )
    if bundle.compiled:
        print(f"compiled: {bundle.program}")
    if plan:
        from kws.bundle.memory.plan_picture import save_plan

        save_plan(plan, memory_plan, f"{bundle.name}: memory over time")
        print(f"picture: {plan}")
