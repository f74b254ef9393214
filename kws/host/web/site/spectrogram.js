// SPDX-License-Identifier: Apache-2.0
// Draws a growing spectrogram: one column per frame, the newest at the right. The page has only plain
// scripts, because a page opened as a file cannot load modules.
"use strict";

const COLUMN_PIXELS = 3;
const DARK = ["#0b1026", "#152a52", "#1a5076", "#227b84", "#46a579", "#8cc95e", "#d3df50", "#fdf6b0"];
const LIGHT = ["#ffffff", "#e3eef4", "#b9dbe0", "#7fc0bd", "#3f9a9b", "#1f6f86", "#1d4468", "#0b1026"];
const MARK = [255, 120, 60];

function palette(stops) {
  const rgb = stops.map((s) => [1, 3, 5].map((i) => parseInt(s.slice(i, i + 2), 16)));
  return Array.from({ length: 256 }, (_, value) => {
    const at = (value / 255) * (rgb.length - 1), low = Math.min(Math.floor(at), rgb.length - 2);
    return rgb[low].map((from, i) => Math.round(from + (rgb[low + 1][i] - from) * (at - low)));
  });
}

class Spectrogram {
  constructor(canvas) {
    this.canvas = canvas;
    this.paint = canvas.getContext("2d", { alpha: false });
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.waiting = []; // frames, and null for a mark
    this.column = 0;
    this.channels = 1;
    this.dark.addEventListener("change", () => this.clear());
    this.still.addEventListener("change", () => this.clear());
    new ResizeObserver(() => this.columns() === canvas.width || this.clear()).observe(canvas);
    this.clear();
  }

  columns() {
    return Math.max(16, Math.floor(this.canvas.clientWidth / COLUMN_PIXELS));
  }

  // Starts an empty picture for frames of `channels` values.
  clear(channels = this.channels) {
    this.channels = channels;
    this.waiting = [];
    this.canvas.width = this.columns();
    this.canvas.height = channels;
    this.colours = palette(this.dark.matches ? DARK : LIGHT);
    this.paint.fillStyle = `rgb(${this.colours[0]})`;
    this.paint.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.column = 0;
  }

  // Draws a line at the newest column.
  mark() {
    this.waiting.push(null);
  }

  // `frame`: 0 to 255 for each channel, the lowest frequency first.
  add(frame) {
    this.waiting.push(frame);
    if (this.waiting.length > this.canvas.width) this.waiting.shift(); // the tab was hidden
  }

  draw() {
    const { width, height } = this.canvas;
    const fresh = this.waiting.splice(0);
    if (!fresh.length) return;
    const image = this.paint.createImageData(1, height);
    // If the user wants less motion, nothing scrolls: new columns replace the oldest ones.
    if (!this.still.matches) this.paint.drawImage(this.canvas, -fresh.length, 0);
    fresh.forEach((frame, i) => {
      for (let row = 0; row < height; row++) {
        const [r, g, b] = frame ? this.colours[frame[height - 1 - row]] : MARK;
        image.data.set([r, g, b, 255], 4 * row);
      }
      const x = this.still.matches ? this.column : width - fresh.length + i;
      this.paint.putImageData(image, x, 0);
      this.column = (this.column + 1) % width;
    });
  }
}
