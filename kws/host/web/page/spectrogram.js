// Draws a spectrogram as it grows: a column a frame, the newest at the right. A plain script, not a
// module: the page of kws export web has it too, and a page that was opened as a file loads no module.
"use strict";

const PIXELS_A_COLUMN = 3;
const DARK = ["#0b1026", "#152a52", "#1a5076", "#227b84", "#46a579", "#8cc95e", "#d3df50", "#fdf6b0"];
const LIGHT = ["#ffffff", "#e3eef4", "#b9dbe0", "#7fc0bd", "#3f9a9b", "#1f6f86", "#1d4468", "#0b1026"];

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
    this.waiting = [];
    this.column = 0;
    this.dark.addEventListener("change", () => this.clear());
    this.still.addEventListener("change", () => this.clear());
    new ResizeObserver(() => this.columns() === canvas.width || this.clear()).observe(canvas);
    this.clear();
  }
  columns() {
    return Math.max(16, Math.floor(this.canvas.clientWidth / PIXELS_A_COLUMN));
  }
  clear() {
    this.canvas.width = this.columns();
    this.canvas.height = this.channels || 40;
    this.colours = palette(this.dark.matches ? DARK : LIGHT);
    this.paint.fillStyle = `rgb(${this.colours[0]})`;
    this.paint.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.column = 0;
  }
  mark() {
    this.waiting.push(null);
  }
  add(frame) {
    this.waiting.push(frame);
    if (this.waiting.length > this.canvas.width) this.waiting.shift(); // the tab was hidden
  }
  draw() {
    const { width, height } = this.canvas;
    const fresh = this.waiting.splice(0);
    if (!fresh.length) return;
    const image = this.paint.createImageData(1, height);
    // Where motion is not wanted nothing scrolls: new columns go over the oldest, left to right.
    if (!this.still.matches) this.paint.drawImage(this.canvas, -fresh.length, 0);
    fresh.forEach((frame, i) => {
      for (let row = 0; row < height; row++) {
        const [r, g, b] = frame ? this.colours[frame[height - 1 - row]] : [255, 120, 60];
        image.data.set([r, g, b, 255], 4 * row);
      }
      const x = this.still.matches ? this.column : width - fresh.length + i;
      this.paint.putImageData(image, x, 0);
      this.column = (this.column + 1) % width;
    });
  }
}
