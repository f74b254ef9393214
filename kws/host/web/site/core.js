// SPDX-License-Identifier: Apache-2.0
// Wraps the core (kws.wasm, built from browser_core.cc by `make wasm`) for scripts: samples in; lines,
// words, scores and frames out. It runs in the page's worker, and in Node.js for tests. The class uses
// nothing outside itself, because a worker is made from its source text.
"use strict";

class KwsCore {
  // `wasm`: the bytes of kws.wasm.
  constructor(wasm) {
    if (typeof WebAssembly === "undefined") {
      throw new Error("WebAssembly is off in this browser; turn it on (Lockdown Mode turns it off), or use another browser");
    }
    this.core = new WebAssembly.Instance(new WebAssembly.Module(wasm), {}).exports;
    this.core._initialize();
    this.rate = this.core.kws_sample_rate(); // samples per second
    this.hop = this.core.kws_hop_samples();
    this.channels = this.core.kws_channels(); // values of a frame
    this.nearDelay = this.core.kws_near_delay_ms(); // until a near miss is certain
    this.decoder = new TextDecoder();
    this.rest = new Int16Array(0); // samples of an incomplete hop
  }

  // Starts a device (KWS_BUNDLE of model.js) at time 0; `models` are the bytes of its bundles' models,
  // then of their second looks. Returns the boot lines. Throws an Error with a one-line message.
  start(bundle, models) {
    let end = this.core.kws_memory();
    const place = (size) => {
      const at = end;
      end += (size + 15) & ~15;
      return at;
    };
    const windows = bundle.parts.flatMap((part) => [part, ...(part.look ? [part.look] : [])]);
    const frames = Math.max(...windows.map((of) => of.window_frames + (of.earlier ?? 0)));
    const placeAll = (contents) => ({ contents, places: contents.map((bytes) => place(bytes.length)) });
    const at = { arena: place(bundle.page_arena_bytes), frames: place(frames * this.channels) };
    const parts = bundle.parts.map((part, index) => {
      const names = [part.name, part.sha8, ...part.labels];
      const text = new TextEncoder().encode(names.map((name) => `${name}\0`).join(""));
      const order = Uint8Array.from(part.output_order);
      return { part, ...placeAll([models[index], text, Uint8Array.from(part.thresholds), order]) };
    });
    const looks = bundle.parts.filter((part) => part.look).map(({ look }, index) => {
      const model = models[bundle.parts.length + index];
      const order = Uint8Array.from(look.output_order);
      return { look, arena: look.arena_bytes ? place(look.arena_bytes) : 0, ...placeAll([model, order]) };
    });
    const missing = end - this.core.memory.buffer.byteLength;
    if (missing > 0) this.core.memory.grow(Math.ceil(missing / 65536));
    const memory = new Uint8Array(this.core.memory.buffer);
    this.labels = bundle.labels;
    this.parts = bundle.parts;
    this.rest = new Int16Array(0);
    for (const { contents, places } of [...parts, ...looks]) {
      contents.forEach((bytes, which) => memory.set(bytes, places[which]));
    }
    parts.forEach(({ part, contents, places: [model, text, thresholds, order] }, index) => {
      const { recognizer } = part;
      const isGood = this.core.kws_bundle(
        index, model, contents[0].length, text, part.labels.length, part.inference_stride,
        recognizer.average_window_ms, recognizer.detection_threshold, recognizer.suppression_ms,
        recognizer.minimum_count, thresholds, recognizer.report_unknown ? 1 : 0,
        Math.round(10 * recognizer.gate_db), part.window_frames, part.stride_samples,
        part.keep_noise ? 1 : 0, part.first_keyword, part.output_order.length ? order : 0);
      if (!isGood) throw new Error(KwsCore.fault(this.text()));
    });
    looks.forEach(({ look, arena, contents, places: [model, order] }) => {
      const which = bundle.parts.findIndex((part) => part.look === look);
      const isGood = this.core.kws_second_look(
        which, model, contents[0].length, order, look.proposal, look.looks, look.every, look.earlier,
        arena, look.arena_bytes);
      if (!isGood) throw new Error(KwsCore.fault(this.text()));
    });
    const started = this.core.kws_start(
      at.arena, bundle.page_arena_bytes, at.frames, frames, bundle.listen_ms);
    const lines = this.text();
    if (!started) throw new Error(KwsCore.fault(lines));
    return lines;
  }

  // The near misses {label, score, threshold, ms} that have become certain; `isEnd`: at the end of the
  // sound. See near_misses.h.
  near(isEnd = false) {
    const { core } = this, found = [];
    for (let label; (label = core.kws_near(isEnd ? 1 : 0)) >= 0;) {
      found.push({
        label: this.labels[label],
        score: core.kws_near_score(),
        threshold: core.kws_near_threshold(),
        ms: core.kws_near_time_ms() >>> 0,
      });
    }
    return found;
  }

  // Restarts at time 0 with a cleared state. Thresholds stay.
  reset() {
    this.core.kws_reset();
    this.rest = new Int16Array(0);
  }

  // Processes samples (Int16Array at `rate`). Samples that do not fill a hop wait for the next call.
  // Returns an object per hop: its end `ms`, the core's `text` (empty, or lines), `word` (the
  // detected label and its score, or null), `frame` (Int8Array; null before the first), and if
  // a model ran `scores` (Int8Array, of its labels) and `means` (numbers 0 to 255, of all labels),
  // else null. `looked`: the second model's scores (0 to 255, of all labels) if it looked, else null.
  // `near`: see near().
  // Throws an Error with a one-line message.
  hear(samples) {
    const { core } = this;
    const all = new Int16Array(this.rest.length + samples.length);
    all.set(this.rest);
    all.set(samples, this.rest.length);
    const hops = [];
    let used = 0;
    for (; used + this.hop <= all.length; used += this.hop) {
      const hop = all.subarray(used, used + this.hop);
      new Int16Array(core.memory.buffer, core.kws_samples(), this.hop).set(hop);
      const done = core.kws_hop();
      const text = this.text();
      if (done < 0) throw new Error(KwsCore.fault(text));
      const heard = core.kws_heard();
      hops.push({
        ms: core.kws_time_ms() >>> 0,
        text,
        word: heard >= 0 ? { label: this.labels[heard], score: core.kws_score() } : null,
        frame: this.bytes(core.kws_frame(), this.channels),
        scores: done ? this.bytes(core.kws_scores(), this.running().labels.length) : null,
        means: done ? this.labels.map((_, label) => core.kws_mean(label)) : null,
        looked: this.looked(),
        near: this.near(),
      });
    }
    this.rest = all.slice(used);
    return hops;
  }

  // The running bundle: the first, or the one for commands.
  running() {
    return this.parts[this.core.kws_listening()];
  }

  // The scores of the second model, 0 for labels of the other bundle; null if it did not look.
  looked() {
    const scores = this.labels.map((_, label) => this.core.kws_looked(label));
    return scores.some((score) => score >= 0) ? scores.map((score) => Math.max(score, 0)) : null;
  }

  thresholds() {
    return this.labels.map((_, label) => this.core.kws_threshold(label));
  }

  // Sets the `threshold` (0 to 255) that a label's score has to exceed.
  setThreshold(label, threshold) {
    this.core.kws_set_threshold(label, threshold);
  }

  // The core's output since the last call.
  text() {
    const { core } = this;
    const size = core.kws_text_bytes();
    const text = new Uint8Array(core.memory.buffer, core.kws_text(), size);
    const line = size ? this.decoder.decode(text) : "";
    core.kws_clear_text();
    return line;
  }

  // A copy of `size` int8 of the core's memory; null if `at` is 0.
  bytes(at, size) {
    return at ? new Int8Array(this.core.memory.buffer, at, size).slice() : null;
  }

  // The core's output as the message of an Error.
  static fault(text) {
    return text.trim() || "the core stopped without an error message";
  }
}
