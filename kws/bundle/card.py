"""The model card: a bundle's README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kws.bundle.contents import Bundle

_ACCURACIES = {"float": "Float, Keras", "int8": "int8, LiteRT", "core": "int8, kws core"}


def model_card(bundle: Bundle) -> str:
    """What a person wants to know of a bundle before using it, as Markdown."""
    versions = ", ".join(f"{name} {version}" for name, version in bundle.versions.items())
    keywords = ", ".join(f"*{word}*" for word in bundle.keywords)
    parts = [
        f"# {bundle.name}",
        (
            f"Hears {keywords}. {len(bundle.model):,} bytes of int8 weights and graph, "
            f"{bundle.arena_bytes:,} bytes of tensor arena. Made by {versions}."
        ),
        *_data(bundle),
        *_training(bundle),
        *_accuracy(bundle),
        (
            "`bundle.toml` holds all settings, `firmware/` the same as C++. Generated; "
            "`kws convert` and `kws train` write it anew."
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _data(bundle: Bundle) -> list[str]:
    return ["## Data", bundle.data] if bundle.data else []


def _training(bundle: Bundle) -> list[str]:
    training = bundle.metrics.get("training")
    if not training:
        return []
    samples = training["samples"]
    return [
        "## Training",
        (
            f"`kws train`: {training['model']}, {training['epochs']} epochs (best: "
            f"{training['best_epoch']}) in batches of {training['batch_size']} with Adam at "
            f"{training['learning_rate']:g}, seed {training['seed']}. For each clip of a keyword "
            f"{samples['unknown_per_keyword']:g} of unknown words and "
            f"{samples['silence_per_keyword']:g} of silence. "
            f"{_changes(samples)}"
        ),
    ]


def _changes(samples: dict[str, Any]) -> str:
    """What happened to the clips; bundles of kws 0.1 have only two of these settings."""
    changes = samples.get("augmentation", samples)
    text = f"Clips moved by up to {changes['shift_ms']} ms"
    if "background_volume" in changes:
        return (
            f"{text}, {changes['background_frequency']:.0%} of them with background noise at a "
            f"volume of up to {changes['background_volume']:g}."
        )
    return (
        f"{text}, {changes['background']:.0%} of them with noise at {changes['snr_db']:g} to "
        f"{changes['snr_db'] + 30:g} dB, played up to {changes['speed']:.0%} faster or slower, "
        f"over a range of {changes['gain_db']:g} dB; {changes['room']:.0%} in a simulated room, "
        f"{changes['microphone']:.0%} through a poor microphone."
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
