// SPDX-License-Identifier: Apache-2.0
// Draws a growing spectrogram: one column per frame, the newest at the right, and over it the spans of
// words. The page has only plain scripts, because a page opened as a file cannot load modules.
"use strict";

const COLUMN_PIXELS = 3;
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
  // `overlay`: an element of the canvas's size, which gets the spans.
  constructor(canvas, overlay = null) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.paint = canvas.getContext("2d", { alpha: false });
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.waiting = []; // frames
    this.spans = []; // {key, element, from, to}: columns, counted from the first
    this.added = 0; // columns, with the waiting ones
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
    this.added = 0;
    this.spans = [];
    this.overlay?.replaceChildren();
  }

  // Marks the columns of a word, in place of an earlier mark with the same `key`. `from` and `to`
  // (inclusive) are counted back from the newest column, which is 0. `kind`: a class for the style.
  span(key, label, from, to, kind) {
    this.spans.filter((span) => span.key === key).forEach((span) => span.element.remove());
    this.spans = this.spans.filter((span) => span.key !== key);
    const { width } = this.canvas;
    const last = this.added - 1 - to, edge = Math.floor(last / width) * width;
    const first = Math.max(0, this.added - 1 - from);
    const bracket = (name, start, end) => {
      const node = element("div", "", { class: `span ${kind}` });
      if (name) node.append(element("b", name));
      this.overlay.append(node);
      this.spans.push({ key, element: node, from: start, to: end });
    };
    // If nothing scrolls, a word may begin at the right edge and end at the left one. Of its two
    // parts, the longer one has the name.
    const isSplit = this.still.matches && first < edge;
    const isFirst = edge - first > last - edge;
    if (isSplit) bracket(isFirst ? label : "", first, edge - 1);
    bracket(isSplit && isFirst ? "" : label, isSplit ? edge : first, last);
    this.place();
  }

  // `frame`: 0 to 255 for each channel, the lowest frequency first.
  add(frame) {
    this.added += 1;
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
        const [r, g, b] = this.colours[frame[height - 1 - row]];
        image.data.set([r, g, b, 255], 4 * row);
      }
      const column = this.added - fresh.length + i;
      this.paint.putImageData(image, this.still.matches ? column % width : column - this.added + width, 0);
    });
    this.place();
  }

  // Moves the spans to their columns, and removes those whose columns are gone.
  place() {
    const { width } = this.canvas, isStill = this.still.matches;
    const left = this.added - this.waiting.length - width; // the column at the left edge
    this.spans = this.spans.filter(({ element: node, from, to }) => {
      const isGone = isStill ? from < left : to < left;
      if (isGone) node.remove();
      else {
        node.style.left = `${(100 * (isStill ? from % width : from - left)) / width}%`;
        node.style.width = `${(100 * (to - from + 1)) / width}%`;
      }
      return !isGone;
    });
  }
}
