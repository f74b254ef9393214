// SPDX-License-Identifier: Apache-2.0
// The charts of the report, except the curve with the slider: functions of the figures that fill a figure element.
import { chart, counts, legend, linear, logarithmic, percent, plot, roundTicks, shares, STYLES, valueTable } from "./plot.js";

const fill = (figure, label, draw, table, ...more) => {
  const picture = chart(figure.querySelector("figcaption").textContent);
  picture.redraw(draw(label));
  figure.append(...more, picture.element, table);
};

const ROC_TICKS = [0.5, 0.6, 0.7, 0.8, 0.9, 1];
const DET_TICKS = [0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4];

// The normal deviate of a share. S. Winitzki, A handy approximation for the error function and its inverse (2008).
function deviate(share) {
  const a = 0.147, x = 2 * Math.min(Math.max(share, 1e-4), 1 - 1e-4) - 1;
  const log = Math.log(1 - x * x), half = 2 / (Math.PI * a) + log / 2;
  return Math.sign(x) * Math.SQRT2 * Math.sqrt(Math.sqrt(half * half - log / a) - half);
}

function deviates() {
  const { place } = linear(deviate(DET_TICKS[0]), deviate(DET_TICKS.at(-1)));
  return { place: (share) => place(deviate(share)), ticks: DET_TICKS.map((share) => [share, `${100 * share}`]) };
}

const areas = ({ roc }) => valueTable("Values", ["keyword", "ROC area", "equal error"],
  roc.map(({ label, area, equal_error: equal }) => [label, area.toFixed(4), percent(equal, 1)]));

function roc(figure, clips) {
  const series = clips.roc.map(({ label, points }, i) => ({
    style: STYLES[i % STYLES.length], steps: true,
    points: points.map(([x, y]) => ({ x: 100 * x, y, text: `${label}: ${percent(y, 1)} accepted, and ${percent(x, 2)} of other clips` })),
  }));
  const label = `ROC. Area under the curve: ${clips.roc.map((it) => `${it.label} ${it.area.toFixed(4)}`).join(", ")}`;
  fill(figure, label, (text) => plot({
    label: text, series, x: logarithmic([0.1, 100]), xName: "other clips accepted, %",
    y: linear(ROC_TICKS[0], 1, ROC_TICKS.map((share) => [share, percent(share)])),
  }), areas(clips), legend(clips.roc.map((it) => it.label)));
}

function det(figure, clips) {
  const rule = { style: "rule", points: [DET_TICKS[0], DET_TICKS.at(-1)].map((share) => ({ x: share, y: share })) };
  const series = clips.roc.map(({ label, points }, i) => ({
    style: STYLES[i % STYLES.length], steps: true,
    points: points.map(([x, y]) => ({ x, y: 1 - y, text: `${label}: ${percent(1 - y, 1)} missed, ${percent(x, 2)} of other clips accepted` })),
  }));
  const label = `DET. Equal error rate: ${clips.roc.map((it) => `${it.label} ${percent(it.equal_error, 1)}`).join(", ")}`;
  const y = deviates();
  fill(figure, label, (text) => plot({
    label: text, series: [rule, ...series], x: deviates(), xName: "other clips accepted, %",
    y: { ...y, ticks: y.ticks.map(([share, tick]) => [share, `${tick} %`]) },
  }), areas(clips), legend(clips.roc.map((it) => it.label)));
}

function calibration(figure, clips) {
  const all = clips.calibration.reduce((sum, [, , number]) => sum + number, 0);
  const points = clips.calibration.map(([x, y, number]) => ({
    x, y, size: 3.5 + 9 * Math.sqrt(number / all), text: `score ${x.toFixed(2)}: ${percent(y, 1)} right, ${number} clips`,
  }));
  const label = `Calibration: the score and the share of right answers differ by ${clips.calibration_error.toFixed(3)} on average`;
  fill(figure, label, (text) => plot({
    label: text, x: linear(0, 1.03, [0, 0.25, 0.5, 0.75, 1].map((value) => [value, `${value}`])), y: shares, xName: "score of the answer",
    series: [{ style: "rule", points: [{ x: 0, y: 0 }, { x: 1, y: 1 }] }, { style: STYLES[0], points, dots: true }],
  }), valueTable("Values", ["mean score", "right", "clips"], clips.calibration.map(([x, y, number]) => [x.toFixed(2), percent(y, 1), number])));
}

function condition(figure, rows, recorded, unit, name) {
  const points = rows.map(([db, right, all]) => ({ x: db, y: right / all, text: `${db} ${unit}: ${percent(right / all, 1)}, ${right} of ${all}` }));
  const levels = rows.map(([db]) => db), pad = (Math.max(...levels) - Math.min(...levels)) * 0.03;
  const label = `${name}: ${points.map(({ text }) => text).join("; ")}; as recorded ${percent(recorded, 1)}`;
  fill(figure, label, (text) => plot({
    label: text, y: shares, xName: `${name}, ${unit}`, rules: [{ y: recorded }],
    x: linear(Math.min(...levels) - pad, Math.max(...levels) + pad, levels.map((db) => [db, `${db}`])),
    series: [{ style: STYLES[0], points, dots: true }],
  }), valueTable("Values", [unit, "recognized", "clips"], rows.map(([db, right, all]) => [db, percent(right / all, 1), all])));
}

function histogram(figure, bins, { label, xName, textOf, ticksOf, columns }) {
  const most = Math.max(...bins.map(([, , number]) => number)), first = bins[0][0], last = bins.at(-1)[1];
  const text = ([from, to]) => `${textOf(from)} to ${textOf(to)}`;
  fill(figure, label, (name) => plot({
    label: name, xName, x: linear(first, last, ticksOf(first, last)), y: counts(most),
    bars: bins.map((bin) => ({ from: bin[0], to: bin[1], value: bin[2], text: `${text(bin)}: ${bin[2]}` })),
  }), valueTable("Values", columns, bins.map((bin) => [text(bin), bin[2]])));
}

const latency = (figure, bins) => histogram(figure, bins, {
  label: "Latency of the reports", xName: "ms after the end of the voice", columns: ["ms", "reports"], textOf: (ms) => ms.toFixed(0),
  ticksOf: roundTicks,
});

const speakers = (figure, bins) => histogram(figure, bins, {
  label: "Speakers by their share of words recognized", xName: "words recognized", columns: ["words recognized", "speakers"],
  textOf: (share) => percent(share), ticksOf: () => shares.ticks,
});

// Fills each figure of the page that has a name of a chart.
export function drawCharts({ clips, latencies }) {
  const charts = {
    latency: (figure) => latency(figure, latencies),
    roc: (figure) => roc(figure, clips),
    det: (figure) => det(figure, clips),
    calibration: (figure) => calibration(figure, clips),
    noise: (figure) => condition(figure, clips.by_snr, clips.recorded, "dB", "signal-to-noise ratio"),
    level: (figure) => condition(figure, clips.by_level, clips.recorded, "dBFS", "level"),
    speakers: (figure) => speakers(figure, clips.speakers),
  };
  for (const figure of document.querySelectorAll("[data-chart]")) charts[figure.dataset.chart](figure);
}
