// SPDX-License-Identifier: Apache-2.0
// Runs the core in the browser: sends sound from the microphone or from recordings to the worker, and
// the core's results to the page. Used by the pages of `kws export web`.
"use strict";

const KEEP_BEHIND = 2; // seconds of sound that may be queued for the core; more is dropped
const CAUGHT_UP = 1; // seconds of queued sound at which dropping ends: a few long gaps spoil fewer words

// KWS_BUNDLE, KWS_MODELS, KWS_CORE and KWS_ROOM are in the files that kws/host/web/export.py writes.
class BrowserSource {
  constructor(app) {
    this.app = app;
    this.microphone = null; // null: not listening
    this.wakeLock = new WakeLock();
    this.stream = 0; // number of the current sound; results of older ones are ignored
    this.blockHeard = null; // resolves when the worker has processed a block of a recording
    app.onThreshold = (label, value) => this.worker.postMessage({ type: "threshold", label, value });
    $("controls").hidden = false;
    $("privacy").textContent = "Your sound stays in this page: it is not sent anywhere, and is discarded when you close the page.";
    this.addControls();
    this.start().catch((error) => app.status(error.message, "bad"));
  }

  addControls() {
    $("listen").addEventListener("click", () => {
      if (!this.microphone) return this.listen();
      this.stop();
      this.app.status("stopped");
    });
    $("open").addEventListener("click", () => $("files").click());
    $("files").addEventListener("change", () => {
      const files = [...$("files").files];
      $("files").value = ""; // the same file may be opened again
      this.play(files);
    });
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("drop");
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) document.body.classList.remove("drop");
    });
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("drop");
      if (!$("open").disabled && event.dataTransfer.files.length) this.play([...event.dataTransfer.files]);
    });
  }

  // --- start -----------------------------------------------------------------------------------

  async start() {
    if (typeof KWS_BUNDLE === "undefined" || typeof KWS_CORE === "undefined") {
      throw new Error("model.js or core.wasm.js is missing or damaged; export the page again");
    }
    this.app.showModel(KWS_BUNDLE);
    const unpack = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const models = KWS_MODELS.map(unpack);
    const looks = KWS_BUNDLE.parts.map((part) => part.look).filter(Boolean);
    for (const [index, facts] of [...KWS_BUNDLE.parts, ...looks].entries()) {
      if (!KWS_BUNDLE.compiled) await checkModel(models[index], facts);
    }
    const before = violations;
    try {
      this.worker = startWorker();
    } catch (error) { // a policy with Trusted Types
      throw new Error(await reasonOf("core", before, error.message));
    }
    this.worker.onmessage = ({ data }) => this[data.type](data);
    this.worker.onerror = async ({ message }) => {
      const text = `the core does not run in this browser (${message ?? "no error message"}); use a newer one`;
      this.problem({ text: await reasonOf("core", before, text) });
    };
    this.worker.postMessage({ type: "start", wasm: unpack(KWS_CORE), bundle: KWS_BUNDLE, models });
  }

  showControls() {
    $("listen").disabled = $("open").disabled = false;
    $("listen").textContent = this.microphone ? "Stop" : "Listen";
    $("listen").setAttribute("aria-pressed", String(this.microphone !== null));
  }

  // --- sound in --------------------------------------------------------------------------------

  newStream() {
    this.stream += 1;
    this.given = this.behind = this.lost = 0; // samples: sent to the core, not processed yet, dropped
    this.isLosing = false; // the microphone's sound is being dropped
    this.recent = new Int16Array(0); // the latest sound, for the clips of words
    this.bestLook = null; // the highest scores of the second model
    this.clock = new SoundClock();
    this.worker.postMessage({ type: "reset" });
    this.app.clearSound();
    this.blockHeard?.(null);
    return this.stream;
  }

  // `isEnd`: no more sound follows.
  give(samples, isEnd = false) {
    for (let from = 0; from < samples.length; from += this.hop) {
      const hop = samples.subarray(from, from + this.hop);
      const peak = hop.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      this.app.level(peak / 32768, peak >= 32767, this.msOf(this.given + from + hop.length));
    }
    const kept = new Int16Array(Math.min(this.recent.length + samples.length, this.keptSamples));
    const old = kept.length - samples.length;
    if (old > 0) kept.set(this.recent.subarray(this.recent.length - old));
    kept.set(samples, old);
    this.recent = kept;
    this.given += samples.length;
    this.behind += samples.length;
    this.worker.postMessage({ type: "hear", stream: this.stream, samples, isEnd });
  }

  msOf(samples) {
    return (1000 * samples) / this.rate;
  }

  giveMicrophone(samples) {
    const wasLosing = this.isLosing;
    const arrived = this.given + this.lost + samples.length;
    this.clock.arrived(this.msOf(arrived), performance.now());
    const limit = wasLosing ? CAUGHT_UP * this.rate : KEEP_BEHIND * this.rate - samples.length;
    this.isLosing = this.behind > limit;
    if (this.isLosing) this.lost += samples.length;
    else this.give(samples);
    if (this.isLosing !== wasLosing) this.showListening();
  }

  showListening() {
    if (this.isLosing) return this.app.status("this machine is too slow: sound is being lost", "bad");
    const gap = this.lost ? `; ${(this.lost / this.rate).toFixed(1)} s were lost` : "";
    this.app.status(`listening: ${this.microphoneName}${gap}`, "on");
  }

  async listen() {
    this.newStream();
    const microphone = new Microphone(this.rate, this.hop, {
      hear: (samples) => this.giveMicrophone(samples),
      lost: (text) => { this.stop(); this.app.status(text, "bad"); },
    });
    this.microphone = microphone;
    this.showControls();
    this.app.status("requesting the microphone");
    try {
      this.microphoneName = await microphone.open();
      this.wakeLock.set(true);
      this.showListening();
    } catch (error) {
      if (this.microphone !== microphone) return; // the user has started something else
      this.stop();
      this.app.status(error.message, "bad");
    }
  }

  stop() {
    this.microphone?.close();
    this.microphone = null;
    this.wakeLock.set(false);
    this.showControls();
  }

  // As with `kws run`, each recording starts with a cleared state.
  async play(files) {
    this.stop();
    for (const file of files) {
      const stream = this.newStream();
      this.app.status(`reading ${file.name}`);
      try {
        const recording = await readRecording(file, this.rate);
        if (stream !== this.stream || !await this.playRecording(file.name, recording)) return;
      } catch (error) {
        if (stream === this.stream) this.app.status(error.message, "bad");
        return;
      }
    }
  }

  // Returns whether the recording was played to its end: false if the user started something else.
  async playRecording(name, { samples: recorded, exact }) {
    const { app, stream } = this;
    const samples = withRoom(recorded, KWS_ROOM);
    const best = app.model.labels.map(() => 0);
    app.line(`${name}:`);
    for (let at = 0; at < samples.length; at += this.rate) {
      app.status(`${name}: ${Math.round((100 * at) / samples.length)} %`, "on");
      this.give(samples.slice(at, at + this.rate), at + this.rate >= samples.length);
      const tops = await new Promise((resolve) => { this.blockHeard = resolve; });
      if (stream !== this.stream) return false;
      tops?.forEach((top, label) => { best[label] = Math.max(best[label], top); });
    }
    app.means = best;
    if (this.bestLook) app.look(this.bestLook, true);
    const seconds = (recorded.length / this.rate).toFixed(1);
    const how = exact ? "not resampled" : "resampled by the browser";
    app.status(`${name}: ${seconds} s, ${how}; the bars show the highest scores`);
    return true;
  }

  // --- messages of the worker, each named after its type ----------------------------------------

  started({ rate, hop, boot, nearDelay }) {
    this.rate = rate;
    this.hop = hop;
    this.clipSamples = this.app.model.clip_seconds * rate;
    const longest = KEEP_BEHIND + 1 + nearDelay / 1000; // delay of a report, of a near miss, in seconds
    this.keptSamples = this.clipSamples + longest * rate;
    this.app.line(boot.trimEnd());
    this.showControls();
    this.app.status("ready");
  }

  heard({ stream, samples, frames, lines, hops, lastNear }) {
    if (stream !== this.stream) return;
    const { channels, labels, hop_ms } = this.app.model;
    this.behind -= samples;
    // The first hop has no frame.
    const end = hops.at(-1)?.ms - (hop_ms * frames.length) / channels;
    for (let at = 0; at < frames.length; at += channels) {
      this.app.frame(frames.subarray(at, at + channels), end + hop_ms * (at / channels + 1));
    }
    lines.forEach((line) => this.app.line(line));
    const tops = labels.map(() => 0);
    for (const { ms, means, looked, word, near } of hops) {
      this.app.means = means ?? this.app.means;
      this.app.means.forEach((mean, label) => { tops[label] = Math.max(tops[label], mean); });
      if (looked) {
        this.app.look(looked);
        this.bestLook = looked.map((score, label) => Math.max(score, this.bestLook?.[label] ?? 0));
      }
      if (word) this.showWord({ ms, ...word });
      near.forEach((miss) => this.showNear(miss));
    }
    lastNear.forEach((miss) => this.showNear(miss));
    this.blockHeard?.(tops);
  }

  problem({ text, forbidden }) {
    this.stop();
    if (!this.rate) $("listen").disabled = $("open").disabled = true; // it never started
    this.app.status(forbidden ? policyLine(forbidden) : text, "bad");
  }

  showWord({ label, score, ms }) {
    // For a page that embeds this one from the same site.
    dispatchEvent(new CustomEvent("kws-word", { detail: { label, score, ms } }));
    const capturedAt = this.microphone ? this.clock.time(ms + this.msOf(this.lost)) : null;
    this.app.detected({ label, score, ms, columnMs: ms, capturedAt, ...this.sound(ms) });
  }

  showNear(miss) {
    const { label, score, ms } = miss;
    dispatchEvent(new CustomEvent("kws-near", { detail: { label, score, ms } }));
    this.app.nearly({ ...miss, columnMs: ms, ...this.sound(ms) });
  }

  // The clock and the clip (see App.heard) of the sound before `ms`.
  sound(ms) {
    const since = this.given - (ms * this.rate) / 1000; // samples sent since then
    const end = this.recent.length - since;
    const clip = this.recent.slice(Math.max(0, end - this.clipSamples), end);
    const at = new Date(Date.now() - (1000 * since) / this.rate);
    const clock = this.microphone
      ? { text: at.toTimeString().slice(0, 8), datetime: at.toISOString() }
      : { text: `${(ms / 1000).toFixed(1)} s`, datetime: `PT${ms / 1000}S` };
    return { clock, clip: () => URL.createObjectURL(wavBlob(clip, this.rate)) };
  }
}

// crypto.subtle exists if the page came over https, from localhost or from a file.
async function checkModel(model, { sha256, sha8 }) {
  if (!globalThis.crypto?.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", model));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (hex === sha256) return;
  throw new Error(`model.js: its SHA-256 starts with ${hex.slice(0, 8)}, the bundle's with ${sha8}; the file was changed or damaged: export the page again`);
}

globalThis.kws = new BrowserSource(new App());
