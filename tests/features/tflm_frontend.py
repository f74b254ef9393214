# SPDX-License-Identifier: Apache-2.0
"""TFLM's frontend as a model for TFLM's interpreter: micro_speech's audio preprocessor.

The graph and its constants are written here from the formulas; all arithmetic on samples is done by
TFLM.
"""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
from flatbuffers import flexbuffers
from numpy.typing import NDArray

from tests.runtime.model_builder import ModelBuilder

RATE = 16000  # Hz
WINDOW = 480  # samples
STRIDE = 320  # samples
CHANNELS = 40
FFT_SIZE = 512
LOWEST_HZ, HIGHEST_HZ = 125.0, 7500.0
FIRST_BIN, BINS_END = 5, 241

SUBTRACTION = {
    "alternate_one_minus_smoothing": 15401,
    "alternate_smoothing": 983,  # of odd channels: 0.06
    "clamping": False,
    "min_signal_remaining": 819,  # 0.05
    "num_channels": CHANNELS,
    "one_minus_smoothing": 15975,
    "smoothing": 409,  # of even channels: 0.025
    "smoothing_bits": 10,
    "spectral_subtraction_bits": 14,
}


def window() -> NDArray[np.int16]:
    """A Hann window with 12 fractional bits."""
    turns = (np.arange(WINDOW) + 0.5) / WINDOW
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * turns)
    return np.floor(hann * 4096 + 0.5).astype(np.int16)


def filter_bank() -> dict[str, NDArray[np.int16]]:
    """Triangles equally wide on the mel scale, as rows of weights with 12 fractional bits.

    In band i, channel i - 1 falls (`falling`) and channel i rises (`rising`). A row starts at an
    even bin and holds a multiple of four bins.
    """

    def mel(hertz: Any) -> Any:
        return np.float32(1127) * np.log1p(np.float32(hertz) / np.float32(700))

    low, high = mel(LOWEST_HZ), mel(HIGHEST_HZ)
    step = (high - low) / np.float32(CHANNELS + 1)
    ends = [low, *(low + step * np.float32(band + 1) for band in range(CHANNELS + 1))]
    bins = mel(np.arange(BINS_END) * np.float32(RATE / FFT_SIZE))
    falling: list[NDArray[np.int16]] = []
    rising: list[NDArray[np.int16]] = []
    starts: list[int] = []
    positions: list[int] = []
    widths: list[int] = []
    bin_ = FIRST_BIN
    for start, end in itertools.pairwise(ends):
        first = bin_
        while bin_ < BINS_END and (bins[bin_] <= end or end is ends[-1]):
            bin_ += 1
        weight = (end - bins[first:bin_]) / (end - start)
        even = first // 2 * 2
        width = -(-(bin_ - even) // 4) * 4
        starts.append(even)
        positions.append(sum(widths))
        widths.append(width)
        for row, values in ((falling, weight), (rising, 1 - weight)):
            padded = np.zeros(width, np.int16)
            padded[first - even : bin_ - even] = (values * 4096).astype(np.int16)
            row.append(padded)
    return {
        "falling": np.concatenate(falling),
        "rising": np.concatenate(rising),
        "starts": np.array(starts, np.int16),
        "positions": np.array(positions, np.int16),
        "widths": np.array(widths, np.int16),
    }


def gains() -> NDArray[np.int16]:
    """PCAN's gain for a noise estimate: (noise / 128 + 80) ^ -0.95 with 21 fractional bits.

    Entries for the estimates 0 and 1, then a parabola (start, slope, curve, unused) for each number
    of significant bits.
    """

    def gain(noise: int) -> int:
        value = (np.float32(noise) / np.float32(128) + np.float32(80)) ** np.float32(-0.95)
        return min(int(np.float32(value) * np.float32(1 << 21) + np.float32(0.5)), 32767)

    table = [gain(0), gain(1)]
    for bits in range(2, 33):
        low = 1 << (bits - 1)
        start, middle = gain(low), gain(low + low // 2)
        end = gain(min(2 * low, 2**32 - 1))
        to_middle, to_end = middle - start, end - start
        table += [start, 4 * to_middle - to_end, 2 * to_end - 4 * to_middle, 0]
    return np.array(table[:-1], np.int16)


@cache
def preprocessor_model() -> bytes:
    """The frontend: 480 samples (1 x 480 int16) in, a frame (40 int8) out.

    The interpreter keeps the noise estimate from call to call.
    """
    builder = ModelBuilder()

    def constant(values: Any, dtype: str = "int16") -> int:
        data = np.asarray(values)
        return builder.tensor(data.shape, dtype, data=data)

    def custom(name: str, inputs: list[int], outputs: list[int], **options: Any) -> None:
        builder.custom_op(name, inputs, outputs, bytes(flexbuffers.Dumps(options)))

    def arithmetic(name: str, a: int, b: int, options: str | None = None) -> int:
        result = builder.tensor([CHANNELS], "int32")
        builder.op(name, [a, b], [result], options)
        return result

    def cast(source: int, count: int, dtype: str) -> int:
        result = builder.tensor([count], dtype)
        builder.op("CAST", [source], [result])
        return result

    def tensors(*kinds: tuple[list[int], str]) -> list[int]:
        return [builder.tensor(shape, dtype) for shape, dtype in kinds]

    samples, weighted, flat = tensors(
        ([1, WINDOW], "int16"), ([1, WINDOW], "int16"), ([WINDOW], "int16")
    )
    custom("SignalWindow", [samples, constant(window())], [weighted], shift=12)
    builder.op("RESHAPE", [weighted, constant([-1], "int32")], [flat])

    scaled, shift, spectrum, energy = tensors(
        ([WINDOW], "int16"), ([], "int32"), ([FFT_SIZE + 2], "int16"), ([257], "uint32")
    )
    custom("SignalFftAutoScale", [flat], [scaled, shift])
    custom("SignalRfft", [scaled], [spectrum], T=7, fft_length=FFT_SIZE)
    custom("SignalEnergy", [spectrum], [energy], start_index=FIRST_BIN, end_index=BINS_END)

    # Bins that no channel uses are zero.
    used, padded = tensors(([BINS_END - FIRST_BIN], "int32"), ([257], "int32"))
    cut = [constant([number], "int32") for number in (FIRST_BIN, BINS_END, 1)]
    builder.op("STRIDED_SLICE", [cast(energy, 257, "int32"), *cut], [used], "StridedSliceOptions")
    zeros = [constant(np.zeros(count), "int32") for count in (FIRST_BIN, 257 - BINS_END)]
    builder.op(
        "CONCATENATION", [zeros[0], used, zeros[1]], [padded], "ConcatenationOptions", axis=0
    )

    bank = filter_bank()
    sums, roots, clean, noise, steady, logarithm = tensors(
        ([CHANNELS], "uint64"),
        *[([CHANNELS], "uint32")] * 4,
        ([CHANNELS], "int16"),
    )
    custom(
        "SignalFilterBank",
        [
            cast(padded, 257, "uint32"),
            *(constant(bank[name]) for name in bank),
        ],
        [sums],
        num_channels=CHANNELS,
    )
    custom("SignalFilterBankSquareRoot", [sums, shift], [roots])
    custom("SignalFilterBankSpectralSubtraction", [roots], [clean, noise], **SUBTRACTION)
    custom("SignalPCAN", [clean, noise, constant(gains())], [steady], snr_shift=6)
    custom("SignalFilterBankLog", [steady], [logarithm], input_correction_bits=3, output_scale=64)

    # 666 steps of the logarithm become 256 steps of int8.
    x = cast(logarithm, CHANNELS, "int32")
    x = arithmetic("MUL", x, constant(256, "int32"), "MulOptions")
    x = arithmetic("ADD", x, constant(333, "int32"), "AddOptions")
    x = arithmetic("DIV", x, constant(666, "int32"), "DivOptions")
    x = arithmetic("ADD", x, constant(-128, "int32"), "AddOptions")
    x = arithmetic("MINIMUM", x, constant(127, "int32"))
    x = arithmetic("MAXIMUM", x, constant(-128, "int32"))
    return builder.build([samples], [cast(x, CHANNELS, "int8")])


def tflm_features(pcm: NDArray[np.int16], model: bytes | None = None) -> NDArray[np.int8]:
    """A clip's spectrogram as TFLM computes it (frames x 40), starting from a zero noise estimate.

    Args:
        pcm: 16 kHz, one-dimensional.
        model: the audio preprocessor to use instead of `preprocessor_model()`.
    """
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_bytes(model or preprocessor_model())
    frames = []
    for start in range(0, len(pcm) - WINDOW + 1, STRIDE):
        interpreter.set_input(pcm[np.newaxis, start : start + WINDOW], 0)
        interpreter.invoke()
        frames.append(interpreter.get_output(0).reshape(CHANNELS).copy())
    return np.array(frames, np.int8).reshape(-1, CHANNELS)
