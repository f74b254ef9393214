// SPDX-License-Identifier: Apache-2.0
// Records takes: who speaks, which word, the button, and the level. Step Record and the phone's page use it.
import { json, path } from "./api.js";
import { h, icon, onChange, set } from "./dom.js";
import { choice } from "./parts.js";
import { Recorder, SILENT } from "./recorder.js";
import { speakerField } from "./speaker_field.js";
import { texts } from "./texts.js";

const QUIETEST_DB = -54;
const RING = 2 * Math.PI * 46; // length of the ring around the button
const own = texts.record;
const idle = matchMedia("(pointer: coarse)").matches ? own.idleTouch : own.idle;

// `saved(word)` is called after a take was saved, and returns a promise of the number of the word's takes. `named()`
// is called when the speaker's name changes.
export function takeRecorder(saved, named = () => {}) {
  const speaker = speakerField(() => { say(""); named(); });
  const words = choice(own.word, () => say(""));
  const ring = ringPicture();
  const caption = h("span", own.record);
  const button = h("button.record", { onclick: record }, ring.element, icon("microphone"), caption);
  const prompt = h("p.prompt"), result = h("p.result", { role: "status" });
  const bars = Array.from({ length: 24 }, () => h("i"));
  const level = h("div.level", { role: "meter", "aria-label": own.level, "aria-valuemin": QUIETEST_DB, "aria-valuemax": 0, "aria-valuenow": QUIETEST_DB }, bars);
  const element = h("section.card.recorder", { "aria-label": own.record },
    h("div.fields", speaker.element, words.element),
    h("div.stage", prompt, button, level, result));

  let windowMs = 0, phase = "idle", peak = 0, drawn = 0, isShown = false;
  const recorder = new Recorder({
    level: (value) => { peak = Math.max(peak, value); },
    closed: () => { peak = 0; },
  });

  function say(line, kind = "") {
    result.className = `result ${kind}`;
    set(result, { textContent: line });
  }

  function enter(next) {
    phase = next;
    button.dataset.phase = phase;
    set(caption, { textContent: { idle: own.record, ready: own.ready, speak: own.speak, saving: own.saving }[phase] });
    const word = words.value;
    set(prompt, { textContent: phase === "idle" ? idle(word) : own.speaking(word) });
  }

  async function record() {
    if (phase !== "idle") return;
    if (!speaker.name()) {
      say(own.speakerMissing, "bad");
      return speaker.focus();
    }
    const word = words.value;
    say("");
    enter("ready");
    draw();
    try {
      const samples = await recorder.record(windowMs, (next, ms) => {
        enter(next);
        if (next === "speak") ring.run(ms);
      });
      enter("saving");
      const answer = await json("POST", path("/api/takes", { word, speaker: speaker.name() }), samples);
      if (answer.problem) say(`${answer.problem.charAt(0).toUpperCase()}${answer.problem.slice(1)}.`, "fair");
      else say(own.saved(word, await saved(word)), "good");
    } catch (error) {
      const { message } = error;
      say(message === SILENT ? own.silent : error.isMicrophone && message ? own.microphone(message) : message, "bad");
    }
    ring.stop();
    enter("idle");
  }

  // The level, while the microphone is open.
  function draw() {
    if (drawn) return;
    let told = 0;
    const step = (now) => {
      const isOpen = recorder.microphone || phase !== "idle";
      const decibel = Math.max(QUIETEST_DB, Math.min(0, 20 * Math.log10(peak || 1e-6)));
      const lit = isOpen ? Math.round((1 - decibel / QUIETEST_DB) * bars.length) : 0;
      bars.forEach((bar, i) => { bar.className = i < lit ? (i > bars.length - 3 ? "hot" : "on") : ""; });
      peak *= 0.85;
      if (now - told > 1000) { told = now; set(level, { "aria-valuenow": decibel.toFixed(0) }); }
      drawn = isOpen ? requestAnimationFrame(step) : 0;
    };
    drawn = requestAnimationFrame(step);
  }

  // Space and Enter record wherever the focus is, unless they have a use there.
  function key(event) {
    if (!isShown || (event.key !== " " && event.key !== "Enter") || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, button, a, summary, dialog, [tabindex='0']")) return;
    event.preventDefault();
    record();
  }
  document.addEventListener("keydown", key);
  document.addEventListener("visibilitychange", () => document.hidden && phase === "idle" && recorder.close());

  const showWords = onChange((labels) => {
    const chosen = labels.includes(words.value) ? words.value : labels[0] ?? "";
    words.update(labels.map((label) => [label, texts.spoken(label)]), chosen);
    words.element.hidden = labels.length < 2;
    enter(phase);
  });
  words.element.addEventListener("change", () => enter(phase));

  enter("idle");
  return {
    element,
    enter: () => { isShown = true; },
    leave: () => { isShown = false; recorder.close(); },
    speaker: speaker.name,
    // `speakers`: names to choose from.
    update(labels, ms, speakers) {
      windowMs = ms;
      showWords(labels);
      speaker.update(speakers);
    },
  };
}

// A ring that fills while a take is recorded.
function ringPicture() {
  const box = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  set(box, { viewBox: "0 0 100 100", class: "ring", "aria-hidden": "true" });
  set(circle, { cx: 50, cy: 50, r: 46, "stroke-dasharray": RING, "stroke-dashoffset": RING });
  box.append(circle);
  let animation = null;
  return {
    element: box,
    run(ms) { animation = circle.animate([{ strokeDashoffset: RING }, { strokeDashoffset: 0 }], { duration: ms, fill: "forwards" }); },
    stop() { animation?.cancel(); },
  };
}
