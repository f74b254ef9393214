// SPDX-License-Identifier: Apache-2.0
// Step 4: how well a model hears, why, and its threshold.
import { json, refresh } from "./api.js";
import { alarmsHere } from "./controls.js";
import { h, icon, onChange, set } from "./dom.js";
import { attempt, card, head, modelChoice, needs, newSlider, playButton, runButton } from "./parts.js";
import { texts } from "./texts.js";
import { chart, legend, missChart, pointAt, stat, STYLES } from "./plot.js";

const own = texts.judge;
const ICONS = { well: "check", some: "wave", nothing: "close" };

// One threshold for the model: that of its least strict word.
const thresholdOf = (result) => Math.min(...Object.values(result.thresholds));

export function judgeStep(index) {
  const missing = needs("model", "train");
  const models = modelChoice(() => update(state));
  const verdict = h("section.card.verdict", { "aria-live": "polite" });
  const causes = h("section.card");
  const figures = h("dl.figures");
  const tuning = tuner();
  const rows = h("tbody"), history = beforeCard();
  const compare = card(own.compare, "", h("div.wide", { tabindex: "0", role: "group", "aria-label": own.compare }, h("table", {},
    h("thead", h("tr", own.columns.map((text) => h("th", { scope: "col" }, text)))), rows)));
  const link = h("a.button", { target: "_blank", rel: "noopener" }, own.openReport, icon("out"));
  const frame = h("iframe", { title: own.report, hidden: true });
  const show = h("button", { onclick: () => { frame.src = `${link.href}#alarms`; frame.hidden = false; show.hidden = true; } }, own.showReport);
  const report = card(own.report, own.reportLead, h("div.row", link, show), frame);
  const content = h("div.content", models.element, verdict, causes, card(own.figuresTitle, "", figures), tuning.element, history.element, compare, report);
  const element = h("div.step", head("judge", index), missing, content);
  let state = null;

  const showVerdict = onChange(({ hears, evidence, labels, isStale }) => {
    set(verdict, { class: `card verdict ${hears ?? ""}` });
    const title = hears ? (labels.length > 1 ? own.verdictsMany : own.verdicts)[hears] : own.unknown;
    verdict.replaceChildren(h("span.seal", { "aria-hidden": "true" }, icon(ICONS[hears] ?? "warn")), h("div", {},
      h("h2", title), evidence && h("p", sentence(labels.reduce((text, label) => text.replaceAll(label, texts.spoken(label)), evidence))),
      hears === "nothing" && h("p", h("strong", own.nothingNote)),
      isStale && h("p.hint", texts.train.staleNote)));
  });
  const showCauses = onChange((list) => {
    causes.hidden = list.length === 0;
    causes.replaceChildren(h("h2", own.causesTitle), h("ul.causes", list.map(({ why, next }) =>
      h("li", h("p", h("strong", sentence(why))), h("p", sentence(withoutOptions(next)), stepsOf(next).map((step) => [" ", h("a", { href: `#${step}` }, own.goTo[step])]))))));
  });
  const showFigures = onChange((lines) => {
    figures.parentElement.hidden = lines.length === 0;
    figures.replaceChildren(...lines.map((line) => {
      const [, name, rest] = line.match(/^([^:;]{4,60}): (.+)$/) ?? [];
      return name ? h("div", h("dt", sentence(name, "")), h("dd", sentence(rest))) : h("div.plain-line", h("dd", sentence(line)));
    }));
  });
  const showRows = onChange((efforts) => {
    compare.hidden = efforts.length < 2;
    rows.replaceChildren(...efforts.map(({ title, stale, result }) => {
      const at = result.curve[0] && pointAt(result.curve[0], thresholdOf(result));
      const hears = result.verdict?.hears;
      return h("tr", h("th", { scope: "row" }, title, stale && h("span.hint", ` (${texts.stale.toLowerCase()})`)),
        h("td", hears ? h(`span.word.${hears}`, hears) : "–"),
        h("td.number", at ? texts.percent(at[1]) : own.notMeasured), h("td.number", at ? at[0].toFixed(1) : own.notMeasured),
        h("td.number", [...new Set(Object.values(result.thresholds))].join(", ")), h("td.number", `${result.recordings}`));
    }));
  });
  const showReport = onChange((address) => {
    link.href = address;
    frame.removeAttribute("src");
    frame.hidden = true;
    show.hidden = false;
  });

  function update(next) {
    state = next;
    const effort = models.update(state);
    missing.hidden = Boolean(effort);
    content.hidden = !effort;
    if (!effort) return;
    const { result } = effort;
    showVerdict({ hears: result.verdict?.hears, evidence: result.verdict?.evidence, labels: Object.keys(result.thresholds), isStale: effort.stale });
    showCauses(result.verdict?.causes ?? []);
    showFigures(result.lines.filter((line) => !/^(verdict|why):/.test(line)));
    tuning.update(effort);
    history.update(effort);
    showRows(state.efforts.filter((it) => it.result).map(({ title, stale, result: it }) => ({ title, stale, result: it })));
    showReport(result.report);
  }

  return { element, update };
}

// The steps where a remedy is done.
const stepsOf = (remedy) => [
  ...(/voices|talk|negatives|--data/.test(remedy) ? ["word"] : []),
  ...(/record/.test(remedy) ? ["record"] : []),
  ...(/epochs|train/.test(remedy) ? ["train"] : []),
];

// Remedies name options of the commands, which mean nothing beside links to the steps. The page has no seeds.
const withoutOptions = (remedy) => remedy.replace(/ \((?:--|kws )[^)]*\)/g, "").replace(/, ([^,]+), or another --seed/, " or $1");

// Evidence and remedies come as fragments of sentences.
function sentence(text, end = ".") {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : first + end;
}

// The last two trainings of a model. Their misses are compared at equal false alarms: each threshold
// alone says little.
function beforeCard() {
  const lead = h("p.hint"), head = h("thead"), rows = h("tbody");
  const element = card(own.beforeTitle, "", lead, h("div.wide", { tabindex: "0", role: "group", "aria-label": own.beforeTitle }, h("table", {}, head, rows)));
  const show = onChange(({ before, result }) => {
    element.hidden = !before;
    if (!before) return;
    const row = (name, values) => h("tr", h("th", { scope: "row" }, name), values.map((value) => h("td.number", value)));
    const both = [before, result];
    const lines = [row(own.recordings, both.map((it) => `${it.recordings}`))];
    const isMeasured = both.every((it) => it.curve.length > 0);
    if (isMeasured) {
      const [most] = pointAt(result.curve[0], thresholdOf(result));
      result.curve.forEach(({ kind, title }) => {
        const misses = both.map((it) => missesAt(it.curve.find((curve) => curve.kind === kind), most));
        lines.push(row(own.missedIn(title), misses.map((share) => (share === null ? own.notMeasured : texts.percent(share)))));
      });
      set(lead, { textContent: own.beforeLead(most) });
    } else {
      lines.push(row(own.evidence, both.map((it) => it.verdict?.evidence ?? own.notMeasured)));
      set(lead, { textContent: own.beforeNoCurve });
    }
    head.replaceChildren(h("tr", ["", own.before, own.after].map((text) => h("th", { scope: "col" }, text))));
    rows.replaceChildren(...lines);
  });
  return { element, update: ({ before, result }) => show({ before, result }) };
}

// The least share of misses at no more than `most` false alarms per hour; null if there are always more.
function missesAt(curve, most) {
  const points = (curve?.points ?? []).filter(([alarms]) => alarms <= most);
  return points.length ? Math.min(...points.map(([, misses]) => misses)) : null;
}

const MISSED = 4; // shown here; the report has more

// A false alarm's sound, and for one in talk a switch that says that it was the user's word after all. `note` says what follows.
function alarmButtons(run, { label, peak, sound, number, mine }, note) {
  const name = own.alarm(label, peak);
  const play = playButton("", name, () => sound, h("strong", label), " ", h("span.hint", `${peak}`));
  if (mine === null) return play;
  const said = h("button.plain.small", { type: "button", "aria-pressed": `${mine}`, "aria-label": `${own.mine}: ${name}`, onclick: answer }, icon("check"), own.mine);
  async function answer() {
    const wanted = said.getAttribute("aria-pressed") === "false";
    const done = await attempt(() => json("POST", `/api/runs/${encodeURIComponent(run)}/alarms/${number}`, { mine: wanted }));
    if (!done) return;
    set(said, { "aria-pressed": `${wanted}` });
    set(note, { textContent: wanted ? own.isMine(done.track) : own.isNotMine(done.track) });
    refresh();
  }
  return h("span.alarm", play, said);
}

// Sounds of the report beside the threshold: { element, load(run), update(threshold), play() }.
function mistakes() {
  const element = h("div.mistakes"), note = h("p.hint", { role: "status" });
  let here = null, wanted = "", at = 0;

  async function load(run) {
    wanted = run;
    here = null;
    element.replaceChildren();
    const { alarms = [], missed = [] } = (await attempt(() => json("GET", `/api/runs/${encodeURIComponent(run)}/sounds`))) ?? {};
    if (run !== wanted) return;
    here = alarmsHere(own.alarmsHere, alarms.map((alarm, number) => ({ ...alarm, number })), (alarm) => alarmButtons(run, alarm, note));
    here.update(() => at);
    set(note, { textContent: "" });
    element.replaceChildren(here.element, note, missed.length > 0 && h("div", h("p.hint", own.missedHere), h("div.row",
      missed.slice(0, MISSED).map(({ label, where, sound }) =>
        playButton("", own.missedWord(label, where), () => sound, h("strong", label), " ", h("span.hint", where))))) || "");
  }

  return {
    element, load,
    update: (threshold) => { at = threshold; here?.update(() => at); },
    play: () => here?.play(),
  };
}

// The curve with a slider for the threshold.
function tuner() {
  const picture = chart(own.chart, (threshold) => { chosen = threshold; draw(); sounds.play(); });
  const names = h("div"), stats = h("dl.stats"), now = h("p.hint"), sounds = mistakes();
  const value = h("output");
  const slider = newSlider(own.threshold, { min: 0, max: 255, step: 1 }, (at) => { chosen = at; draw(); });
  const run = runButton(own.set(0), ".primary");
  const lead = h("p.hint", own.tuneLead);
  const missing = h("p.note.fair", icon("warn"), h("span", `${own.noCurve} `, h("a", { href: "#word" }, own.noCurveNext)));
  const curve = h("div", names, picture.element);
  const element = card(own.tuneTitle, "", lead, missing, curve,
    h("div.tune", h("div.row.spread", h("span.label", own.threshold), value), slider.element),
    stats, sounds.element, now, run.element);
  let effort = null, chosen = null, shownFor = "";

  function draw() {
    const { result } = effort;
    set(value, { textContent: `${chosen}` });
    if (result.curve.length > 0) drawCurve(result);
    else slider.set(chosen, `${chosen}`);
    sounds.update(chosen);
    const values = Object.values(result.thresholds);
    const isSet = values.every((it) => it === chosen);
    run.update(isSet ? null : { action: "threshold", effort: effort.name, value: chosen }, result.report, isSet ? own.isSet : (values.length > 1 ? own.setAll : own.set)(chosen));
    set(now, { hidden: isSet, textContent: new Set(values).size > 1 ? own.nowMany(result.thresholds) : own.now(values[0]) });
  }
  // The numbers and the curve at the chosen threshold.
  function drawCurve({ curve: curves }) {
    const rows = curves.map((it) => ({ title: it.title, point: pointAt(it, chosen) }));
    const { point: [perHour] } = rows[0];
    const [low, high] = curves[0].alarms_95[curves[0].points.indexOf(rows[0].point)];
    slider.set(chosen, own.value(chosen, perHour, rows.map(({ title, point }) => ({ title, misses: point[1] }))));
    stats.replaceChildren(stat(own.alarms, own.rate(perHour), own.rateRange(low, high)),
      ...rows.map(({ title, point: [, misses, , ...range] }) => stat(own.missedIn(title), texts.percent(misses), own.missRange(range))));
    picture.redraw(missChart({
      curves, label: own.chart, xName: own.xName, textOf: own.point,
      cursor: { x: perHour, low, high, marks: rows.map(({ point }, i) => ({ style: STYLES[i], y: point[1], low: point[3], high: point[4] })) },
    }));
  }

  const show = onChange(({ result }) => {
    const has = result.curve.length > 0, of = thresholdOf(result);
    missing.hidden = has;
    lead.hidden = curve.hidden = stats.hidden = !has;
    const thresholds = has ? result.curve.flatMap(({ points }) => points.map((point) => point[2])) : [0, 255];
    slider.limit({ min: Math.min(...thresholds, of), max: Math.max(...thresholds, of), step: 1 });
    names.replaceChildren(legend(result.curve.map((it) => it.title)));
    draw();
  });
  const hear = onChange(sounds.load);
  return {
    element,
    update(next) {
      const key = `${next.name} ${JSON.stringify(next.result.thresholds)}`;
      effort = next;
      if (key !== shownFor) chosen = thresholdOf(next.result);
      shownFor = key;
      show({ name: next.name, result: next.result });
      hear(next.result.folder);
    },
  };
}
