# SPDX-License-Identifier: Apache-2.0
"""Prints the words in a WAV file of 16 kHz, mono, 16 bits: micropython hear.py FILE.wav."""

import sys

import kws

spotter = kws.Spotter()
with open(sys.argv[1], "rb") as file:
    file.read(44)  # the header
    while piece := file.read(640):
        for word, score, time_ms in spotter.push(piece):
            print(f"{word} {score} @{time_ms}")
