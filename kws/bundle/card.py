# SPDX-License-Identifier: Apache-2.0
"""The model card: a bundle's README.md."""

from __future__ import annotations

from typing import Any

from kws.bundle.bundle import LOOK_METRICS, Bundle

_ACCURACIES = {"float": "Float, Keras", "int8": "int8, LiteRT", "core": "int8, kws core"}


def model_card(bundle: Bundle) -> str:
    """Facts that a user needs before using a bundle, as Markdown."""
    versions = ", ".join(f"{name} {version}" for name, version in bundle.versions.items())
    keywords = ", ".join(f"*{word}*" for word in bundle.keywords)
    parts = [
        f"# {bundle.name}",
        (
            f"Hears {keywords}. {len(bundle.model):,} bytes of int8 weights and graph, "
            f"{bundle.arena_bytes:,} bytes of tensor arena. Made by {versions}."
        ),
        *_second_look(bundle),
        *_data(bundle),
        *_training(bundle),
        *_accuracy(bundle),
        *_expected(bundle),
        (
            "`bundle.toml` holds all settings, `firmware/` the same as C++. Generated; "
            "`kws convert` and `kws train` overwrite it."
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _second_look(bundle: Bundle) -> list[str]:
    look = bundle.second_look
    if look is None:
        return []
    apart_ms = look.settings.every * bundle.every_ms
    text = (
        f"A second look of {len(look.model):,} bytes checks each keyword before it is reported, up "
        f"to {look.settings.looks} times, {apart_ms} ms apart."
    )
    if bundle.earlier_ms:
        text += f" It also has to confirm the window that ended {bundle.earlier_ms} ms earlier."
    return [text]


def _data(bundle: Bundle) -> list[str]:
    return ["## Data", bundle.all_data] if bundle.all_data else []


def _training(bundle: Bundle) -> list[str]:
    training = bundle.metrics.get("training")
    if not training:
        return []
    samples = training["samples"]
    return [
        "## Training",
        (
            f"`kws train`: {bundle.arch}, {_epochs(training)} in batches of "
            f"{training['batch_size']} with Adam at {training['learning_rate']:g}, seed "
            f"{training['seed']}. For each clip of a keyword {samples['unknown_per_keyword']:g} of "
            f"unknown words and {samples['silence_per_keyword']:g} of silence. "
            f"{_augmentation(samples['augmentation'])}"
        ),
    ]


def _epochs(training: dict[str, Any]) -> str:
    """The length of training."""
    if training["epochs"] == 1:
        return "1 epoch"
    return f"{training['epochs']} epochs (best: {training['best_epoch']})"


def _augmentation(settings: dict[str, Any]) -> str:
    """The augmentation of the training clips."""
    lowest = settings["snr_db"]
    highest = lowest + settings["snr_range_db"]
    return (
        f"Clips moved by up to {settings['shift_ms']} ms, {settings['background']:.0%} of them "
        f"with noise at {lowest:g} to {highest:g} dB, played up to {settings['speed']:.0%} faster "
        f"or slower, over a range of {settings['gain_db']:g} dB; {settings['room']:.0%} in a "
        f"room, {settings['microphone']:.0%} through a poor microphone."
    )


def _accuracy(bundle: Bundle) -> list[str]:
    accuracy = bundle.metrics.get("accuracy", {})
    if not accuracy:
        return []
    rows = ["| computed by | test accuracy |", "|---|---|"]
    rows += [f"| {_ACCURACIES.get(key, key)} | {value:.2%} |" for key, value in accuracy.items()]
    out = ["## Accuracy", "\n".join(rows)]
    recall = bundle.metrics.get("recall", {})
    if recall:
        clips = bundle.metrics.get("clips", 0)
        each = ", ".join(f"{label} {value:.1%}" for label, value in recall.items())
        out.append(f"{clips} clips of speakers that it never heard, equal shares. Recall: {each}.")
    return out


_KINDS = {
    "quiet": "words in a quiet room",
    "noise": "words in noise",
    "over_talk": "words over talk",
    "talk": "talk alone",
}


def _expected(bundle: Bundle) -> list[str]:
    """The performance that calibration expects of the bundle's thresholds."""
    facts = bundle.metrics.get("calibration", {})
    if bundle.second_look is None:
        return ["## Thresholds", *expected] if (expected := _expected_of(facts)) else []
    both = _expected_of(bundle.metrics.get(LOOK_METRICS, {}))
    alone = _expected_of(facts)
    return [
        *(["## Thresholds", *both] if both else []),
        *(["## Without the second look (`--no-verify`)", *alone] if alone else []),
    ]


def _expected_of(facts: dict[str, Any]) -> list[str]:
    rows = [
        "| | hours | keywords | missed | false alarms | per hour, 95 % |",
        "|---|---|---|---|---|---|",
    ]
    for key, title in _KINDS.items():
        kind = facts.get(key)
        if not kind:
            continue
        said = kind.get("keywords_said")
        missed = f"{kind['missed'] / said:.1%}" if said else ""
        low, high = kind["false_alarms_an_hour_95"]
        rows.append(
            f"| {title} | {kind['hours']:.2f} | {said or ''} | {missed} | {kind['false_alarms']} "
            f"| {low:.2f} to {high:.2f} |"
        )
    if len(rows) == 2:
        return []
    text = (
        f"The thresholds allow {facts['asked_false_alarms_an_hour']:g} false alarms per hour of "
        "talk"
    )
    if "asked_false_alarms_at_words" in facts:
        text += (
            f" and {facts['asked_false_alarms_at_words']:g} in an hour with 180 single other words"
        )
    if "recordings" in facts:
        text += (
            f", and were chosen for {facts['speakers']} people in {facts['recordings']} recordings "
            "of theirs"
        )
    text += ". On the validation split, on which they were chosen, they gave:"
    return [text, "\n".join(rows)]
