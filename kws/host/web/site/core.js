// SPDX-License-Identifier: Apache-2.0
// The core (kws.wasm, built from kws/bindings/web.cc by `make wasm`) for scripts: samples in, lines,
// words, scores and frames out. Nothing here computes what the core computes. It runs in the page's
// worker, and in Node.js for tests. The class uses nothing outside it: its text becomes a worker.
"use strict";

class KwsCore {
  // `wasm`: the bytes of kws.wasm.
  constructor(wasm) {
    this.core = new WebAssembly.Instance(new WebAssembly.Module(wasm), {}).exports;
    this.core._initialize();
    this.rate = this.core.kws_sample_rate(); // samples per second
    this.hop = this.core.kws_hop_samples();
    this.channels = this.core.kws_channels(); // values of a frame
    this.decoder = new TextDecoder();
    this.rest = new Int16Array(0); // samples of a hop that is not whole yet
  }

  // Starts a bundle (KWS_BUNDLE of model.js) with the bytes of its model, at time 0. Returns the
  // boot line. Throws an Error whose message is one line.
  start(bundle, model) {
    const names = [bundle.name, bundle.sha8, ...bundle.labels];
    const text = new TextEncoder().encode(names.map((name) => `${name}\0`).join(""));
    const thresholds = Uint8Array.from(bundle.thresholds);
    let end = this.core.kws_memory();
    const place = (size) => {
      const at = end;
      end += (size + 15) & ~15;
      return at;
    };
    const at = {
      arena: place(bundle.arena_bytes),
      model: place(model.length),
      text: place(text.length),
      thresholds: place(thresholds.length),
      frames: place(bundle.window_frames * this.channels),
    };
    const missing = end - this.core.memory.buffer.byteLength;
    if (missing > 0) this.core.memory.grow(Math.ceil(missing / 65536));
    const memory = new Uint8Array(this.core.memory.buffer);
    memory.set(model, at.model);
    memory.set(text, at.text);
    memory.set(thresholds, at.thresholds);
    const { recognizer } = bundle;
    const started = this.core.kws_start(
      at.model, model.length, at.arena, bundle.arena_bytes, at.text, bundle.labels.length,
      bundle.inference_stride, recognizer.average_window_ms, recognizer.detection_threshold,
      recognizer.suppression_ms, recognizer.minimum_count, at.thresholds,
      recognizer.report_unknown ? 1 : 0, Math.round(10 * recognizer.gate_db),
      bundle.window_frames, bundle.stride_samples, bundle.first_keyword, at.frames);
    this.labels = bundle.labels;
    this.rest = new Int16Array(0);
    const line = this.text();
    if (!started) throw new Error(KwsCore.fault(line));
    return line;
  }

  // Time 0 again, nothing heard yet. Thresholds stay.
  reset() {
    this.core.kws_reset();
    this.rest = new Int16Array(0);
  }

  // Hears samples (Int16Array at `rate`). Samples that do not fill a hop wait for the next call.
  // Returns an object for each hop: its end `ms`, the core's `text` (empty, or lines), `word` (the
  // label that was heard and its mean score, or null), `frame` (Int8Array; null before the first),
  // and if the model ran `scores` (Int8Array) and `means` (numbers 0 to 255), else null. Throws an
  // Error whose message is one line.
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
        word: heard >= 0 ? { label: this.labels[heard], score: core.kws_mean(heard) } : null,
        frame: this.bytes(core.kws_frame(), this.channels),
        scores: done ? this.bytes(core.kws_scores(), this.labels.length) : null,
        means: done ? this.labels.map((_, label) => core.kws_mean(label)) : null,
      });
    }
    this.rest = all.slice(used);
    return hops;
  }

  thresholds() {
    return this.labels.map((_, label) => this.core.kws_threshold(label));
  }

  // A label's mean score has to exceed `threshold` (0 to 255) from now on.
  setThreshold(label, threshold) {
    this.core.kws_set_threshold(label, threshold);
  }

  // What the core wrote since the last call.
  text() {
    const { core } = this;
    const size = core.kws_text_bytes();
    const text = new Uint8Array(core.memory.buffer, core.kws_text(), size);
    const line = size ? this.decoder.decode(text) : "";
    core.kws_clear_text();
    return line;
  }

  // A copy of `size` int8 of the core's memory; null where there are none.
  bytes(at, size) {
    return at ? new Int8Array(this.core.memory.buffer, at, size).slice() : null;
  }

  // What the core wrote, as one line of an Error.
  static fault(text) {
    return text.trim() || "the core stopped and gave no reason";
  }
}
