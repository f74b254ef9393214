// SPDX-License-Identifier: Apache-2.0
// Recording with a board's microphone: a command that asks for one word after another.
import { h, set } from "./dom.js";
import { card, runButton, running } from "./parts.js";
import { texts } from "./texts.js";
import { usbPlace } from "./usb_place.js";

const own = texts.boardRecord;

// `speaker()`: who speaks, empty if nobody has entered a name. { element, update(state), named() }: `named` follows
// the name.
export function boardCard(speaker) {
  const prompt = h("p.prompt", { role: "status", hidden: true });
  const run = runButton(own.record);
  const missing = h("p.hint", own.needsName);
  const place = usbPlace(own.usb, named);
  const element = card(own.title, own.lead, place.element, prompt, missing, run.element);
  let state = null;

  function named() {
    if (!state) return;
    const name = speaker();
    missing.hidden = name !== "";
    const at = place.update(state);
    run.update(name ? { action: "record", speaker: name, ...at } : null);
    place.guard(run.button);
  }

  return {
    element, named,
    update(next) {
      state = next;
      const job = running(state);
      const isRecording = job?.action === "record";
      set(prompt, { hidden: !isRecording, textContent: isRecording ? own.prompt(job.last) : "" });
      named();
    },
  };
}
