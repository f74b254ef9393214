# SPDX-License-Identifier: Apache-2.0
"""The C++ core (kws/firmware/src) for Python: the same files that the boards compile."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kws.errors import KwsError

SAMPLE_RATE: int
"""Samples per second in every part of the core (16000)."""

WINDOW_SAMPLES: int
"""Samples in one frame's window (480, 30 ms)."""

STRIDE_SAMPLES: int
"""Samples from one frame to the next (320, 20 ms): one hop."""

CHANNELS: int
"""int8 values in a frame (40)."""

LOWEST_HZ: float
"""Where the lowest channel begins (125)."""

HIGHEST_HZ: float
"""Where the highest channel ends (7500)."""

SPECTROGRAM_FRAMES: int
"""Frames in the spectrogram that a model usually sees (49, 1 s)."""

SHORTEST_WINDOW: int
"""Frames in the shortest spectrogram that a model may see (25, 0.5 s)."""

LONGEST_WINDOW: int
"""Frames in the longest one (150, 3 s)."""

AVERAGE_WINDOW_MS: int
"""The recognizer's default: averaging window of the scores, in ms (1000)."""

DETECTION_THRESHOLD: int
"""The recognizer's default: a mean score has to exceed this (200 of 255)."""

SUPPRESSION_MS: int
"""The recognizer's default: time before a label is reported again, in ms (1500)."""

MINIMUM_COUNT: int
"""The recognizer's default: fewer results in the window report nothing (3)."""

LINE_FORMATS: dict[str, str]
"""Lines of the firmware, by name, such as boot and heard. Each `{}` is a text or a number."""

ERROR_MARK: str
"""How a line that reports a fault begins: `error: `."""

FAULT_LINES: dict[str, str]
"""Lines that report faults, by name: lost (with a `{}`), no_start, no_samples, watchdog, bad_model,
wrong_schema_version and arena_too_small (how small follows)."""

FAULT_BLINKS: dict[str, int]
"""How often the LED blinks between pauses, by what failed: model, microphone or processor."""

OPS: dict[str, str]
"""The runtime's ops: the schema's name to what follows `Add` in the resolver's method. CONV_2D has
Conv2D."""

KERNELS: dict[str, str]
"""The same for all kernels that a program can register: the ops, and variants of them that take
only some shapes, with less code. CONV_2D has Conv2D, `DEPTHWISE_CONV_2D 3x3` has
DepthwiseConv2DThreeByThree."""

def op_name(builtin_code: int) -> str:
    """The schema's name of an operator: CONV_2D for 3."""

class CoreError(KwsError):
    """A status other than kOk from the core; the text is the line that the firmware would print."""

class Frontend:
    """PCM to frames; the noise estimate and the samples of an unfinished window are kept."""

    def __init__(self, stride_samples: int = STRIDE_SAMPLES, keep_noise: bool = False) -> None:
        """`stride_samples` from one frame to the next: STRIDE_SAMPLES or half of it.

        `keep_noise`: the logarithms of the amplitudes, without noise removal and gain.
        """

    def reset(self) -> None:
        """Forget the noise estimate and the unfinished window."""

    def process(self, pcm: NDArray[np.int16]) -> NDArray[np.int8]:
        """Frames that `pcm` (16 kHz, any length) completes, shape (n, 40)."""

def features(
    clips: NDArray[np.int16], threads: int = 0, keep_noise: bool = False
) -> NDArray[np.int8]:
    """Frames of many clips, each from a zero noise estimate.

    Args:
        clips: shape (clips, samples), 16 kHz.
        threads: 0 for all cores.
        keep_noise: see `Frontend`.

    Returns:
        Shape (clips, frames, 40); frames is 0 where a clip is shorter than one window.
    """

def without_offset(clips: NDArray[np.int16]) -> NDArray[np.int16]:
    """Samples of many clips as the pipeline gives them to its frontend: without a constant offset.

    Args:
        clips: shape (clips, samples), 16 kHz.

    Returns:
        The same shape. Clips whose mean is near zero are unchanged.
    """

def use_avx2(on: bool) -> bool:
    """Turn AVX2's kernels on or off, for tests; initially on if the processor has AVX2.

    Returns:
        Whether they are in use.
    """

class TensorInfo:
    """What a model says of one of its tensors."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    """NumPy's name: int8, uint8, int16, int32, float32, or another type of the schema."""
    scale: float
    zero_point: int

class OpFacts:
    """An operator of a model, whether the runtime has it or not."""

    name: str
    """The schema's, or a custom op's own, such as FlexErf."""
    custom: bool
    takes: list[str]
    """The types of its inputs, constants too, by NumPy's names; those left out are not there."""
    gives: list[str]
    """The same of its outputs."""

class ModelFacts:
    """What a .tflite file says of itself, whether the runtime can run it or not."""

    inputs: list[TensorInfo]
    """The shape of a tensor is empty if the model leaves it open."""
    outputs: list[TensorInfo]
    ops: list[OpFacts]
    """Of all its graphs."""

def model_facts(model: bytes) -> ModelFacts:
    """Read a .tflite file without running it.

    Raises:
        CoreError: it is damaged, or no version 3 .tflite file.
    """

class PlanItem:
    """One thing that lies in the arena."""

    name: str
    """The tensor's; empty for scratch and for what further graphs and variables need."""
    kind: str
    """input, output, tensor (any other); alias (another name of a tensor's bytes); scratch;
    variable (kept from call to call); records (what is noted of inputs, outputs and ops)."""
    first: int
    """The op that writes it, over all graphs in the order they run."""
    last: int
    """The op that reads it last; the last op of all for outputs."""
    offset: int
    """Bytes from the arena's start."""
    bytes: int

class Interpreter:
    """Runs one .tflite model with all ops that the runtime has.

    Raises:
        CoreError: the model is damaged, of another schema version, or has an op that the runtime
            does not know.
    """

    def __init__(self, model: bytes, arena_bytes: int = 0) -> None:
        """Check the model and allocate its tensors; `arena_bytes` 0 takes what it needs."""

    @property
    def inputs(self) -> list[TensorInfo]: ...
    @property
    def outputs(self) -> list[TensorInfo]: ...
    @property
    def ops(self) -> list[str]:
        """The model's operators in the order they run, by the schema's names."""

    @property
    def kernels(self) -> list[str]:
        """Names in `KERNELS` of what a program of this model registers.

        For each kind of op it is the smallest kernel that takes all such ops.
        """

    @property
    def plan(self) -> list[PlanItem]:
        """What lies where in the arena, and when."""

    @property
    def arena_used_bytes(self) -> int:
        """Bytes of arena the model needs, on this machine and on every target alike."""

    def invoke(self, *inputs: NDArray[np.generic]) -> list[NDArray[np.generic]]:
        """Run once on raw quantized values; an array for each input, one back for each output."""

    def invoke_batch(self, rows: NDArray[np.generic], threads: int = 0) -> NDArray[np.generic]:
        """Run once a row, each from a fresh state.

        Args:
            rows: shape (n, ...), the first input's type and number of elements a row; or several
                inputs a row, which are run one after the other: the last answer counts.
            threads: 0 for all cores.

        Returns:
            Shape (n, elements of the first output).
        """

    def profile(self, runs: int = 100) -> list[tuple[str, float]]:
        """Name of each op that runs and its mean time in seconds, over inputs as they lie there."""

    def reset(self) -> None:
        """Clear what a stateful model keeps from call to call."""

class Step:
    """An op that does something at run time, as AllocateTensors prepared it."""

    op: str
    """The schema's name."""
    once: bool
    """It runs before the first inference only."""
    resets: bool
    """It gives what it keeps a first value."""
    references: list[int]
    """Where its tensors lie: bytes into the arena, or, negative, with the sign bit cleared bytes
    into the model; at 0 there: no data."""
    parameters: list[int]
    """The kernel's, as unsigned 32-bit words."""

class Compiled:
    """What AllocateTensors computes for a model, for an arena that holds nothing but tensors.

    Raises:
        CoreError: as `Interpreter`.
    """

    def __init__(self, model: bytes) -> None: ...

    steps: list[Step]
    """Those that run once first."""
    constants: dict[int, int]
    """Bytes of the model's constant tensors, by their position in the model."""
    variables_bytes: int
    """At the arena's start; they begin as zeros."""
    arena_bytes: int

    @property
    def inputs(self) -> list[tuple[int, int]]:
        """Offset in the arena and bytes of each input."""

    @property
    def outputs(self) -> list[tuple[int, int]]:
        """The same of each output."""

class Recognizer:
    """TFLM's RecognizeCommands over int8 scores."""

    def __init__(
        self,
        label_count: int,
        average_window_ms: int,
        detection_threshold: int,
        suppression_ms: int,
        minimum_count: int,
        thresholds: Sequence[int] = (),
        first_keyword: int = 2,
        second_thresholds: Sequence[int] = (),
        looks: int = 3,
        every: int = 1,
    ) -> None:
        """`thresholds`, one a label, take the place of `detection_threshold` if given.

        With `first_keyword` 0 the first label is no silence, after which nothing is suppressed.
        With `second_thresholds`, one a label, a second model checks keywords (`run` only): up to
        `looks` times for one proposal, at every `every`-th result.
        """

    def process(self, scores: NDArray[np.int8], time_ms: int) -> tuple[int, int, bool]:
        """Take one result; gives (label, mean score 0 to 255, whether it is a new command)."""

    def run(
        self,
        scores: NDArray[np.int8],
        times_ms: NDArray[np.int32],
        looks: NDArray[np.int8] | None = None,
    ) -> NDArray[np.int32]:
        """Take many results, shape (n, labels) and (n,); gives the new commands among them.

        `looks`, shape (n, labels): the second model's scores, with `second_thresholds` only.

        Returns:
            Shape (commands, 3): time in ms, label (0, silence, too), mean score 0 to 255.
        """

    @property
    def looks(self) -> int:
        """How often a second model had to look, since the start."""

class Part:
    """A model with its labels and settings, for a `Pipeline`."""

    def __init__(
        self,
        model: bytes,
        labels: Sequence[str],
        *,
        name: str,
        sha8: str,
        inference_stride: int,
        average_window_ms: int,
        detection_threshold: int,
        suppression_ms: int,
        minimum_count: int,
        thresholds: Sequence[int] = (),
        report_unknown: bool = False,
        window_frames: int = SPECTROGRAM_FRAMES,
        stride_samples: int = STRIDE_SAMPLES,
        keep_noise: bool = False,
        first_keyword: int = 2,
        gate_rise: int = 0,
        output_order: Sequence[int] = (),
        second_model: bytes = b"",
        second_thresholds: Sequence[int] = (),
        looks: int = 3,
        every: int = 1,
        second_order: Sequence[int] = (),
        second_arena_bytes: int = 0,
    ) -> None:
        """`gate_rise`: tenths of a dB by which sound opens the gate; 0: there is no gate.

        `output_order`: which of the model's outputs is the score of each label; empty: they have
        one order.

        `second_model` and the rest: a second look, see `Recognizer`; empty: there is none.
        `second_arena_bytes`: its own arena; 0: it uses the first model's.
        """

class Event:
    """What a hop led to: a detection, or another active bundle."""

    @property
    def label(self) -> int | None:
        """Index of the detected label; None: another bundle is active."""

    @property
    def score(self) -> int:
        """The detected label's mean score, 0 to 255."""

    @property
    def time_ms(self) -> int:
        """The end of the hop, from the first sample."""

    @property
    def bundle(self) -> int:
        """0 or 1: the label's bundle, or the one that is active now."""

    @property
    def text(self) -> str:
        """The device's serial line, without its end."""

NEAR_MISS_MS: int
"""A near miss is this far from a detection of its word (1500), and certain so long after it."""

class NearMiss:
    """A keyword that was nearly heard: its score came near, but it was not detected.

    Without a second model, its mean score reached half of its threshold. With one, this model's
    score for a proposal did. There is no detection of it within `NEAR_MISS_MS` of the score.
    """

    @property
    def label(self) -> int:
        """Its number, as in `Event.label`."""

    @property
    def score(self) -> int:
        """The highest score, 0 to 255."""

    @property
    def threshold(self) -> int:
        """What it had to exceed, 0 to 255."""

    @property
    def time_ms(self) -> int:
        """When the score was reached, in milliseconds of sound since the start."""

class Pipeline:
    """The firmware's pipeline: hops of PCM in, the serial port's bytes out.

    With `then`, that part listens for `listen_ms` after each keyword of the first. Labels are
    those of the first part and then those of the second.
    """

    def __init__(
        self, part: Part, *, arena_bytes: int, then: Part | None = None, listen_ms: int = 0
    ) -> None: ...
    def feed(self, pcm: NDArray[np.int16], rate: int = SAMPLE_RATE) -> bytes:
        """What the device would write while it hears `pcm`; samples short of a hop are kept.

        Args:
            pcm: one channel.
            rate: of `pcm`, in Hz. An array does not say it: pass it where it is not certain.

        Raises:
            CoreError: the samples are no int16 of one dimension, or not at SAMPLE_RATE; or a fault.
        """

    def hear(self, pcm: NDArray[np.int16], rate: int = SAMPLE_RATE) -> list[Event]:
        """As `feed`, but returns events."""

    def trace(
        self, pcm: NDArray[np.int16], rate: int = SAMPLE_RATE
    ) -> tuple[bytes, NDArray[np.int32], NDArray[np.int8]]:
        """As `feed`, with the time in ms (n,) and the scores (n, labels) of each inference.

        An inference that the gate skipped has silence's scores.

        Raises CoreError if there are two parts.
        """

    def trace_looks(
        self, pcm: NDArray[np.int16], rate: int = SAMPLE_RATE
    ) -> tuple[bytes, NDArray[np.int32], NDArray[np.int8], NDArray[np.int8]]:
        """As `trace`, and the second model's scores (n, labels) at each inference.

        Raises CoreError if there is no second look.
        """

    @property
    def looks(self) -> int:
        """How often the first part's second model ran, except for traces."""

    @property
    def boot(self) -> bytes:
        """The boot line; with two parts another line about the second."""

    @property
    def arena_used(self) -> list[int]:
        """Bytes of the arena that each part uses."""

    @property
    def inferences(self) -> int:
        """How many answers there were so far."""

    @property
    def skipped(self) -> int:
        """How many of them are the gate's, because only the room's own noise was heard."""

    @property
    def listening(self) -> bool:
        """Whether the second part listens."""

    @property
    def looked(self) -> list[int]:
        """Scores of the newest second look since the last call that processed samples.

        One per label, 0 to 255, 0 for labels of the other part; empty if there was none.
        """

    @property
    def near_misses(self) -> list[NearMiss]:
        """The near misses that became certain in the last call that processed samples."""

    def last_near_misses(self) -> list[NearMiss]:
        """Take those that are certain because the sound has ended."""

    @property
    def frame(self) -> NDArray[np.int8]:
        """The newest frame, shape (40,); shape (0,) before there is one."""

    @property
    def means(self) -> list[int]:
        """Each label's mean score (0 to 255) over the recognizer's window. 0: its part rests."""

    @property
    def peaks(self) -> list[tuple[int, int]]:
        """Each label's highest mean score so far, 0 to 255, and the time in ms of the first one.

        These are the means that the recognizer compares with the thresholds. After a keyword that
        hands over to another part, that part's means are gone: the line has the score.
        """

    @property
    def thresholds(self) -> list[int]:
        """What each label's mean score has to exceed, 0 to 255; 255: it is never heard."""

    def set_threshold(self, label: int, threshold: int) -> None:
        """What the mean score of a label (its index) has to exceed from now on, 0 to 255."""
