// SPDX-License-Identifier: Apache-2.0
// Step 5: the model in the browser.
import { h, icon, onChange, set } from "./dom.js";
import { cardList } from "./cards.js";
import { card, choice, head, modelChoice, needs, runButton, running } from "./parts.js";
import { texts } from "./texts.js";
import { usbPlace } from "./usb_place.js";

const own = texts.try;

export function tryStep(index) {
  const missing = needs("model", "train");
  const models = modelChoice(() => update(state));
  const make = runButton(own.make, ".primary");
  const lead = h("p", own.makeLead);
  const open = h("a.button", { target: "_blank", rel: "noopener" }, own.open, icon("out"));
  make.row.append(open);
  const hint = h("p.note.accent", icon("microphone"), h("span", own.hint));
  const frames = h("div.frame");
  const cards = cardList(() => frames.querySelector("iframe")?.contentWindow?.kws);
  const listen = runButton(own.listen);
  const use = choice(own.use, () => update(state)), microphone = choice(own.microphone, () => update(state));
  const why = h("p.hint"), place = usbPlace(own.usb, () => state && update(state));
  const home = card(own.homeTitle, "", h("div.row", use.element, microphone.element), place.element, why, listen.element);
  const content = h("div.content", models.element, h("section.card", lead, make.element), hint, cards.element, frames, home);
  const element = h("div.step", head("try", index), missing, content);
  let state = null, isShown = false;

  // The frame's page keeps running until a new one is made or the user leaves, which frees the microphone.
  const showFrame = onChange(([address]) => {
    if (!address) return frames.replaceChildren();
    const frame = h("iframe", { src: address, title: own.frame, allow: "microphone" });
    frame.addEventListener("load", () => {
      frame.contentWindow.addEventListener("kws-word", cards.hear);
      frame.contentWindow.addEventListener("kws-near", cards.hearNearly);
    });
    frames.replaceChildren(frame);
  });

  function update(next) {
    state = next;
    const effort = models.update(state);
    missing.hidden = Boolean(effort);
    content.hidden = !effort;
    if (!effort) return;
    const hasPage = state.pages.includes(effort.name), address = `/try/${effort.name}/`;
    make.update({ action: "page", effort: effort.name }, effort.result.report, hasPage ? own.again : own.make);
    set(make.button, { class: hasPage ? "" : "primary" });
    set(lead, { textContent: hasPage ? own.say(state.words) : own.makeLead });
    set(open, { hidden: !hasPage, href: address });
    set(hint, { hidden: !hasPage });
    set(cards.element, { hidden: !hasPage && state.cards.length === 0 });
    cards.update(state);
    use.update(Object.entries(own.uses), use.value || "home");
    microphone.update(Object.entries(own.microphones), microphone.value || "machine");
    const board = microphone.value === "board";
    place.element.hidden = !board;
    const at = place.update(state);
    set(why, { textContent: `${own.homeLead} ${own.usesLead[use.value]}${board ? ` ${own.boardLead}` : ""}` });
    listen.update({ action: use.value, effort: effort.name, board, ...(board ? at : {}) }, effort.result.report);
    if (board) place.guard(listen.button);
    // While a page is made, some of its files exist. A frame shown then would be replaced under the user's hands.
    const ofPage = (job) => job?.action === "page" && job.of === effort.name;
    const made = state.jobs.find((job) => ofPage(job) && job.state === "done");
    showFrame([hasPage && isShown && !ofPage(running(state)) && address, made?.id]);
  }

  return {
    element, update,
    enter: () => { isShown = true; },
    leave: () => { isShown = false; showFrame([false]); },
  };
}
