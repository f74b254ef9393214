# SPDX-License-Identifier: Apache-2.0
"""Commands that export bundles and run them on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kws.cli.option_values import open_bundle, open_device
from kws.cli.options import (
    BUNDLE,
    ChannelOption,
    EmulatedBoardOption,
    ForOption,
    JsonOption,
    ModelOption,
    ThenOption,
)


def export_web(
    *,
    out: Annotated[Path, typer.Option(help="Folder of the page. An existing one is replaced.")],
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
        int, typer.Option(min=0, max=65535, help="Port for --serve. 0 selects a free one.")
    ] = 8000,
) -> None:
    """Write a web page that runs a model in the browser, without a network."""
    from contextlib import suppress

    from kws.host.web.export import export_page
    from kws.host.web.file_server import file_server

    device = open_device(model, then, listen_for)
    size = export_page(device, out, compiled=compiled)
    names = " then ".join(f"{part.name} {part.sha8}" for part in device.parts)
    models = sum(len(part.model) for part in device.parts)
    what = "the models" if then else "the model"
    print(
        f"{out}: {names}, {size} bytes", f"with {what}" if compiled else f"and {models} of {what}"
    )
    if not serve:
        print(f"open {out / 'index.html'} in a browser")
        return
    with file_server(out, port) as server, suppress(KeyboardInterrupt):
        url = f"http://127.0.0.1:{server.server_port}/"
        print(f"open {url} in a browser; Ctrl-C stops", flush=True)
        server.serve_forever()


_ExportOut = Annotated[Path, typer.Option(help="Folder to write. An earlier export is replaced.")]


def export_arduino(*, out: _ExportOut, model: ModelOption = None) -> None:
    """Write an Arduino library with the model, the core and sketches."""
    _export("arduino", out, model)


def export_cmake(*, out: _ExportOut, model: ModelOption = None) -> None:
    """Write a CMake project: a C and C++ library with the model, and a program."""
    _export("cmake", out, model)


def export_esphome(*, out: _ExportOut, model: ModelOption = None) -> None:
    """Write a wake word model for ESPHome's micro_wake_word for each word."""
    _export("esphome", out, model)


def export_esp_idf(*, out: _ExportOut, model: ModelOption = None) -> None:
    """Write an ESP-IDF component with the model, the core and an example with I2S."""
    _export("esp-idf", out, model)


def export_platformio(*, out: _ExportOut, model: ModelOption = None) -> None:
    """Write a PlatformIO library with the model, the core and examples."""
    _export("platformio", out, model)


def export_tflm(*, out: _ExportOut, model: ModelOption = None) -> None:
    """Write a library that runs sketches written for TensorFlow Lite Micro."""
    _export("tflm", out, model)


def export_zephyr(*, out: _ExportOut, model: ModelOption = None) -> None:
    """Write a Zephyr module with the model, the core and a sample."""
    _export("zephyr", out, model)


def _export(kind: str, out: Path, model: Path | None) -> None:
    from kws.host.export.exporters import export

    bundle = open_bundle(model)
    following = export(kind, bundle, out)
    print(f"{out}: {bundle.name} {bundle.sha8}")
    print(f"next: {following}")


def features(
    clip: Annotated[Path, typer.Argument(help="A recording.")],
    out: Annotated[Path, typer.Option(help="NumPy file for the spectrogram: int8[frames, 40].")],
    png: Annotated[
        Path | None, typer.Option(help="PNG file for a picture of the spectrogram.")
    ] = None,
    channel: ChannelOption = None,
    model: Annotated[
        Path | None,
        typer.Option(
            **BUNDLE, help="Bundle that will use the frames; it sets their kind and spacing."
        ),
    ] = None,
) -> None:
    """Compute the spectrogram of a recording as a device does."""
    from kws._core import SAMPLE_RATE
    from kws.features.frontend_settings import FrontendSettings
    from kws.features.spectrogram import of_recording, save

    frontend = open_bundle(model).frontend if model else FrontendSettings()
    stride = frontend.stride_samples
    pcm, frames = of_recording(clip, channel, stride, keep_noise=frontend.keep_noise)
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
            help="X.npy: raw values, one row per call, or the output of kws features, which is "
            "cut into the model's windows. An .npz file contains several inputs.",
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Y.npy for the raw outputs. An .npz file contains several outputs.")
    ],
    board: EmulatedBoardOption = "host",
) -> None:
    """Run a model on rows of raw quantized values.

    The model keeps its state between rows.
    """
    from kws.host.emulate import inference as runner

    outcome = runner.run_files(model, inputs, board)
    runner.save_rows(out, outcome.outputs)
    shapes = ", ".join(f"{list(y.shape)} {y.dtype}" for y in outcome.outputs)
    print(f"{out}: {shapes}, arena {outcome.arena_used_bytes} bytes")


def licences(
    *, model: ModelOption = None, then: ThenOption = None, as_json: JsonOption = False
) -> None:
    """List the licences of a model and its firmware.

    Shows what a seller of a device must do. The licences of the data come from the bundle's text
    about its data; kws set BUNDLE --about TEXT changes it.
    """
    from json import dumps

    from kws.cli.printing import licence_tables

    bundles = [open_bundle(model), *([open_bundle(then)] if then else [])]
    if as_json:
        print(dumps(licence_tables.to_json(bundles), indent=2))
    else:
        licence_tables.print_licences(bundles)
