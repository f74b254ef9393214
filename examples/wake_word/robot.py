# SPDX-License-Identifier: Apache-2.0
"""A robot with a wake word, then left or right within five seconds.

    python robot.py RECORDING [WAKE_BUNDLE]

Two bundles share one frontend, as on a device: the first listens for the wake word all day, the
second for commands during five seconds after it. The lines are the device's, byte for byte.
"""

import sys
from pathlib import Path

from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import with_commands
from kws.bundle.reading import load_bundle
from kws.errors import KwsError
from kws.host.serial.lines import Heard, Listening, Waiting, parse_line

HOP = 320  # samples in 20 ms
COMMANDS = default_bundle_path().with_name("ten_words")  # has left and right, among others


def main() -> None:
    """Print the lines of the device and the moves of the robot."""
    if len(sys.argv) < 2:
        sys.exit("usage: robot.py RECORDING [WAKE_BUNDLE]")
    pcm = load_clip(Path(sys.argv[1]))
    wake = load_bundle(Path(sys.argv[2]) if len(sys.argv) > 2 else default_bundle_path())
    pipeline = with_commands(wake, load_bundle(COMMANDS), listen_ms=5000).pipeline()

    listening = False
    for end in range(HOP, len(pcm) + 1, HOP):
        for line in pipeline.feed(pcm[end - HOP : end]).decode().splitlines():
            print(line)
            message = parse_line(line)
            if isinstance(message, Heard) and listening and message.label in ("left", "right"):
                print(f"the robot turns {message.label}")
            elif isinstance(message, Listening | Waiting):
                listening = isinstance(message, Listening)


if __name__ == "__main__":
    try:
        main()
    except KwsError as error:
        sys.exit(f"robot.py: {error}")
