// SPDX-License-Identifier: Apache-2.0
// Charts as SVG, drawn at their real width so that texts keep their size. theme.css has the colours.
import { h, svg } from "./dom.js";

const LEFT = 50, RIGHT = 14, TOP = 12, BOTTOM = 42;
const NARROWEST = 120; // a frame that is just opening is narrower

// A figure that `draw(width)` fills again when its width changes: { element, redraw(draw) }. The points of the
// picture (`stops`) show their values at the pointer and with the arrow keys; a click or Enter chooses one, if
// there is `chosen(value)`.
export function chart(name = "Chart", chosen = null) {
  const place = h("div"), tip = h("p.tip", { role: "status", hidden: true });
  const element = h(`div.chart${chosen ? ".choosing" : ""}`, { role: "group", "aria-label": name, onpointermove: nearest, onpointerdown: nearest,
    onpointerleave: () => show(-1), onblur: () => show(-1), onkeydown: press, onclick: choose }, place, tip);
  let draw = null, width = 0, picture = null, at = -1;

  function paint() {
    if (!draw || width < NARROWEST) return;
    picture = draw(width);
    place.replaceChildren(picture);
    element.tabIndex = picture.stops?.length ? 0 : -1;
    show(-1);
  }

  function show(next) {
    at = next;
    const stop = picture?.stops?.[at];
    tip.hidden = !stop;
    picture?.querySelector(".mark")?.remove();
    if (!stop) return;
    picture.append(svg("circle", { cx: stop.x, cy: stop.y, r: 4.5, class: "mark" }));
    tip.textContent = stop.text;
    // Beside the point, and inside the chart.
    const half = tip.offsetWidth / 2, above = stop.y - tip.offsetHeight - 12;
    tip.style.left = `${Math.min(Math.max(stop.x - half, 0), Math.max(width - 2 * half, 0))}px`;
    tip.style.top = `${above < 0 ? stop.y + 14 : above}px`;
  }

  function nearest({ clientX, clientY }) {
    const { left, top } = place.getBoundingClientRect(), stops = picture?.stops ?? [];
    const far = ({ x, y }) => Math.hypot(x - clientX + left, y - clientY + top);
    const best = stops.reduce((found, stop, i) => (found < 0 || far(stop) < far(stops[found]) ? i : found), -1);
    if (best !== at) show(best);
  }

  function choose() {
    const place = at, stop = picture?.stops?.[place];
    if (!stop) return;
    chosen?.(stop.value);
    show(place); // after a new picture, too
  }

  function press(event) {
    if (event.key === "Enter") return choose();
    const last = (picture?.stops?.length ?? 0) - 1;
    const next = { ArrowRight: Math.min(at + 1, last), ArrowLeft: Math.max(at - 1, 0), Home: 0, End: last, Escape: -1 }[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    show(next);
  }

  new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - width) < 1) return;
    width = contentRect.width;
    paint();
  }).observe(element);
  return { element, redraw(how) { draw = how; paint(); } };
}

// --- axes: a value's place, 0 to 1, and the ticks with their texts ----------------------------------

export const linear = (low, high, ticks) => ({ place: (value) => (value - low) / (high - low), ticks });

// Round numbers in a range, about four, at least one apart.
export function roundTicks(low, high) {
  const rough = Math.max(high - low, 1) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max([1, 2, 5, 10].find((factor) => factor * power >= rough) * power, 1);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => [(first + i) * step, `${(first + i) * step}`]);
}

// A linear axis of counts, from 0.
export const counts = (most) => linear(0, Math.max(most, 1) * 1.05, roundTicks(0, Math.max(most, 1) * 1.05));

const ZERO = 0.03;

// Logarithmic, with a place for zero before the start.
export function logarithmic(values, from = 1, to = 10) {
  const above = values.filter((value) => value > 0);
  const least = Math.floor(Math.log10(Math.min(from, ...above))), most = Math.ceil(Math.log10(Math.max(to, ...above)));
  const decades = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i));
  return {
    place: (value) => (value <= 0 ? ZERO : Math.max(0.12 + (0.87 * (Math.log10(value) - least)) / (most - least), ZERO)),
    ticks: [[0, "0"], ...decades.map((value) => [value, `${Number(value.toPrecision(1))}`])],
  };
}

export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;

export const shareAxis = (most) => linear(0, most, [0, 0.25, 0.5, 0.75, 1].map((part) => [part * most, percent(part * most, most < 0.2 ? 1 : 0)]));
export const shares = shareAxis(1);

// --- drawing ---------------------------------------------------------------------------------------

const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
const stairs = (points) => points.flatMap(([x, y], i) => (i ? [[x, points[i - 1][1]], [x, y]] : [[x, y]]));

// A picture for `chart`. `label` describes it, `x` and `y` are axes, `xName` is the text below. Contents:
// - series: { style, points: [{ x, y, low, high, text, value, size }], band, line, steps, dots }; `low` and `high` of
//   y make the band, `text` a stop, which may have a `value` to choose;
// - bars: { from, to, value, text };
// - rules: { x } or { y }, dashed lines;
// - cursor: { x, low, high, marks: [{ style, y, low, high }] }, points with their intervals; that of x is on the axis;
// - stars: { style, x, y }.
export function plot({ label, x, y, xName, height = 300, series = [], bars = [], rules = [], cursor = null, stars = [] }) {
  return (width) => {
    const inner = width - LEFT - RIGHT, deep = height - TOP - BOTTOM;
    const px = (value) => LEFT + inner * x.place(value), py = (value) => TOP + deep * (1 - y.place(value));
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    for (const [value, text] of y.ticks) {
      picture.append(svg("line", { x1: LEFT, x2: width - RIGHT, y1: py(value), y2: py(value), class: "grid" }),
        svg("text", { x: LEFT - 8, y: py(value) + 4, class: "end" }, text));
    }
    let free = 0; // where the next tick's text may start
    for (const [value, text] of x.ticks) {
      const half = 3.9 * text.length, center = Math.min(px(value), width - half);
      if (center - half < free) continue;
      free = center + half + 6;
      picture.append(svg("text", { x: center, y: height - BOTTOM + 18, class: "middle" }, text));
    }
    picture.append(svg("text", { x: LEFT + inner / 2, y: height - 5, class: "middle" }, xName));
    // A nested picture cuts off lines that leave the axes.
    const area = svg("svg", { x: LEFT - 3, y: TOP - 3, width: inner + 6, height: deep + 6, viewBox: `${LEFT - 3} ${TOP - 3} ${inner + 6} ${deep + 6}` });
    picture.append(area);
    const dots = [];
    picture.stops = [];
    const isInside = ({ x: cx, y: cy }) => cx >= LEFT - 3 && cx <= LEFT + inner + 3 && cy >= TOP - 3 && cy <= TOP + deep + 3;

    for (const rule of rules) {
      area.append("x" in rule ? svg("line", { x1: px(rule.x), x2: px(rule.x), y1: TOP, y2: TOP + deep, class: "cursor" })
        : svg("line", { x1: LEFT, x2: LEFT + inner, y1: py(rule.y), y2: py(rule.y), class: "cursor" }));
    }
    for (const { from, to, value, text } of bars) {
      const left = px(from) + 1, top = py(value);
      area.append(svg("rect", { x: left, y: top, width: Math.max(px(to) - left - 1, 1), height: TOP + deep - top, rx: 2, class: "bar" }));
      if (text) picture.stops.push({ x: (px(from) + px(to)) / 2, y: top, text });
    }
    for (const { style, points, band = false, line = true, steps = false, dots: marked = false } of series) {
      const ranged = points.filter((point) => point.low !== undefined && point.low !== null);
      if (band && ranged.length > 1) {
        const edge = [...ranged.map((it) => [px(it.x), py(it.high)]), ...ranged.map((it) => [px(it.x), py(it.low)]).reverse()];
        area.prepend(svg("path", { d: `${path(edge)}Z`, class: `band ${style}` }));
      }
      const places = points.map((it) => [px(it.x), py(it.y)]);
      if (line) area.append(svg("path", { d: path(steps ? stairs(places) : places), class: `curve ${style}` }));
      points.forEach(({ text, value, size }, i) => {
        const [cx, cy] = places[i];
        if (!isInside({ x: cx, y: cy })) return;
        if (marked) dots.push(svg("circle", { cx, cy, r: size ?? 3.5, class: `dot ${style}` }));
        if (text) picture.stops.push({ x: cx, y: cy, text, value });
      });
    }
    if (cursor) {
      const cx = px(cursor.x);
      area.append(svg("line", { x1: cx, x2: cx, y1: TOP, y2: TOP + deep, class: "cursor" }));
      if (cursor.low !== undefined) area.append(svg("path", { d: `M${px(cursor.low)} ${TOP + deep - 5}v8m0 -4H${px(cursor.high)}m0 -4v8`, class: "range" }));
      for (const { style, y: value, low, high } of cursor.marks) {
        const cy = py(value);
        if (low !== undefined) area.append(svg("line", { x1: cx, x2: cx, y1: py(low), y2: py(high), class: `range ${style}` }));
        dots.push(svg("circle", { cx, cy, r: 5.5, class: `dot ${style}` }));
      }
    }
    for (const { style, x: value, y: share } of stars) {
      const cx = px(value), cy = py(share);
      dots.push(svg("path", { d: `M${cx} ${cy - 7}L${cx + 7} ${cy}L${cx} ${cy + 7}L${cx - 7} ${cy}Z`, class: `star ${style}` }));
    }
    picture.append(...dots);
    return picture;
  };
}

// --- parts of several charts -----------------------------------------------------------------------

export const STYLES = Array.from({ length: 12 }, (_, i) => `s${i}`); // classes of the curves

// Samples of the lines with their names.
export const legend = (names) => h("ul.legend", names.map((name, i) => h("li", {},
  svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, svg("path", { d: "M1 5H25", class: `curve ${STYLES[i % STYLES.length]}` })), name)));

// The values of a picture for those who do not see it.
export const valueTable = (title, columns, rows) => h("details", h("summary", title), h("div.wide", { tabindex: "0", role: "group", "aria-label": title },
  h("table", {}, h("thead", h("tr", columns.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", rows.map(([name, ...cells]) => h("tr", h("th", { scope: "row" }, name), cells.map((cell) => h("td.number", cell))))))));

// A figure of a list (dl.stats) with its name and details.
export const stat = (title, figure, ...details) => h("div", h("dt", title), h("dd", figure), details.map((it) => h("dd.detail", it)));

// Where a threshold is on a curve: its point, or the nearest one.
export const pointAt = ({ points }, threshold) =>
  points.reduce((best, point) => (Math.abs(point[2] - threshold) < Math.abs(best[2] - threshold) ? point : best));

// Misses against false alarms per hour. Points of the curves: [false alarms per hour, share missed, threshold, low, high];
// the last two, the interval of the misses, may be missing. See `plot` for the rest.
export function missChart({ curves, label, xName, cursor, stars = [], rules = [], textOf = () => "" }) {
  const series = curves.map((curve, i) => ({
    style: STYLES[i], band: true,
    points: [...curve.points].sort((one, other) => one[2] - other[2])
      .map((point) => ({ x: point[0], y: point[1], low: point[3], high: point[4], value: point[2], text: textOf(curve, point) })),
  }));
  const x = logarithmic([...curves.flatMap(({ points }) => points.map(([alarms]) => alarms)), ...[...rules, ...stars].map((it) => it.x)]);
  const most = Math.max(...series.flatMap(({ points }) => points.map((point) => point.high ?? point.y)));
  const y = shareAxis([0.1, 0.2, 0.4, 0.6, 0.8, 1].find((limit) => most <= limit));
  return (width) => plot({ label, xName, x, y, series, cursor, stars, rules, height: Math.min(340, Math.max(240, width * 0.5)) })(width);
}
