// SPDX-License-Identifier: Apache-2.0
// The report of an evaluation: the threshold with its curve, charts and sounds, from the figures in the page.
import { alarmsHere, newSlider } from "./controls.js";
import { h, icon, set } from "./dom.js";
import { chart, legend, linear, logarithmic, missChart, percent, plot, stat, STYLES, valueTable } from "./plot.js";
import { drawCharts } from "./report_charts.js";
import { alarmButton, alarmList, mistakes, missedList } from "./report_sounds.js";

const rateText = (rate) => rate.toFixed(rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0);
const shareRange = (range) => (range ? `95 %: ${(100 * range[0]).toFixed(1)} to ${percent(range[1], 1)}` : "one speaker, no interval");
const rateRange = ([low, high]) => `95 %: ${rateText(low)} to ${rateText(high)}`;

// The curve with its slider, in `section`; `here`, sounds of the threshold, stands below the figures, and a point of the
// curve plays the first one. `moved(threshold)` follows the slider; null is the model's own setting.
function tune(section, curves, here, moved) {
  const { titles, said, where, points, set: own, target } = curves;
  const values = Object.values(own.thresholds), distance = ({ threshold }) => Math.abs(threshold - Math.min(...values));
  const home = points.reduce((best, point, i) => (distance(point) < distance(points[best]) ? i : best), 0);
  let at = null;

  const name = titles.length ? `Misses against false alarms per hour of ${where}, for each threshold`
    : `False alarms per hour of ${where}, by threshold`;
  const picture = chart(name, (threshold) => { at = points.findIndex((point) => point.threshold === threshold); update(); here.play(); });
  const stats = h("dl.stats"), value = h("output");
  const slider = newSlider("Threshold", { min: 0, max: points.length - 1, step: 1 }, (place) => { at = place; update(); });
  const reset = h("button", { onclick: () => { at = null; update(); slider.element.focus(); } }, "Back to the model's own");

  const ownText = new Set(values).size === 1 ? `${values[0]}, the model's own`
    : `the model's own (${Object.entries(own.thresholds).map(([word, it]) => `${word} ${it}`).join(", ")})`;
  const textOf = (point) => `${point.threshold}: ${[...titles.map((title, i) => `${percent(point.misses[i].share, 1)} missed, ${title}`),
    `${rateText(point.alarms.rate)} false alarms per hour`].join("; ")}`;

  const lines = titles.map((title, i) => ({
    title, points: points.map((point) => [point.alarms.rate, point.misses[i].share, point.threshold, ...(point.misses[i].range ?? [])]),
  }));
  const byThreshold = new Map(points.map((point) => [point.threshold, point]));

  function draw(point) {
    const [low, high] = point.alarms.range, x = point.alarms.rate;
    if (titles.length) {
      const marks = point.misses.map(({ share, range }, i) => ({ style: STYLES[i], y: share, low: range?.[0], high: range?.[1] }));
      return missChart({
        curves: lines, label: `${name}. ${stateText(point)}`, xName: `false alarms per hour of ${where}, ${curves.hours.toFixed(1)} h`,
        textOf: (_, [, , threshold]) => textOf(byThreshold.get(threshold)), cursor: { x, low, high, marks },
        stars: own.misses.map(({ share }, i) => ({ style: STYLES[i], x: own.alarms.rate, y: share })),
        rules: target === null ? [] : [{ x: target }],
      });
    }
    const y = logarithmic(points.map((it) => it.alarms.rate));
    return plot({
      label: `${name}. ${stateText(point)}`, x: linear(0, 255, [0, 50, 100, 150, 200, 250].map((it) => [it, `${it}`])), y, xName: "threshold of all keywords",
      series: [{ style: STYLES[0], band: true, points: points.map((it) => ({ x: it.threshold, y: it.alarms.rate, low: it.alarms.range[0], high: it.alarms.range[1], value: it.threshold, text: textOf(it) })) }],
      rules: [{ y: own.alarms.rate }],
      cursor: at === null ? null : { x: point.threshold, marks: [{ style: STYLES[0], y: x, low, high }] },
    });
  }

  const stateText = (point) => (at === null ? `${ownText}: ${textOf({ ...point, threshold: "" }).slice(2)}` : textOf(point));

  function update() {
    const point = at === null ? own : points[at];
    set(value, { textContent: at === null ? ownText : `${point.threshold}` });
    slider.set(at ?? home, stateText(point));
    reset.hidden = at === null;
    stats.replaceChildren(
      ...point.misses.map(({ count, share, range }, i) => stat(`missed, ${titles[i]}`, percent(share, 1), shareRange(range), `${count} of ${said[i]}`)),
      ...(titles.length ? [] : [stat("missed", "not measured")]),
      stat(`false alarms per hour of ${where}`, rateText(point.alarms.rate), rateRange(point.alarms.range), `${point.alarms.count} in ${curves.hours.toFixed(2)} h`));
    picture.redraw(draw(point));
    moved(at === null ? null : point.threshold);
  }

  const columns = ["threshold", ...titles.map((title) => `missed, ${title}`), "false alarms per hour"];
  const rows = points.map((point) => [point.threshold, ...point.misses.map(({ share, range }) => `${percent(share, 1)} (${shareRange(range)})`),
    `${rateText(point.alarms.rate)} (${rateRange(point.alarms.range)})`]);
  section.append(...[
    titles.length > 0 && legend(titles.map((title) => `missed, ${title}`)),
    picture.element,
    titles.length > 0 && h("p.hint", "◇ the model's own thresholds", target === null ? "" : `; dashed: ${rateText(target)}, the target of its calibration for ${rateText(curves.asked)} per hour`, "."),
    h("div.tune", h("div.row.spread", h("span.label", "Threshold of all keywords"), value), slider.element),
    stats, here.element, h("div.row", reset), valueTable("All thresholds", columns, rows),
  ].filter(Boolean));
  update();
}

const SEALS = { well: "check", some: "wave", nothing: "close" };

function start() {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const section = (name) => document.getElementById(name);
  const verdict = document.querySelector(".verdict");
  verdict.querySelector(".seal").append(icon(Object.keys(SEALS).filter((it) => verdict.classList.contains(it)).map((it) => SEALS[it])[0] ?? "chart"));
  const alarms = figures.alarms.length ? alarmList(section("alarms"), figures.alarms) : null;
  if (figures.missed.length) missedList(section("missed"), figures.missed);
  if (figures.curves) {
    const { thresholds } = figures.curves.set;
    const here = alarmsHere("False alarms of this threshold:", figures.alarms, alarmButton);
    tune(section("tuning"), figures.curves, here, (threshold) => {
      alarms?.update(threshold);
      here.update((label) => threshold ?? thresholds[label] ?? 0);
    });
  }
  if (figures.clips?.examples.length) mistakes(section("matrix"), figures.clips);
  drawCharts(figures);
  section("unscripted").remove();
}

start();
