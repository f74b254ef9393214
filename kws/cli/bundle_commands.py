# SPDX-License-Identifier: Apache-2.0
"""Commands that make bundles and run them on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kws.bundle.recognizer_settings import RecognizerSettings
from kws.cli.options import (
    BUNDLE,
    ChannelOption,
    EmulatedBoardOption,
    ForOption,
    ModelOption,
    ThenOption,
    open_bundle,
    open_device,
    refuse_built_in,
    setting_option,
    split_words,
)
from kws.errors import UsageError

if TYPE_CHECKING:
    from kws.bundle.bundle import Bundle
    from kws.convert.tflite_import import Changes


def convert(
    model: Annotated[
        Path,
        typer.Argument(
            **BUNDLE,
            help="An int8 .tflite file or C source with one (model.h), a microWakeWord model's "
            ".json, or a bundle to change.",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the new bundle. The default is the bundle that is changed."),
    ] = None,
    labels: Annotated[
        str,
        typer.Option(help="Labels of the model's outputs, in their order: yes,no,unknown,silence."),
    ] = "",
    name: Annotated[
        str | None, typer.Option(help="Short name of the model. The default is the file's name.")
    ] = None,
    about: Annotated[
        str | None, typer.Option(help="Data that the model learned from, and its licence.")
    ] = None,
    stride: Annotated[
        int | None, typer.Option(min=1, max=50, help="Hops of 20 ms per inference (2).")
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
    report_unknown: Annotated[
        bool | None,
        typer.Option(
            "--report-unknown/--no-report-unknown",
            help="Whether a word that is no keyword writes a line, as TFLM's micro_speech does.",
            show_default="no",
        ),
    ] = None,
    gate_db: Annotated[
        float | None, setting_option(RecognizerSettings, "gate_db", "--gate-db")
    ] = None,
    incremental: Annotated[
        bool,
        typer.Option(
            "--incremental",
            help="Make an incremental model: it computes only what is new in --stride hops, and "
            "its scores are the same. Without --labels, --out is a .tflite file.",
        ),
    ] = False,
    compiled: Annotated[
        bool | None,
        typer.Option(
            "--compiled/--interpreted",
            help="Whether firmware gets the model as C++ that calls the kernels, without an "
            "interpreter.",
            show_default="interpreted",
        ),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="PNG file for a picture of the memory plan.")
    ] = None,
) -> None:
    """Make a bundle from an int8 model, or change a bundle's settings."""
    from kws import _core
    from kws.bundle.flash_table import flash_text
    from kws.bundle.memory.plan import plan_of, plan_text
    from kws.convert.tflite_import import Changes, convert_file, convert_manifest, renew_bundle
    from kws.convert.wake_manifest import SUFFIX

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
    )
    if not model.exists():
        raise UsageError(f"{model}: no such file or directory; name a .tflite file or a bundle")
    if incremental:
        made = _make_incremental(model, out, split_words(labels) if labels else (), changes)
        if made is None:
            return
        bundle = made
    elif model.is_dir():
        refuse_built_in(model, out)
        bundle = renew_bundle(model, out or model, changes)
    elif model.suffix == SUFFIX:
        if out is None or labels:
            raise UsageError(f"{model}: a manifest has its label; give --out and no --labels")
        bundle = convert_manifest(model, out, changes)
    elif not labels or out is None:
        raise UsageError(f"{model}: a .tflite file needs --labels and --out")
    else:
        bundle = convert_file(model, split_words(labels), out, changes)
    print(
        f"{bundle.path}: {bundle.name} {bundle.sha8}, {len(bundle.model)} bytes, "
        f"arena {bundle.arena_bytes} bytes, ops {', '.join(bundle.ops)}"
    )
    memory_plan = plan_of(bundle.model)
    print(plan_text(memory_plan))
    print(flash_text(_core.Interpreter(bundle.model).kernels))
    if bundle.compiled:
        print(f"compiled: {bundle.program}")
    if plan:
        from kws.bundle.memory.plan_picture import save_plan

        save_plan(plan, memory_plan, f"{bundle.name}: memory over time")
        print(f"picture: {plan}")


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
        bundle, incremental_model = incremental_of_bundle(model, out, changes)
    elif labels:
        bundle, incremental_model = incremental_of_file(model, labels, out, changes)
    elif out.suffix == ".tflite":
        incremental_model = write_incremental_file(
            model, out, changes.inference_stride or DEFAULT_STRIDE
        )
        print(f"{out}: {len(incremental_model.model)} bytes\n{incremental_model}")
        return None
    else:
        raise UsageError(f"{model}: a .tflite file needs --labels, or a .tflite file as --out")
    print(incremental_model)
    return bundle


def export_web(
    *,
    out: Annotated[Path, typer.Option(help="Folder of the page. One that exists is replaced.")],
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    compiled: Annotated[
        bool,
        typer.Option(
            "--compiled",
            help="Build the model into the page as C++ that calls the kernels, without an "
            "interpreter: smaller. Needs emscripten.",
        ),
    ] = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the page on this machine until Ctrl-C.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port for --serve. 0 takes a free one.")
    ] = 8000,
) -> None:
    """Write a web page that runs a model in the browser, without a network."""
    from contextlib import suppress

    from kws.host.web.export import export_page
    from kws.host.web.file_server import file_server

    bundle = open_device(model, then, listen_for)
    size = export_page(bundle, out, compiled=compiled)
    names = " then ".join(f"{part.name} {part.sha8}" for part in bundle.parts)
    models = sum(len(part.model) for part in bundle.parts)
    what = "the models" if then else "the model"
    print(
        f"{out}: {names}, {size} bytes", f"with {what}" if compiled else f"and {models} of {what}"
    )
    if not serve:
        print(f"open {out / 'index.html'} in a browser")
        return
    with file_server(out, port) as server, suppress(KeyboardInterrupt):
        print(f"http://127.0.0.1:{server.server_port}/ shows it; Ctrl-C stops it", flush=True)
        server.serve_forever()


def features(
    clip: Annotated[Path, typer.Argument(help="A recording.")],
    out: Annotated[Path, typer.Option(help="NumPy file for the spectrogram: int8[frames, 40].")],
    png: Annotated[Path | None, typer.Option(help="PNG file for a picture of it.")] = None,
    channel: ChannelOption = None,
    model: Annotated[
        Path | None,
        typer.Option(**BUNDLE, help="Bundle that takes the frames: 20 ms apart, or 10 ms."),
    ] = None,
) -> None:
    """Compute the spectrogram of a recording as a device does."""
    from kws._core import SAMPLE_RATE, STRIDE_SAMPLES
    from kws.features.spectrogram import of_recording, save

    stride = open_bundle(model).frontend.stride_samples if model else STRIDE_SAMPLES
    pcm, frames = of_recording(clip, channel, stride)
    save(out, frames)
    if png:
        from kws.features.spectrogram_plot import save_picture

        save_picture(png, pcm, frames, clip.name, stride)
    print(f"{out}: {len(frames)} frames of {len(pcm) / SAMPLE_RATE:.2f} s")


def infer(
    model: Annotated[
        Path,
        typer.Argument(
            **BUNDLE,
            help="A .tflite file, C source with one (model.h), or a bundle: a folder or yes_no, "
            "ten_words, tiny.",
        ),
    ],
    *,
    inputs: Annotated[
        Path,
        typer.Option(
            "--input",
            help="X.npy: raw values, one row per call, or what kws features wrote, from which the "
            "model's windows are taken. An .npz file holds several inputs.",
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Y.npy for the raw outputs. An .npz file holds several outputs.")
    ],
    board: EmulatedBoardOption = "host",
) -> None:
    """Run a model on rows of raw quantized values.

    The model keeps its state from row to row.
    """
    from kws.host.emulate import inference as runner

    outcome = runner.run_files(model, inputs, board)
    runner.save_rows(out, outcome.outputs)
    shapes = ", ".join(f"{list(y.shape)} {y.dtype}" for y in outcome.outputs)
    print(f"{out}: {shapes}, arena {outcome.arena_used_bytes} bytes")
