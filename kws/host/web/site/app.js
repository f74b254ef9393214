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
const SPOKEN_MS = 2000; // how long a word is shown large
const FADE_MS = 400; // as in page.css
const UNKNOWN_MS = 1000; // after a report; if the sound still goes on, the word's end stays unknown
const MAX_LINES = 200;

const $ = (id) => document.getElementById(id);

class App {
  constructor() {
    this.status("starting");
    this.onThreshold = () => {}; // set by the source: (label, value)
    this.spectrogram = new Spectrogram($("spectrogram"), $("spans"));
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
    this.spokenTimer = 0;
    this.levels = new Levels();
    this.newest = 0; // ms in the sound: end of the newest column of the spectrogram
    this.recent = []; // words whose end is not known yet
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
    this.levels.clear();
    this.recent = [];
    this.newest = 0;
    this.spectrogram.clear(this.model.channels);
  }

  // `peak`: the loudest sample of a hop that ends at `ms`, 0 to 1.
  level(peak, isClipped, ms) {
    this.levels.add(peak, ms);
    this.peak = Math.max(this.peak, peak);
    if (isClipped) this.clippedAt = performance.now();
  }

  // A column of the spectrogram that ends at `ms`.
  frame(values, ms) {
    this.newest = ms;
    this.spectrogram.add(values);
    this.recent = this.recent.filter((word) => !this.hasSettled(word));
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

  // Adds a detected word to the list. `clock`: its time as {text, datetime}; `clip()` returns the URL
  // of its sound.
  heard({ label, score, ms, clock, clip }) {
    return this.entry(this.kindOf(label), { label, ms, score: String(score), clock, clip });
  }

  // Shows a word that is detected now: in the list, large, and over its columns of the spectrogram.
  // `columnMs`: its report, on the scale of `level` and `frame`. `capturedAt`: when the sound before the
  // report was captured (performance.now()), null if it was not live.
  detected({ columnMs: ms, capturedAt, ...word }) {
    const { label } = word;
    const shown = { label, ms, capturedAt, item: this.heard(word), drawnAt: null };
    requestAnimationFrame((now) => { shown.drawnAt = now; }); // never, if the page is hidden
    if (this.kindOf(label) === "word") this.speak(label);
    const span = this.levels.find(ms, 1000 * this.model.clip_seconds);
    this.mark(shown, span && { ...span, to: Math.min(span.to, ms) });
    this.recent.push(shown);
  }

  // Adds a near miss to the list and marks its columns; see near_misses.h. `columnMs`: its highest
  // score, on the scale of `level` and `frame`; null: the page has no columns of it.
  nearly({ label, score, threshold, columnMs: ms, clock, clip }) {
    this.entry("near", { label, score: `${score} of ${threshold}`, clock, clip });
    if (ms === null) return;
    const miss = { label: `${label}?`, ms };
    this.mark(miss, this.levels.find(ms, 1000 * this.model.clip_seconds), "near");
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

  // Shows a word large for a moment; a screen reader says it.
  speak(label) {
    const word = $("spoken");
    clearTimeout(this.spokenTimer);
    word.textContent = label.replaceAll("_", " ");
    $("stage").classList.add("on");
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
      word.animate([{ transform: "scale(.88)" }, { transform: "scale(1.03)" }, { transform: "none" }], 220);
    }
    this.spokenTimer = setTimeout(() => {
      $("stage").classList.remove("on");
      this.spokenTimer = setTimeout(() => word.replaceChildren(), FADE_MS);
    }, SPOKEN_MS);
  }

  kindOf(label) {
    return this.model.keywords.includes(label) ? "word" : "unknown";
  }

  // Marks a word's columns. `span`: see Levels.find; if it is unknown, the sound that the page keeps:
  // the model's window, and the longest delay of a report.
  mark(word, span, kind = this.kindOf(word.label)) {
    const { hop_ms: hop, clip_seconds: seconds } = this.model;
    const { from, to } = span ?? { from: word.ms - 1000 * seconds + hop, to: word.ms };
    this.spectrogram.span(word, word.label, Math.round((this.newest - from) / hop), Math.round((this.newest - to) / hop), kind);
  }

  // A word is often reported before its end. Once that is known, its span gets the right end, and the
  // list its delay. Returns whether there is no more to wait for.
  hasSettled(word) {
    const span = this.levels.find(word.ms, 1000 * this.model.clip_seconds);
    const isDrawn = word.drawnAt !== null || word.capturedAt === null;
    if (!span?.isOver || span.to > this.newest || !isDrawn) return this.newest - word.ms > UNKNOWN_MS;
    this.mark(word, span);
    if (word.capturedAt === null) return true;
    const delay = word.drawnAt - (word.capturedAt + span.to - word.ms);
    const text = `about ${10 * Math.round(Math.abs(delay) / 10)} ms ${delay < 0 ? "before" : "after"} its end`;
    word.item.append(element("span", text, { class: "delay" }));
    return true;
  }

  // Adds an entry of a `kind` (a class) to the list, and removes the oldest of the kind.
  entry(kind, { label, score, ms, clock, clip }) {
    $("nothing").hidden = true;
    const item = element("li", "", { class: kind });
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
    const name = element("b", label), mean = element("span", score, { class: "score" });
    if (kind === "near") name.prepend(element("span", "nearly: "));
    else mean.append(element("span", ` @${ms} ms`, { class: "at" }));
    item.append(element("time", clock.text, { datetime: clock.datetime }), name, mean, button);
    $("heard").prepend(item);
    $("heard").querySelectorAll(`.${kind}`)[this.model.kept_words]?.remove();
    return item;
  }

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
      ["runs every", `${model.every_ms} ms; scores are means over ${model.window_ms} ms`],
      ...(model.accuracy === null ? [] : [["accuracy", `${(100 * model.accuracy).toFixed(1)} %, mean recall on test clips`]]),
    ];
    const origin = [
      ["ops", `${model.ops.join(", ")}: ${bytes(model.ops_flash)} of flash`],
      ["trained on", model.data || "not stated"],
      ["written by", `kws ${model.kws}`],
    ];
    const rows = (list) => list.flatMap(([name, text]) => [element("dt", name), element("dd", text)]);
    $("figures").replaceChildren(...rows(figures));
    $("origin").replaceChildren(...rows(origin));
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
