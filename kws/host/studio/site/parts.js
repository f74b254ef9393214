// SPDX-License-Identifier: Apache-2.0
// Parts that several steps use.
import { commandOf, json, request, refresh } from "./api.js";
import { soundButton } from "./controls.js";
import { h, icon, newId, onChange, set } from "./dom.js";
import { texts } from "./texts.js";

export { newSlider } from "./controls.js";

// Tells a screen reader about a result.
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

export function toast(text) {
  const element = document.getElementById("toast");
  element.textContent = text;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => (element.textContent = ""), 8000);
}

// Runs an action of the user. An error's line goes to `problem`, or to the toast.
export async function attempt(action, problem = null) {
  const say = (line) => (problem ? problem.show(line) : toast(line));
  if (problem) problem.show("");
  try {
    return await action();
  } catch (error) {
    say(error.message);
    return undefined;
  }
}

export function problemLine() {
  const element = h("p.problem", { role: "alert" });
  return { element, show: (line) => (element.textContent = line) };
}

// Like `disabled`, but the button keeps the focus and its place in the order of Tab.
export const dim = (button, isDim) => set(button, { "aria-disabled": isDim ? "true" : null });
export const isDim = (button) => button.getAttribute("aria-disabled") === "true";

export const head = (step, index) => h("header.head", {},
  h("p.eyebrow", texts.stepOf(index + 1, Object.keys(texts.steps).length)),
  h("h1", { tabindex: "-1" }, texts.steps[step].title),
  h("p.lead", texts.steps[step].lead));

export const card = (title, lead, ...children) => h("section.card", {},
  title && h("h2", title), lead && h("p.hint", lead), ...children);

// What a step needs first, with a link to it.
export function needs(key, step) {
  const [line, link] = texts.needs[key];
  return h("div.card.needs", { hidden: true }, h("p", line), h("a.button.primary", { href: `#${step}` }, link, icon("next")));
}

export const badge = (kind, text, name) => h(`span.badge.${kind}`, name && icon(name), text);

// --- commands --------------------------------------------------------------------------------------

// A command's text with a button that copies it.
export function commandBox() {
  const code = h("code");
  const copy = h("button.plain", { "aria-label": texts.copy, title: texts.copy, onclick: copyText }, icon("copy"));
  const element = h("div.command", { hidden: true }, code, copy);
  async function copyText() {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      return toast(texts.copyRefused);
    }
    announce(texts.copied);
    copy.replaceChildren(icon("check"));
    setTimeout(() => copy.replaceChildren(icon("copy")), 1500);
  }
  return { element, show: (text) => { set(code, { textContent: text }); element.hidden = !text; } };
}

const ASK_MS = 100; // a slider asks for many commands

// A button that starts a command, the command's text, and the line of an error.
export function runButton(label, kind = "") {
  const caption = h("span", label);
  const button = h(`button${kind}`, { onclick: run }, caption);
  const box = commandBox(), problem = problemLine();
  const element = h("div.run", h("div.row", button), box.element, problem.element);
  let action = null;
  async function run() {
    if (!action || isDim(button)) return;
    dim(button, true);
    await attempt(() => json("POST", "/api/jobs", action).then(refresh), problem);
    dim(button, false);
  }
  let timer = 0;
  const showCommand = onChange(([wanted]) => {
    clearTimeout(timer);
    const show = (text) => action === wanted && box.show(text);
    if (!wanted) show("");
    else timer = setTimeout(() => commandOf(wanted).then(show, () => show("")), ASK_MS);
  });
  return {
    element, button,
    row: button.parentElement,
    // `action`: a request, or null. `depends`: anything that changes the command's text. `text`: a new label.
    update(wanted, depends = null, text = label) {
      if (JSON.stringify(wanted) !== JSON.stringify(action)) { action = wanted; problem.show(""); }
      dim(button, !wanted);
      set(caption, { textContent: text });
      showCommand([action, depends]);
    },
  };
}

export const running = (state) => state.jobs.find((job) => job.state === "running") ?? null;

export const stop = (job) => attempt(() => request("POST", `/api/jobs/${job.id}/stop`).then(refresh));

// --- choices ---------------------------------------------------------------------------------------

// One of a few values, as radio buttons that look like a switch: { element, value, update(options, chosen) },
// with [value, text] as an option.
export function choice(legend, changed) {
  const name = newId("choice");
  const row = h("div.segments");
  const element = h("fieldset.choice", h("legend", legend), row);
  const self = { element, value: "" };
  const build = onChange((options) => row.replaceChildren(...options.map(([value, text]) => h("label.segment", {},
    h("input", { type: "radio", name, value, onchange: () => { self.value = value; changed(value); } }), h("span", text)))));
  self.update = (options, chosen) => {
    build(options);
    self.value = chosen;
    for (const input of row.querySelectorAll("input")) set(input, { checked: input.value === chosen });
  };
  return self;
}

const CHOSEN = "kws-model"; // the effort whose model Judge, Try and Board show

// Chooses one of the trained models, the same in all steps: { element, update(state) } returns its effort or null.
export function modelChoice(changed) {
  const models = choice(texts.model, (name) => { sessionStorage.setItem(CHOSEN, name); changed(); });
  return {
    element: models.element,
    update(state) {
      const trained = state.efforts.filter((effort) => effort.result);
      const wanted = sessionStorage.getItem(CHOSEN);
      const chosen = trained.find(({ name }) => name === wanted) ?? trained.at(-1) ?? null;
      models.update(trained.map(({ name, title }) => [name, title]), chosen?.name ?? "");
      models.element.hidden = trained.length < 2;
      return chosen;
    },
  };
}

// --- sound -----------------------------------------------------------------------------------------

// A button that plays a sound, and stops it: `children` is its content, `name` for screen readers.
export const playButton = (kind, name, url, ...children) => soundButton(kind, texts.play(name), url, (button) => {
  if (button.dispatchEvent(new CustomEvent("silent", { cancelable: true }))) toast(texts.noSound);
}, ...children);
