// SPDX-License-Identifier: Apache-2.0
// Step 3: the effort, the training run and its curves.
import { refresh, request } from "./api.js";
import { each, h, icon, newId, onChange, set } from "./dom.js";
import { accuracyChart } from "./charts.js";
import { attempt, badge, card, head, needs, newSlider, problemLine, runButton, running, stop } from "./parts.js";
import { chart, legend } from "./plot.js";
import { texts } from "./texts.js";

const CHOSEN = "kws-effort";
const own = texts.train;

const stateOf = (effort, job) => (job?.of === effort.name ? "running" : effort.stale ? "stale" : effort.run);
const KINDS = { none: "none", unfinished: "fair", done: "good", stale: "fair", running: "accent" };
const ICONS = { done: "check", stale: "warn", unfinished: "pause" };

export function trainStep(index) {
  const missing = needs("word", "word");
  const slider = newSlider(own.effort, { min: 0, max: 2, step: 1 }, (value) => {
    sessionStorage.setItem(CHOSEN, state.efforts[value].name);
    update(state);
  });
  const stops = h("ol.stops", { "aria-hidden": "true" });
  const title = h("h2"), status = h("span"), minutes = h("p.minutes"), buys = h("p"), note = h("p.hint");
  const train = runButton(own.start, ".large");
  const stopButton = h("button", { onclick: () => stop(job) }, own.stop);
  train.row.append(stopButton);
  const sellable = h("input", { type: "checkbox", id: newId("sellable"), onchange: store });
  const problem = problemLine();
  const talk = h("p.note.fair", icon("warn"), h("span", `${own.noTalk} `, h("a", { href: "#word" }, own.addTalk)));
  const bar = h("ol.progress"), stepTitle = h("p.now"), left = h("span.hint");
  const progressCard = card(own.progressTitle, "", bar, h("p.row.spread", stepTitle, left));
  const curves = h("div.curves");
  const curveCard = card(own.curvesTitle, own.curvesLead, legend([own.training, own.validation]), curves);
  const content = h("div.content", {},
    h("section.card.effort", { "aria-labelledby": "effort-title" }, slider.element, stops,
      h("div.chosen", { "aria-live": "polite" }, h("div.row.spread", h("div.row", set(title, { id: "effort-title" }), status), minutes), buys),
      note, talk,
      h("p.row", h("label.check", sellable, own.sellable)), h("p.hint", own.sellableHint), problem.element,
      train.element),
    progressCard, curveCard);
  const element = h("div.step", head("train", index), missing, content);

  let state = null, job = null;

  async function store() {
    await attempt(async () => {
      await request("PUT", "/api/settings", { ...state.settings, sellable: sellable.checked });
      await refresh();
    }, problem);
    sellable.checked = state.settings.sellable; // also if saving failed
  }

  // The chosen effort: that of the user, of the running training, or the most useful one.
  function chosen() {
    const names = state.efforts.map((effort) => effort.name);
    const wanted = sessionStorage.getItem(CHOSEN) ?? job?.of
      ?? (state.efforts.find((effort) => effort.run === "unfinished") ?? state.efforts.findLast((effort) => effort.result))?.name;
    return Math.max(names.indexOf(wanted), 0);
  }

  const showStatus = onChange((kind) => status.replaceChildren(badge(KINDS[kind], own.states[kind], ICONS[kind])));
  const showSteps = onChange((step) => {
    bar.replaceChildren(...Array.from({ length: step?.of ?? 0 }, (_, i) =>
      h("li", { class: i + 1 < step.number ? "done" : i + 1 === step.number ? "now" : "" }, h("span.unseen", own.stepList(i + 1, step.of)))));
    set(stepTitle, { textContent: step ? texts.job.step(step) : texts.job.starting });
    set(left, { textContent: step?.left ?? "" });
  });

  function update(next) {
    state = next;
    const hasWords = state.words.length > 0;
    missing.hidden = hasWords;
    content.hidden = !hasWords;
    const now = running(state);
    job = now?.action === "train" ? now : null;
    const place = chosen(), effort = state.efforts[place], kind = stateOf(effort, job);
    const isRunning = kind === "running";
    slider.set(place, `${effort.title}, ${own.minutes(effort.minutes)}`);
    each(stops, state.efforts, ({ name }) => name, ({ name }) => {
      const dot = h("i"), text = h("span"), time = h("small");
      const item = h("li", { onclick: () => { sessionStorage.setItem(CHOSEN, name); update(state); } }, dot, text, time);
      return Object.assign(item, { parts: { text, time } });
    }, (item, it) => {
      set(item.parts.text, { textContent: it.title });
      set(item.parts.time, { textContent: job?.of === it.name ? own.states.running : own.states[stateOf(it, job)] });
      set(item, { class: `${it === effort ? "on" : ""} ${stateOf(it, job)}` });
    });
    set(title, { textContent: effort.title });
    set(minutes, { textContent: own.minutes(effort.minutes), title: own.estimate });
    set(buys, { textContent: effort.buys });
    showStatus(kind);
    set(note, { textContent: effort.stale ? own.staleNote : kind === "done" ? own.doneNote : "", hidden: !effort.stale && kind !== "done" });
    if (document.activeElement !== sellable) sellable.checked = state.settings.sellable;
    talk.hidden = state.settings.negatives.length > 0 || effort.name === "quick";
    train.update({ action: "train", effort: effort.name }, effort.command,
      isRunning ? own.running : { none: own.start, unfinished: own.resume, done: own.again, stale: own.again }[kind]);
    set(train.button, { hidden: isRunning, class: kind === "done" ? "large" : "large primary" });
    set(stopButton, { hidden: !isRunning });
    progressCard.hidden = !isRunning;
    showSteps(isRunning ? job.step : null);
    const drawn = effort.curves.filter((curve) => curve.epochs.length);
    curveCard.hidden = drawn.length === 0;
    each(curves, drawn, (curve) => `${effort.name} ${curve.title}`, (curve) => {
      const picture = chart(curve.title);
      const draw = onChange((it) => picture.redraw(accuracyChart(it)));
      return Object.assign(h("figure", h("figcaption", curve.title), picture.element), { draw });
    }, (figure, curve) => figure.draw(curve));
  }

  return { element, update };
}
