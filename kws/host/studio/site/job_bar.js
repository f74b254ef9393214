// SPDX-License-Identifier: Apache-2.0
// The bar at the bottom: the running command, or how the last one ended, and its log.
import { json, refresh, request } from "./api.js";
import { h, icon, newId, set } from "./dom.js";
import { announce, attempt, stop } from "./parts.js";
import { texts } from "./texts.js";

const DISMISSED = "kws-dismissed"; // the last job whose end the user has closed
const LOG_MS = 1000;

const key = (job) => `${job.id}@${job.started}`;

export function jobBar(element) {
  const mark = h("span.state", { "aria-hidden": "true" });
  const title = h("strong"), line = h("span.last"), left = h("span.left");
  const progress = h("progress", { "aria-label": texts.job.progress, max: 1 });
  const stopButton = h("button", { onclick: () => { stopped = current.id; stop(current); show(); } }, texts.job.stop);
  const resume = h("button.primary", { onclick: () => attempt(() => json("POST", "/api/jobs", current.request).then(refresh)) }, texts.job.resume);
  const close = h("button.plain", { "aria-label": texts.job.dismiss, title: texts.job.dismiss, onclick: dismiss }, icon("close"));
  const logButton = h("button.link", { onclick: () => log.open(current) }, texts.job.log);
  element.append(progress, mark, h("div.what", title, line), left, h("div.row", logButton, stopButton, resume, close));
  set(element, { "aria-label": texts.job.region });
  const log = logDialog();

  let current = null, efforts = [], stopped = 0, told = "", isFirst = true;

  function dismiss() {
    localStorage.setItem(DISMISSED, key(current));
    show();
    document.getElementById("main").focus({ preventScroll: true });
  }

  function endOf(job) {
    // kws wake fails if its model hears nothing, but the model is there.
    const isDeaf = job.action === "train" && job.state === "failed"
      && efforts.some(({ name, result }) => name === job.of && result?.verdict?.hears === "nothing");
    return isDeaf ? texts.job.deaf : texts.job.states[job.state];
  }

  function lineOf(job) {
    if (job.state === "running") return stopped === job.id ? texts.job.stopping : job.step ? texts.job.step(job.step) : job.last || texts.job.starting;
    return texts.job[job.state] ?? job.last;
  }

  function show() {
    const isHidden = !current || (current.state !== "running" && localStorage.getItem(DISMISSED) === key(current));
    element.hidden = isHidden;
    document.body.classList.toggle("has-job", !isHidden);
    if (isHidden) return;
    const { state, step } = current, isRunning = state === "running";
    if (element.dataset.state !== state) {
      element.dataset.state = state;
      const name = { done: "check", failed: "close", stopped: "pause", interrupted: "warn" }[state];
      mark.className = `state ${state}`;
      mark.replaceChildren(...(name ? [icon(name)] : []));
    }
    set(title, { textContent: isRunning ? current.title : `${current.title}: ${endOf(current)}` });
    set(line, { textContent: lineOf(current), title: lineOf(current) });
    set(left, { textContent: (isRunning && step?.left) || "" });
    set(progress, { hidden: !isRunning });
    if (step) set(progress, { value: (step.number - 0.5) / step.of });
    else progress.removeAttribute("value");
    set(stopButton, { hidden: !isRunning, textContent: stopped === current.id ? texts.job.end : texts.job.stop });
    set(resume, { hidden: !["stopped", "interrupted"].includes(state) });
    set(close, { hidden: isRunning });
  }

  return {
    // The user goes to another step, and has seen a success.
    moved() {
      if (current?.state === "done") localStorage.setItem(DISMISSED, key(current));
    },
    update(state) {
      current = state.jobs[0] ?? null;
      efforts = state.efforts;
      // An old success is no news when the page opens.
      if (isFirst && current?.state === "done") localStorage.setItem(DISMISSED, key(current));
      const news = current ? `${key(current)} ${current.state} ${current.step?.number ?? ""}` : "";
      if (news !== told && !isFirst && current) {
        announce(current.step && current.state === "running" ? lineOf(current) : texts.job.announce(current.title, endOf(current)));
      }
      told = news;
      isFirst = false;
      show();
      log.update(state);
    },
  };
}

// Shows a command's output in `text` while `isWanted()`, and scrolls with it, until the command is not `isRunning()`.
export async function followLog(id, text, isWanted, isRunning) {
  while (isWanted()) {
    const isLast = !isRunning();
    const answer = await attempt(() => request("GET", `/api/jobs/${id}/log`));
    const output = answer && (await answer.text());
    if (output !== undefined && isWanted()) {
      const isAtEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 24;
      set(text, { textContent: output || texts.job.noOutput });
      if (isAtEnd) text.scrollTop = text.scrollHeight;
    }
    if (isLast) return;
    await new Promise((resolve) => { setTimeout(resolve, LOG_MS); });
  }
}

// The complete output of a command, which follows a running one.
function logDialog() {
  const id = newId("log");
  const title = h("h2", { id }), command = h("code"), text = h("pre", { tabindex: "0", "aria-labelledby": id });
  const close = h("button", { onclick: () => dialog.close() }, texts.job.close);
  const dialog = h("dialog", { "aria-labelledby": id, onclick: (event) => event.target === dialog && dialog.close() },
    h("div.sheet", h("header", title, close), h("p.command", command), text));
  document.body.append(dialog);
  let shown = null;

  return {
    open(job) {
      shown = job;
      title.textContent = job.title;
      command.textContent = job.command;
      text.textContent = "";
      dialog.showModal();
      followLog(job.id, text, () => dialog.open && shown?.id === job.id, () => shown.state === "running");
    },
    update(state) {
      if (shown) shown = state.jobs.find((job) => job.id === shown.id) ?? shown;
    },
  };
}
