// SPDX-License-Identifier: Apache-2.0
// Charts as SVG, drawn at their real width so that texts keep their size, and spectrograms.
import { h, svg } from "./dom.js";
import { texts } from "./texts.js";

const LEFT = 50, RIGHT = 14, TOP = 12, BOTTOM = 42;
const LINES = ["first", "second", "third"]; // classes of the curves

// A figure that `draw(width)` fills again when its width changes: { element, redraw(draw) }.
export function chart() {
  const element = h("div.chart");
  let draw = null, width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - width) < 1) return;
    width = contentRect.width;
    if (draw && width) element.replaceChildren(draw(width));
  }).observe(element);
  return {
    element,
    redraw(how) {
      draw = how;
      if (width) element.replaceChildren(draw(width));
    },
  };
}

const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function axes(width, height, name, xTicks, yTicks, xName) {
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name });
  for (const [y, text] of yTicks) {
    picture.append(svg("line", { x1: LEFT, x2: width - RIGHT, y1: y, y2: y, class: "grid" }),
      svg("text", { x: LEFT - 8, y: y + 4, class: "end" }, text));
  }
  for (const [x, text] of xTicks) picture.append(svg("text", { x, y: height - BOTTOM + 18, class: "middle" }, text));
  picture.append(svg("text", { x: (LEFT + width - RIGHT) / 2, y: height - 5, class: "middle" }, xName));
  return picture;
}

const shares = (y) => [0, 0.25, 0.5, 0.75, 1].map((share) => [y(share), texts.percent(share)]);

// Samples of the lines with their names.
export const legend = (names) => h("ul.legend", names.map((name, i) => h("li", {},
  svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, svg("path", { d: "M1 5H25", class: `curve ${LINES[i]}` })), name)));

// Where a threshold is on a curve: its point, or the next stricter one.
export const pointAt = ({ points }, threshold) =>
  points.reduce((best, point) => (Math.abs(point[2] - threshold) < Math.abs(best[2] - threshold) ? point : best));

// Misses against false alarms per hour on a logarithmic axis, which ends at zero on the left.
export function missChart(curves, threshold) {
  const alarms = curves.flatMap(({ points }) => points.map(([x]) => x));
  const above = alarms.filter((x) => x > 0);
  const least = 10 ** Math.floor(Math.log10(Math.min(1, ...above))), most = 10 ** Math.ceil(Math.log10(Math.max(10, ...above)));
  const decades = Math.log10(most / least);
  return (width) => {
    const height = Math.min(340, Math.max(230, width * 0.5));
    const zero = LEFT + 10, start = LEFT + 48, end = width - RIGHT - 6;
    const x = (value) => (value <= 0 ? zero : start + ((end - start) * Math.log10(value / least)) / decades);
    const y = (share) => TOP + (height - TOP - BOTTOM) * (1 - share);
    const ticks = [[zero, "0"], ...Array.from({ length: decades + 1 }, (_, i) => [x(least * 10 ** i), `${Number((least * 10 ** i).toPrecision(1))}`])];
    const picture = axes(width, height, texts.judge.chart, ticks, shares(y), texts.judge.xName);
    const now = pointAt(curves[0], threshold);
    picture.append(svg("line", { x1: x(now[0]), x2: x(now[0]), y1: TOP, y2: height - BOTTOM, class: "cursor" }));
    curves.forEach((curve, i) => {
      const sorted = [...curve.points].sort((one, other) => one[2] - other[2]);
      picture.append(svg("path", { d: path(sorted.map(([a, m]) => [x(a), y(m)])), class: `curve ${LINES[i]}` }));
    });
    curves.forEach((curve, i) => {
      const [a, m] = pointAt(curve, threshold);
      picture.append(svg("circle", { cx: x(a), cy: y(m), r: 5.5, class: `dot ${LINES[i]}` }));
    });
    return picture;
  };
}

// Accuracy by epoch of one training.
export function accuracyChart({ title, epochs }) {
  const last = epochs.at(-1);
  return (width) => {
    const height = 190;
    const most = Math.max(epochs.length, 2);
    const x = (epoch) => LEFT + 6 + ((width - LEFT - RIGHT - 12) * (epoch - 1)) / (most - 1);
    const y = (share) => TOP + (height - TOP - BOTTOM) * (1 - share);
    const ticks = [[x(1), "1"], ...(epochs.length > 1 ? [[x(epochs.length), `${epochs.length}`]] : [])];
    const picture = axes(width, height, texts.train.curve(title, last), ticks, shares(y).filter((_, i) => i % 2 === 0), texts.train.epoch);
    ["accuracy", "validation"].forEach((key, i) => {
      const points = epochs.filter((it) => Number.isFinite(it[key])).map((it) => [x(it.epoch), y(it[key])]);
      if (!points.length) return;
      const [cx, cy] = points.at(-1);
      picture.append(svg("path", { d: path(points), class: `curve ${LINES[i]}` }), svg("circle", { cx, cy, r: 4, class: `dot ${LINES[i]}` }));
    });
    return picture;
  };
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
