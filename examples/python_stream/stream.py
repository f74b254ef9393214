# SPDX-License-Identifier: Apache-2.0
"""Recognizes keywords in a recording hop by hop, as with a microphone.

    python stream.py RECORDING [BUNDLE]

These are the steps of `kws run --no-verify`: without a second look. Features, inference and
recognizer are the C++ core's, which also runs on a device, so the lines are the same.
"""

import sys
from collections import deque
from pathlib import Path

import numpy as np

from kws import _core
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.errors import KwsError

HOP = _core.STRIDE_SAMPLES  # 320 samples, 20 ms


def main() -> None:
    """Print a line for each report."""
    if len(sys.argv) < 2:
        sys.exit("usage: stream.py RECORDING [BUNDLE]")
    pcm = load_clip(Path(sys.argv[1]))
    # Add a second after the last word: the recognizer needs more scores.
    pcm = np.pad(pcm, (0, _core.SAMPLE_RATE))
    bundle = load_bundle(Path(sys.argv[2]) if len(sys.argv) > 2 else default_bundle_path())

    # It keeps its noise estimate from hop to hop.
    frontend = _core.Frontend(keep_noise=bundle.frontend.keep_noise)
    interpreter = _core.Interpreter(bundle.model)
    recognizer = _core.Recognizer(len(bundle.labels), **bundle.recognizer.for_core(bundle.labels))
    frames = bundle.frontend.frames  # the model's window; silence before the start
    spectrogram = deque([np.full(_core.CHANNELS, -128, np.int8)] * frames, maxlen=frames)
    # One inference is at the frame that fills the window.
    hops_to_inference = (frames - 1) % bundle.inference_stride

    for end in range(HOP, len(pcm) + 1, HOP):
        new = frontend.process(pcm[end - HOP : end])
        if len(new) == 0:  # the first frame takes more than one hop
            continue
        spectrogram.append(new[0])
        if hops_to_inference == 0:
            (scores,) = interpreter.invoke(np.stack(spectrogram))
            milliseconds = end * 1000 // _core.SAMPLE_RATE
            label, mean_score, is_new = recognizer.process(scores.ravel(), milliseconds)
            if is_new and label > 1:  # 0 is silence, 1 is unknown
                print(f"Heard {bundle.labels[label]} ({mean_score}) @{milliseconds}ms")
            hops_to_inference = bundle.inference_stride
        hops_to_inference -= 1


if __name__ == "__main__":
    try:
        main()
    except KwsError as error:
        sys.exit(f"stream.py: {error}")
