# SPDX-License-Identifier: Apache-2.0
"""Models for ESPHome's micro_wake_word: a .tflite file and a manifest for each word."""

from __future__ import annotations

import json
import string
from dataclasses import dataclass
from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.recognizer_settings import NEVER
from kws.errors import UsageError, located
from kws.host.export.core_files import bundle_texts

NEXT = "copy the .tflite and .json files beside your ESPHome configuration; see {out}/example.yaml"

_FIRST_ESPHOME = "2024.7.0"
"""The first version that reads manifests of version 2."""

_PUBLISHED_STEP_MS = 10
"""Step of ESPHome's own models of version 2."""


@dataclass(frozen=True)
class _Word:
    label: str
    model: bytes
    cutoff: float
    """ESPHome's threshold of the mean probability, 0 to 1."""

    results: int
    """Number of probabilities in the mean."""

    arena_bytes: int

    @property
    def phrase(self) -> str:
        return string.capwords(self.label.replace("_", " "))


def files(bundle: Bundle) -> dict[str, str | bytes]:
    """The folder's files by path.

    Raises:
        UsageError: ESPHome cannot run the model, or the bundle reports no word.
        ModelError: the model cannot stream.
        ToolError: TensorFlow is not installed.
    """
    bundle = bundle.without_second_look()
    with located(bundle.path or Path(bundle.name)):
        words = _words(bundle)
    made: dict[str, str | bytes] = {
        "README.md": _readme(bundle, words),
        "example.yaml": _example(words),
        **bundle_texts(bundle, core=False),
    }
    for word in words:
        made[f"{word.label}.tflite"] = word.model
        made[f"{word.label}.json"] = _manifest(bundle, word)
    return made


def _words(bundle: Bundle) -> list[_Word]:
    from kws.convert.wake_model import (  # noqa: PLC0415 - needs TensorFlow, unlike other exports
        arena_bytes,
        streaming_model_of,
        wake_model,
    )

    recognizer = bundle.recognizer
    thresholds = recognizer.label_thresholds(bundle.labels)
    streaming = streaming_model_of(bundle)
    words = []
    for label in bundle.keywords:
        index = bundle.labels.index(label)
        threshold = thresholds[index] if thresholds else recognizer.detection_threshold
        if threshold == NEVER:
            continue
        model = wake_model(streaming, bundle.output_order[index] if bundle.output_order else index)
        words.append(
            _Word(
                label,
                model,
                # Between two steps, so that ESPHome's rounding gives the threshold.
                round((threshold + 0.5) / 255, 4),
                recognizer.average_window_ms // bundle.every_ms + 1,
                arena_bytes(model),
            )
        )
    if not words:
        raise UsageError("its thresholds of 255 report no word; change them with kws set")
    return words


def _manifest(bundle: Bundle, word: _Word) -> str:
    table = {
        "type": "micro",
        "wake_word": word.phrase,
        "author": "kws",
        "model": f"{word.label}.tflite",
        "trained_languages": [],  # a bundle does not record them
        "version": 2,
        "micro": {
            "probability_cutoff": word.cutoff,
            "feature_step_size": _step_ms(bundle),
            "sliding_window_size": word.results,
            "tensor_arena_size": word.arena_bytes,
            "minimum_esphome_version": _FIRST_ESPHOME,
        },
    }
    return json.dumps(table, indent=2, ensure_ascii=False) + "\n"


def _example(words: list[_Word]) -> str:
    # ESPHome enables only the first model.
    enable = "".join(
        f"      - micro_wake_word.enable_model: word_{number}\n"
        for number in range(2, len(words) + 1)
    )
    models = "".join(
        f"    - id: word_{number}\n"
        f"      model: {json.dumps(word.label + '.json', ensure_ascii=False)}\n"
        for number, word in enumerate(words, 1)
    )
    return f"""\
# Logs each word that it hears: an ESP32-S3 with an I2S microphone, such as an INMP441.
# Change the pins, or copy the section micro_wake_word into the configuration of your satellite.
esphome:
  name: kws
  on_boot:
    priority: -100
    then:
{enable}      - micro_wake_word.start:

esp32:
  board: esp32-s3-devkitc-1
  framework:
    type: esp-idf

logger:

i2s_audio:
  i2s_bclk_pin: GPIO4
  i2s_lrclk_pin: GPIO5

microphone:
  - platform: i2s_audio
    adc_type: external
    i2s_din_pin: GPIO6
    channel: left
    correct_dc_offset: true

micro_wake_word:
  stop_after_detection: false
  models:
{models}  on_wake_word_detected:
    - logger.log:
        format: "heard %s"
        args: [wake_word.c_str()]
"""


def _readme(bundle: Bundle, words: list[_Word]) -> str:
    rows = "\n".join(
        f"| {word.phrase} | {word.label}.json | {len(word.model)} | {word.arena_bytes} |"
        f" {word.cutoff} | {word.results} |"
        for word in words
    )
    recognizer, step_ms = bundle.recognizer, _step_ms(bundle)
    return f"""\
# Wake words for ESPHome

Models for ESPHome's `micro_wake_word`, from the kws bundle `{bundle.name}` ({bundle.sha8}).

| wake word | `model:` | flash, bytes | RAM, bytes | cutoff | results in the mean |
|---|---|---|---|---|---|
{rows}

Copy the `.tflite` and `.json` files beside your ESPHome configuration. `example.yaml` is a whole
configuration for an ESP32-S3 with an I2S microphone; ESPHome 2026.6 accepts it.

- Each word is a model of its own, with its own flash, RAM and time. Leave out the words that you do
  not need. ESPHome enables only the first model; `micro_wake_word.enable_model` enables others.
- All models of a configuration must have the same `feature_step_size`: here {step_ms} ms.
  ESPHome's published models and its `vad:` use 10 ms.{_warning(step_ms)}
- ESPHome 2026 reports nothing for at least {100 * step_ms} ms after the start and after a word.
- RAM is an estimate. ESPHome 2026 measures the requirement at the start; earlier versions use the
  estimate.

The models were not run on an ESP32.

## Differences from kws

- kws reports a word if the mean of its scores in {recognizer.average_window_ms} ms exceeds a
  threshold of 0 to 255. ESPHome averages as many results, one per {bundle.every_ms} ms
  (`sliding_window_size`); its `probability_cutoff` is (threshold + 0.5) / 255. A lower cutoff
  detects more words and gives more false alarms.
- kws compares the words of a bundle and reports the best one. ESPHome's models run independently,
  so two of them can detect the same sound if their cutoffs are low.
- Because ESPHome has no softmax, a probability is the product of the probabilities that the word
  beats each other class. With more than two classes it is lower than the softmax: by less than 2.7
  of 256 where the softmax is 220 or more, and by at most 52 of 256 elsewhere.
- The model runs all the time: ESPHome has no gate.
"""


def _step_ms(bundle: Bundle) -> int:
    return bundle.frontend.stride_samples * 1000 // bundle.frontend.sample_rate


def _warning(step_ms: int) -> str:
    """ESPHome checks only the steps of `models:`, and uses the step of the last model it loads."""
    if step_ms == _PUBLISHED_STEP_MS:
        return ""
    return "\n  Do not use `vad:`: it changes the step without a message, and the words are missed."
