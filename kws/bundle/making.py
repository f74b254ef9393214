# SPDX-License-Identifier: Apache-2.0
"""Makes a bundle from a model file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kws import __version__, config
from kws.bundle.bundle import DEFAULT_STRIDE, Bundle
from kws.bundle.checks import check_name, check_tensors, input_frames, open_model, window_frames
from kws.bundle.device import Device
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.second_look import SecondLook
from kws.errors import UsageError
from kws.features.frontend_settings import HOP, STRIDES, FrontendSettings
from kws.labels import check_labels


def make_bundle(
    model: bytes,
    labels: Sequence[str],
    *,
    name: str,
    recognizer: RecognizerSettings | None = None,
    inference_stride: int | None = None,
    frames: int | None = None,
    stride_samples: int = HOP,
    keep_noise: bool = False,
    output_order: Sequence[int] = (),
    data: str = "",
    metrics: dict[str, Any] | None = None,
    versions: dict[str, str] | None = None,
    second_look: SecondLook | None = None,
) -> Bundle:
    """Make a bundle from an int8 .tflite file; shapes, ops and arena are read from the model.

    Args:
        model: the .tflite file. Its only input is 25 to 150 frames of 40 int8 values in any shape,
            or the new frames of one call for a streaming model. Its only output is one int8 per
            label.
        labels: silence, unknown, then the keywords; or only keywords.
        name: short name of the model.
        recognizer: how scores become commands; None for the defaults.
        inference_stride: hops from one inference to the next; None for the default. For a streaming
            model it must be the frames per call.
        frames: frames that a streaming model's scores cover; None for one second. For other models
            it is the input's number of frames.
        stride_samples: samples from one frame to the next: a hop, or half a hop.
        keep_noise: whether the model was trained with features without noise removal.
        output_order: index of each label's score in the model's output, as returned by
            `kws.labels.class_order`; empty if the order is the same.
        data: the training data and its licence.
        metrics: measurements, as TOML values.
        versions: versions of other programs that made the model; the kws version is added.
        second_look: a second model that checks keywords before they are reported.

    Raises:
        ModelError: the file is damaged, or has an unsupported op, type or shape.
        UsageError: labels, name or settings that do not fit.
    """
    check_name(name)
    check_labels(labels)
    if output_order and sorted(output_order) != list(range(len(labels))):
        raise UsageError("output_order must name each output of the model once")
    interpreter = open_model(model)
    source, target = check_tensors(interpreter, len(labels))
    if stride_samples not in STRIDES:
        raise UsageError(
            f"a stride of {stride_samples} samples; frames start {' or '.join(map(str, STRIDES))} "
            "samples apart"
        )
    window = window_frames(interpreter, stride_samples, frames)
    taken = input_frames(source.shape)
    streams = taken < window
    if inference_stride is None:
        inference_stride = taken if streams else DEFAULT_STRIDE
    config.check_range("inference_stride", inference_stride, 1, 50)
    if streams and inference_stride != taken:
        raise UsageError(
            f"inference_stride is {inference_stride}; this model streams, {taken} new frames at a "
            f"time, so it must be {taken}"
        )
    bundle = Bundle(
        name=name,
        labels=tuple(labels),
        model=model,
        input=source,
        output=target,
        output_order=tuple(output_order),
        ops=tuple(dict.fromkeys(interpreter.ops)),
        arena_bytes=interpreter.arena_used_bytes,
        recognizer=recognizer or RecognizerSettings(),
        inference_stride=inference_stride,
        frontend=FrontendSettings(
            frames=window, stride_samples=stride_samples, keep_noise=keep_noise
        ),
        data=data,
        metrics=metrics or {},
        versions={"kws": __version__, **(versions or {})},
        second_look=second_look,
    )
    Device(bundle).pipeline()  # the core checks settings that depend on each other
    return bundle
