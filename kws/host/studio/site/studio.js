// SPDX-License-Identifier: Apache-2.0
// The page of kws studio: shows one step at a time, and keeps it up to date with the server's state.
import { connect, forgetCommands } from "./api.js";
import { h, icon, onChange, set } from "./dom.js";
import { jobBar } from "./job_bar.js";
import { announce, running } from "./parts.js";
import { texts } from "./texts.js";
import { boardStep } from "./step_board.js";
import { judgeStep } from "./step_judge.js";
import { recordStep } from "./step_record.js";
import { trainStep } from "./step_train.js";
import { tryStep } from "./step_try.js";
import { wordStep } from "./step_word.js";

const OFFLINE_MS = 1500; // a shorter loss is not shown

const $ = (id) => document.getElementById(id);

const MAKE = { word: wordStep, record: recordStep, train: trainStep, judge: judgeStep, try: tryStep, board: boardStep };
const NAMES = Object.keys(MAKE);

const steps = {}; // by name: { element, update(state), enter?(), leave?() }, made when first shown
const onward = {}; // links to the next step
const job = jobBar($("job"));
let state = null;
let shown = "";

// --- the rail: a line on each step's result --------------------------------------------------------

const trained = () => state.efforts.filter((effort) => effort.result);

const RESULTS = {
  word: () => state.words.length > 0 && texts.rail.word(state.words),
  record: () => state.takes.length > 0
    && texts.rail.record(state.takes.length, new Set(state.takes.map((take) => take.speaker)).size),
  train: () => trained().length > 0 && texts.rail.train(trained().map((effort) => effort.title)),
  judge: () => texts.rail.judge[trained().at(-1)?.result.verdict?.hears],
  try: () => state.pages.length > 0 && texts.rail.try,
  board: () => {
    const names = [...new Set(state.firmware.map((it) => it.board))];
    return names.length > 0 && texts.rail.board(names.map((name) => state.boards?.find((it) => it.name === name)?.title ?? name));
  },
};

// A model that hears nothing is no result to go on with.
const isDeaf = (name) => name === "judge" && trained().at(-1)?.result.verdict?.hears === "nothing";

const links = NAMES.map((name, index) => {
  const mark = h("span.mark", { "aria-hidden": "true" }, `${index + 1}`);
  const done = h("span.unseen");
  const line = h("span.line");
  const link = h("a", { href: `#${name}` }, mark, h("span.name", texts.steps[name].name, done), line);
  const item = h("li", link);
  $("steps").append(item);
  const show = onChange(([result, isShown, now, isBad]) => {
    item.className = isBad ? "bad" : result ? "done" : "";
    set(link, { "aria-current": isShown ? "step" : null });
    set(done, { textContent: `${result && !isBad ? `, ${texts.isDone}` : ""}${now || result ? ", " : ""}` });
    set(line, { textContent: now || result || "" });
    mark.replaceChildren(result ? icon(isBad ? "close" : "check") : `${index + 1}`);
  });
  return (now) => show([RESULTS[name]() || "", name === shown, now, isDeaf(name)]);
});

function showRail() {
  const current = running(state);
  const training = current?.action === "train" ? texts.rail.training(current) : "";
  links.forEach((show, index) => show(NAMES[index] === "train" ? training : ""));
  set($("folder"), { textContent: texts.folder(state.project.path) });
}

// --- steps -----------------------------------------------------------------------------------------

// The first step without a result; recording is optional.
function firstStep() {
  if (running(state)?.action === "train") return "train";
  return NAMES.find((name) => name !== "record" && !RESULTS[name]()) ?? "board";
}

function route() {
  if (!state) return;
  const wanted = location.hash.slice(1);
  const name = MAKE[wanted] ? wanted : shown || firstStep();
  if (name === shown) return;
  const before = shown;
  if (before) {
    job.moved();
    steps[before].leave?.();
    steps[before].element.hidden = true;
  }
  shown = name;
  const index = NAMES.indexOf(name), next = NAMES[index + 1];
  if (!steps[name]) {
    steps[name] = MAKE[name](index);
    if (next) {
      onward[name] = h("a.button", { href: `#${next}` }, texts.next(texts.steps[next].name), icon("next"));
      steps[name].element.append(h("p.onward", onward[name]));
    }
    $("main").append(steps[name].element);
  }
  steps[name].element.hidden = false;
  steps[name].enter?.();
  document.title = texts.title(texts.steps[name].name, state.project.name);
  update();
  scrollTo(0, 0);
  if (before) steps[name].element.querySelector("h1").focus({ preventScroll: true });
}

const settings = onChange(forgetCommands);

function update() {
  settings([state.settings, state.efforts.map((effort) => [effort.command, effort.run, effort.result?.report])]);
  showRail();
  job.update(state);
  steps[shown].update(state);
  onward[shown]?.classList.toggle("primary", Boolean(RESULTS[shown]()) && !isDeaf(shown));
}

addEventListener("hashchange", route);
$("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names the step
  $("main").focus();
});

// --- connection ------------------------------------------------------------------------------------

let lost = 0; // timer

function online(isOnline) {
  clearTimeout(lost);
  if (isOnline) {
    if (!$("offline").hidden) announce(texts.online);
    $("offline").hidden = true;
  } else {
    lost = setTimeout(() => {
      $("offline").textContent = texts.offline;
      $("offline").hidden = false;
    }, OFFLINE_MS);
  }
}

connect((next) => {
  state = next;
  if (shown) update();
  else route();
}, online);
