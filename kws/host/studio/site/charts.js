// SPDX-License-Identifier: Apache-2.0
// Learning curves and spectrograms.
import { linear, plot, shares, STYLES } from "./plot.js";
import { texts } from "./texts.js";

// Accuracy by epoch of one training.
export function accuracyChart({ title, epochs }) {
  const series = ["accuracy", "validation"].map((key, i) => ({
    style: STYLES[i],
    points: epochs.filter((it) => Number.isFinite(it[key])).map((it) => ({ x: it.epoch, y: it[key], text: texts.train.point(it) })),
  }));
  const last = epochs.length;
  return plot({
    label: texts.train.curve(title, epochs.at(-1)), xName: texts.train.epoch, height: 190, series,
    x: linear(1, Math.max(last, 2), last > 1 ? [[1, "1"], [last, `${last}`]] : [[1, "1"]]),
    y: { ...shares, ticks: shares.ticks.filter((_, i) => i % 2 === 0) },
  });
}

// --- spectrograms ----------------------------------------------------------------------------------

const CHANNELS = 40;
const dark = matchMedia("(prefers-color-scheme: dark)");
const LIGHT = [[243, 244, 250], [196, 205, 242], [122, 140, 222], [58, 80, 200], [22, 28, 92]];
const DARK = [[27, 31, 40], [44, 53, 104], [84, 104, 208], [152, 169, 255], [236, 240, 255]];

function palette(stops) {
  return Array.from({ length: 256 }, (_, value) => {
    const place = (value / 255) * (stops.length - 1), low = Math.min(Math.floor(place), stops.length - 2);
    return stops[low].map((from, i) => Math.round(from + (stops[low + 1][i] - from) * (place - low)));
  });
}

// Draws frames of 40 values, 0 to 255, the lowest frequency first; again when the colours change.
export function drawSpectrogram(canvas, frames) {
  const columns = Math.floor(frames.length / CHANNELS);
  if (!columns) return;
  canvas.width = columns;
  canvas.height = CHANNELS;
  const context = canvas.getContext("2d");
  const draw = () => {
    const colours = palette(dark.matches ? DARK : LIGHT), image = context.createImageData(columns, CHANNELS);
    for (let column = 0; column < columns; column++) {
      for (let row = 0; row < CHANNELS; row++) {
        const colour = colours[frames[column * CHANNELS + CHANNELS - 1 - row]];
        image.data.set([...colour, 255], 4 * (row * columns + column));
      }
    }
    context.putImageData(image, 0, 0);
  };
  draw();
  dark.addEventListener("change", () => canvas.isConnected && draw());
}
