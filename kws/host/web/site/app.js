// SPDX-License-Identifier: Apache-2.0
// The page: draws the data of a source and sends changed thresholds back to it. There are two
// sources: live_source.js for `kws listen --web`, and browser_source.js, which runs the core in the
// browser, for `kws export web`. All scores come from the core.
"use strict";

const QUIETEST_DB = -60;
const DECAY = 0.93; // of the level, per redraw
const ANNOUNCE_MS = 1000;
const CLIPPED_MS = 1000; // how long the warning stays
const LOOK_MS = 3000; // how long the scores of a second look stay
const MOVING_MS = 500; // after a move; until then a source's values of this threshold are outdated
const MAX_LINES = 200;

const $ = (id) => document.getElementById(id);

class App {
  constructor() {
    this.status("starting");
    this.onThreshold = () => {}; // set by the source: (label, value)
    this.spectrogram = new Spectrogram($("spectrogram"));
    this.classes = new Classes($("classes"), (label, value) => this.move(label, value));
    this.model = null;
    this.means = [];
    this.looked = null; // scores of the second model, for a while
    this.lookedAt = -Infinity;
    this.thresholds = [];
    this.saved = [];
    this.movedAt = new Map(); // label: when its threshold was last moved
    this.peak = 0;
    this.clippedAt = this.announcedAt = -Infinity;
    $("reset").addEventListener("click", () => this.saved.forEach((value, label) => this.move(label, value)));
    requestAnimationFrame((now) => this.draw(now));
  }

  // --- what a source calls ---------------------------------------------------------------------

  // Shows a model (see kws/host/web/model_facts.py) and clears everything else.
  showModel(model) {
    this.model = model;
    this.movedAt.clear();
    this.classes.show(model.labels, model.proposals);
    $("how").hidden = Boolean(model.second_look);
    $("how-twice").hidden = !model.second_look;
    this.saved = [...model.thresholds];
    this.setThresholds(model.thresholds);
    this.clearSound();
    $("heard").replaceChildren();
    $("nothing").hidden = false;
    $("lines").textContent = "";
    const words = model.keywords;
    document.title = `kws: ${words.join(", ")}`;
    $("model").textContent = model.name;
    $("words").textContent = words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words[0];
    this.showFigures();
  }

  // `kind`: "on" (sound arrives), "off" (no sound), "bad" (an error) or empty.
  status(text, kind = "") {
    $("status").textContent = text;
    $("status").className = kind;
  }

  // The result of a user's action.
  notice(text, isProblem = false) {
    $("notice").textContent = text;
    $("notice").classList.toggle("problem", isProblem);
  }

  // Clears the scores and the spectrogram for a new recording.
  clearSound() {
    this.means = this.model.labels.map(() => 0);
    this.looked = null;
    this.spectrogram.clear(this.model.channels);
  }

  // `peak`: the loudest of the newest samples, 0 to 1.
  level(peak, isClipped) {
    this.peak = Math.max(this.peak, peak);
    if (isClipped) this.clippedAt = performance.now();
  }

  // The second model's score of each label; `stays`: until the next look.
  look(scores, stays = false) {
    this.looked = scores;
    this.lookedAt = stays ? Infinity : performance.now();
  }

  // The recognizer's thresholds.
  setThresholds(values) {
    const isMoving = (label) => performance.now() - (this.movedAt.get(label) ?? -Infinity) < MOVING_MS;
    values.forEach((value, label) => { if (!isMoving(label)) this.thresholds[label] = value; });
    this.showThresholds();
  }

  // The bundle's thresholds.
  setSaved(values) {
    this.saved = values;
    this.showThresholds();
  }

  // Adds a detected word. `clock`: its time as {text, datetime}; `clip()` returns the URL of its sound.
  heard({ label, score, ms, clock, clip }) {
    $("nothing").hidden = true;
    const isKeyword = this.model.keywords.includes(label);
    const item = element("li", "", { class: isKeyword ? "" : "unknown" });
    const button = element("button", "▶", { "aria-label": `Play the sound of ${label}` });
    button.addEventListener("click", () => {
      const player = $("player");
      URL.revokeObjectURL(player.src);
      player.src = clip();
      const before = violations;
      player.play().catch(async () => {
        this.notice(await reasonOf("clip", before, "this sound is no longer kept"), true);
      });
    });
    const mean = element("span", String(score), { class: "score" });
    mean.append(element("span", ` @${ms} ms`, { class: "at" }));
    item.append(element("time", clock.text, { datetime: clock.datetime }), element("b", label), mean, button);
    $("heard").prepend(item);
    while ($("heard").children.length > this.model.kept_words) $("heard").lastChild.remove();
  }

  // A line of the serial port, or a heading.
  line(text) {
    const all = $("lines").textContent + `${text}\n`;
    $("lines").textContent = all.split("\n").slice(-MAX_LINES).join("\n");
    $("lines").scrollTop = $("lines").scrollHeight;
  }

  // A measurement of kws listen, such as its delay.
  figure(name, value) {
    const id = `figure-${name}`;
    if (!$(id)) $("figures").append(element("dt", name), element("dd", "", { id }));
    $(id).textContent = value;
  }

  // --- inside ----------------------------------------------------------------------------------

  move(label, value) {
    this.movedAt.set(label, performance.now());
    this.thresholds[label] = value;
    this.showThresholds();
    this.onThreshold(label, value);
  }

  showThresholds() {
    this.classes.showThresholds(this.thresholds);
    const isSaved = this.thresholds.every((value, label) => value === this.saved[label]);
    $("save").disabled = $("reset").disabled = isSaved;
  }

  showFigures() {
    const { model } = this;
    const bytes = (count) => `${count.toLocaleString("en")} bytes`;
    const share = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
    const figures = [
      ["model", `${model.name} ${model.sha8}, ${bytes(model.bytes)}`],
      ...(model.second_look ? [["second look", `${model.second_look}, ${bytes(model.look_bytes)} of these`]] : []),
      ["arena", bytes(model.arena_bytes)],
      ["ops", `${model.ops.join(", ")}: ${bytes(model.ops_flash)} of flash`],
      ["runs every", `${model.every_ms} ms; scores are means over ${model.window_ms} ms`],
      ...(model.accuracy === null ? [] : [["accuracy", `${(100 * model.accuracy).toFixed(1)} %, mean recall on test clips`]]),
      ["trained on", model.data || "not stated"],
      ["written by", `kws ${model.kws}`],
    ];
    $("figures").replaceChildren(...figures.flatMap(([name, text]) => [element("dt", name), element("dd", text)]));
    $("boards").tBodies[0].replaceChildren(...model.boards.map(({ title, flash, ram }) => {
      const row = document.createElement("tr");
      row.append(element("th", title, { scope: "row" }), element("td", share(model.bytes, flash)), element("td", share(model.arena_bytes, ram)));
      return row;
    }));
  }

  draw(now) {
    requestAnimationFrame((next) => this.draw(next));
    this.spectrogram.draw();
    const decibel = Math.max(QUIETEST_DB, Math.min(0, 20 * Math.log10(this.peak)));
    this.peak *= DECAY;
    $("level").firstChild.style.transform = `scaleX(${1 - decibel / QUIETEST_DB})`;
    $("clipped").hidden = now - this.clippedAt > CLIPPED_MS;
    if (now - this.lookedAt > LOOK_MS) this.looked = null;
    this.classes.draw(this.means, this.looked, this.thresholds);
    if (now - this.announcedAt < ANNOUNCE_MS) return;
    this.announcedAt = now;
    $("decibel").textContent = `${decibel < 0 ? "−" : ""}${Math.abs(decibel).toFixed(0)} dB`;
    $("level").setAttribute("aria-valuenow", decibel.toFixed(0));
    this.classes.announce(this.means);
  }
}
