// SPDX-License-Identifier: Apache-2.0
// Connects the page to `kws listen --web`: messages of its websocket (see kws/host/web/hub.py) go to
// the page, changed thresholds go back.
"use strict";

const RETRY_MS = 1000;

class LiveSource {
  constructor(app) {
    this.app = app;
    this.moved = new Map(); // label: threshold, to be sent with the next picture
    app.onThreshold = (label, value) => {
      if (!this.moved.size) requestAnimationFrame(() => this.sendMoved());
      this.moved.set(label, value);
    };
    $("save").hidden = false;
    $("save").addEventListener("click", () => this.send({ type: "save" }));
    $("privacy").textContent = "Your sound stays on the machine that listens; nothing is stored.";
    this.connect();
  }

  connect() {
    const before = violations;
    this.socket = new WebSocket(`ws://${location.host}/live`);
    // Chromium reports a forbidden connection only to the page, not to the socket.
    reasonOf("live", before, null).then((reason) => reason && this.app.status(reason, "bad"));
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") return this.columns(new Uint8Array(data));
      const message = JSON.parse(data);
      this[message.type](message);
    });
    this.socket.addEventListener("close", ({ reason }) => {
      const ended = "kws listen has ended; this page reconnects when it runs again";
      this.app.status(reason || (violations > before ? policyLine("live") : ended), "bad");
      setTimeout(() => this.connect(), RETRY_MS);
    });
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  sendMoved() {
    for (const [label, value] of this.moved) this.send({ type: "threshold", label, value });
    this.moved.clear();
  }

  // --- messages, each named after its type -----------------------------------------------------

  hello({ model, words, lines, ...state }) {
    this.app.showModel(model);
    this.ms = 0; // end of the newest column, in the sound since now
    for (const event of words) {
      if (event.type === "near") this.app.nearly({ ...this.entry(event), columnMs: null });
      else this.app.heard(this.entry(event));
    }
    lines.forEach((line) => this.app.line(line));
    this.state(state);
  }

  state({ thresholds, saved, microphone, figures }) {
    if (thresholds) this.app.setThresholds(thresholds);
    if (saved) this.app.setSaved(saved);
    if (microphone) this.app.status(microphone.text || "no sound yet", microphone.connected ? "on" : "off");
    if (!figures) return;
    this.app.figure("processor", `${figures.processor} % of a core`);
    this.app.figure("delay", figures.latency === null ? "–" : `${figures.latency} ms`);
  }

  // It comes directly after the column of its report.
  word(event) {
    // `delay_ms`: from the sample that completed the word to its report by kws listen. The way from
    // there to this page is not known: a few milliseconds on the same machine.
    const { delay_ms: delay } = event;
    const capturedAt = delay === null ? null : performance.now() - delay;
    this.app.detected({ ...this.entry(event), columnMs: this.ms, capturedAt });
  }

  // It comes directly after the column of the hop that made it certain.
  near(event) {
    const ms = this.ms - event.ago_ms;
    this.app.nearly({ ...this.entry(event), columnMs: ms > 0 ? ms : null });
  }

  look({ scores }) {
    this.app.look(scores);
  }

  line({ text }) {
    this.app.line(text);
  }

  notice({ text }) {
    this.app.notice(text);
  }

  problem({ text }) {
    this.app.notice(text, true);
  }

  // An event `word` or `near` for the page's list.
  entry({ label, score, threshold, time_ms: ms, at, clip }) {
    const clock = { text: at.slice(11, 19), datetime: at };
    return { label, score, threshold, ms, clock, clip: () => `clips/${clip}.wav` };
  }

  // For each hop of 20 ms: the peak (255: clipped), the mean scores, the newest frame.
  columns(data) {
    const { labels, channels } = this.app.model;
    for (let at = 0; at < data.length; at += 1 + labels.length + channels) {
      const frame = at + 1 + labels.length;
      this.ms += this.app.model.hop_ms;
      this.app.level(data[at] / MAX_SCORE, data[at] === MAX_SCORE, this.ms);
      this.app.means = [...data.subarray(at + 1, frame)];
      this.app.frame(data.subarray(frame, frame + channels), this.ms);
    }
  }
}

new LiveSource(new App());
