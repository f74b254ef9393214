// SPDX-License-Identifier: Apache-2.0
// Step 6: compares the boards, and tests, builds, writes and exports for one of them.
import { each, h, icon, newId, onChange, set } from "./dom.js";
import { followLog } from "./job_bar.js";
import { badge, card, commandBox, head, modelChoice, needs, runButton } from "./parts.js";
import { texts } from "./texts.js";
import { usbPlace } from "./usb_place.js";

const CHOSEN = "kws-board";
const SALE = { yes: "good", no: "poor" }; // how good the terms of a licence are for a seller
const QEMU = "qemu";
const own = texts.board;

export function boardStep(index) {
  const missing = needs("model", "train");
  const models = modelChoice(() => update(state));
  const compare = runButton(own.compare, ".primary");
  const compareCard = h("section.card", withLead(compare, own.compareLead).element);
  const outdated = h("p.note.fair");
  const table = boardTable((name) => { sessionStorage.setItem(CHOSEN, name); update(state); });
  const panel = boardPanel();
  const library = exportCard();
  const licences = licenceCard();
  const content = h("div.content", models.element, outdated, table.element, panel.element, compareCard, library.element, licences.element);
  const element = h("div.step", head("board", index), missing, content);
  let state = null;

  function update(next) {
    state = next;
    const effort = models.update(state);
    missing.hidden = Boolean(effort);
    content.hidden = !effort;
    if (!effort) return;
    const { boards } = state;
    const isOther = Boolean(boards) && state.boards_for !== effort.name;
    outdated.hidden = !isOther;
    set(outdated, { textContent: isOther ? own.outdated(state.efforts.find(({ name }) => name === state.boards_for)?.title ?? state.boards_for) : "" });
    compare.update({ action: "boards", effort: effort.name }, effort.result.report, boards ? own.again : own.compare);
    set(compare.button, { class: boards ? null : "primary" });
    const wanted = sessionStorage.getItem(CHOSEN);
    const board = boards?.find(({ name }) => name === wanted) ?? boards?.find((it) => it.fits && it.real) ?? boards?.[0] ?? null;
    table.update(boards ?? [], board);
    panel.update(state, effort, board);
    library.update(state, effort);
    licences.update(effort.result);
  }

  return { element, update };
}

// --- the comparison --------------------------------------------------------------------------------

const columns = ["fits", "time", "load", "flash", "ram"];

function boardTable(choose) {
  const body = h("tbody"), group = newId("board");
  const element = h("div.card.boards.wide", h("table", {},
    h("thead", h("tr", ["board", ...columns].map((name) => h("th", { scope: "col" }, own.columns[name])))), body));

  const make = (board) => {
    const input = h("input", { type: "radio", name: group, value: board.name, "aria-label": own.choose(board.title), onchange: () => choose(board.name) });
    const cells = Object.fromEntries(columns.map((name) => [name, h("td", { "data-name": own.columns[name] })]));
    const row = h("tr", { onclick: (event) => event.target !== input && choose(board.name) },
      h("th", { scope: "row" }, h("label", input, h("span", board.title))), Object.values(cells));
    const draw = onChange((it) => {
      cells.fits.replaceChildren(it.fits ? badge("good", own.fits, "check") : badge("poor", own.fitsNot, "close"));
      cells.time.replaceChildren(it.inference_ms === null ? unknown() : own.ms(it.inference_ms));
      cells.load.replaceChildren(gauge(it.load, 1, it.load === null ? "" : own.share(it.load)));
      cells.flash.replaceChildren(gauge(it.flash, it.flash_of, it.flash === null ? "" : own.size(it.flash), own.of));
      cells.ram.replaceChildren(gauge(it.ram, it.ram_of, it.ram === null ? "" : own.size(it.ram), own.of));
    });
    return Object.assign(row, { draw, input });
  };
  return {
    element,
    update(boards, chosen) {
      element.hidden = boards.length === 0;
      each(body, boards, ({ name }) => name, make, (row, board) => {
        row.draw(board);
        set(row, { class: board === chosen ? "on" : "" });
        set(row.input, { checked: board === chosen });
      });
    },
  };
}

const unknown = () => h("span.hint", own.unknown);

// A number with a bar of its share.
function gauge(value, of, text, words) {
  if (value === null || value === undefined) return unknown();
  const share = of ? value / of : 0;
  const bar = h("i");
  bar.style.width = `${Math.min(100, Math.max(2, 100 * share))}%`;
  return h("div.gauge", { title: words && of ? words(value, of) : text, class: share > 1 ? "gauge over" : "gauge" }, h("span", text), h("span.track", { "aria-hidden": "true" }, bar));
}

// --- the chosen board ------------------------------------------------------------------------------

const OUTPUTS = ["test", "build", "deploy", "selftest", "monitor"];

function boardPanel() {
  const title = h("h2"), why = h("p.problem");
  const test = action(own.test, ""), build = action(own.build, own.buildLead), write = action(own.write, own.writeLead);
  const selftest = action(own.selftest, own.selftestLead), watch = action(own.watch, own.watchLead);
  const real = [write, selftest, watch]; // for a connected board
  const place = usbPlace(own.usb, () => self.update(...last));
  const downloads = h("div.row");
  build.element.append(downloads);
  const outputTitle = h("h3"), text = h("pre", { tabindex: "0", "aria-label": own.outputTitle });
  const output = h("div.output", outputTitle, text);
  const element = h("section.card", { "aria-live": "off" }, title, why, h("div.actions", [test, build].map((it) => it.element), place.element, real.map((it) => it.element)), output);
  let last = [];

  let shown = null;
  const showOutput = onChange((job) => {
    shown = job;
    output.hidden = !job;
    if (!job) return;
    const { id, state } = job;
    set(outputTitle, { textContent: own.output(job.title, texts.job.states[state]), class: state === "failed" ? "bad" : "" });
    set(text, { textContent: job.text || job.last || "" });
    const isShown = () => shown?.id === id && shown.state === "running";
    if (state === "running") followLog(id, text, isShown, isShown);
  });
  const showDownloads = onChange((zips) => downloads.replaceChildren(...zips.map((zip) => h("a.button", { href: zip, download: "" }, icon("down"), own.download))));

  const self = {
    element,
    update(state, effort, board) {
      last = [state, effort, board];
      element.hidden = !board;
      if (!board) return;
      place.element.hidden = board.real === false;
      const at = place.update(state, board.over_serial ? "" : own.usbNoWrite);
      const { name } = board, request = (kind, at = name) => ({ action: kind, effort: effort.name, board: at });
      set(title, { textContent: board.title });
      set(why, { textContent: board.fits ? "" : board.why });
      const { report } = effort.result, emulator = board.emulator ?? QEMU;
      test.show(board.emulated ? own.testLead(own.emulators[emulator] ?? emulator) : own.testAnyLead);
      test.run.update(request("test", board.emulated ? name : QEMU), report, board.emulated ? own.test : own.testAny);
      build.run.update(request("build"), report);
      for (const it of real) it.element.hidden = board.real === false;
      if (at.browser) write.element.hidden ||= !board.over_serial;
      write.run.update({ ...request("deploy"), ...at }, report);
      selftest.run.update({ action: "selftest", board: name, ...at });
      watch.run.update({ action: "monitor", board: name, ...at });
      for (const it of real) place.guard(it.run.button);
      showDownloads(state.firmware.filter((it) => it.board === name && it.effort === effort.name).map((it) => it.zip));
      const job = state.jobs.find((it) => OUTPUTS.includes(it.action));
      const written = job?.state === "running" ? {} : { text: job?.text, last: job?.last };
      showOutput(job && { id: job.id, title: job.title, state: job.state, ...written });
    },
  };
  return self;
}

// A button at the left, what it does and its command at the right.
function withLead(run, text) {
  const lead = h("p.hint", text);
  run.element.classList.add("line-up");
  run.element.prepend(lead);
  return { element: run.element, run, show: (words) => set(lead, { textContent: words }) };
}

const action = (label, text) => withLead(runButton(label), text);

// --- exports ---------------------------------------------------------------------------------------

function exportCard() {
  const kind = h("select", { id: newId("kind"), onchange: () => update(...last) }, Object.entries(own.kinds).map(([value, name]) => h("option", { value }, name)));
  const run = runButton(own.export);
  const made = h("ul.rows");
  run.row.prepend(kind);
  const element = card(own.exportTitle, own.exportLead, h("div.field", h("label", { for: kind.id }, own.kind), run.element), made);
  let last = [];

  function update(state, effort) {
    last = [state, effort];
    run.update({ action: "export", effort: effort.name, kind: kind.value }, effort.result.report);
    each(made, state.exports, (it) => it.path, (it) => h("li", {},
      h("div.what", h("strong", own.kinds[it.kind] ?? it.kind), h("span.hint", it.path)),
      h("a.button", { href: it.zip, download: "", "aria-label": own.downloadName(own.kinds[it.kind] ?? it.kind, it.effort) }, icon("down"), "ZIP")));
  }
  return { element, update };
}

// --- licences --------------------------------------------------------------------------------------

// What may be shipped: the list of `kws licences`.
function licenceCard() {
  const command = commandBox(), rows = h("tbody"), lead = h("p");
  const element = card(own.licencesTitle, own.licencesLead, lead, h("div.wide", { tabindex: "0", role: "group", "aria-label": own.licencesTitle },
    h("table", {}, h("thead", h("tr", own.licenceColumns.map((text) => h("th", { scope: "col" }, text)))), rows)), command.element);
  const show = onChange((items) => {
    element.hidden = items.length === 0;
    const open = items.filter(({ sale }) => sale !== "yes");
    set(lead, { textContent: open.length ? own.notFree(open.map(({ part, licence }) => `${part} (${licence})`)) : own.free, class: open.length ? "note fair" : "note good" });
    rows.replaceChildren(...items.map(({ part, licence, sale, must }) => h("tr", h("th", { scope: "row" }, part),
      h("td", licence), h("td", badge(SALE[sale] ?? "fair", own.sale[sale] ?? sale)), h("td", must.join("; ")))));
  });
  return {
    element,
    update({ licences, report }) {
      show(licences);
      command.show(own.licencesCommand(report.split("/")[2]));
    },
  };
}
