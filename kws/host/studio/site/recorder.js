// SPDX-License-Identifier: Apache-2.0
// Records one take with the microphone, which stays open between takes and closes by itself.
/* global Microphone */

const RATE = 16000, HOP = 320;
const COUNT_MS = 700; // from the press to "speak now"
const SPARE_MS = 1200; // longer than the window; the server finds the word
const IDLE_MS = 60000; // then the microphone closes
const SILENT_MS = 4000; // without a sample: the microphone does not work

export const SILENT = "silent"; // the message if no sound comes

// An error of the microphone; without a message if the user has left.
const problem = (line) => Object.assign(new Error(line), { isMicrophone: true });

const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export class Recorder {
  // `level(peak)` gets the loudest sample of each 20 ms, 0 to 1; `closed()` is called when the microphone closes.
  constructor({ level, closed }) {
    this.level = level;
    this.closed = closed;
    this.microphone = null;
    this.take = null; // { samples, filled, resolve, reject } while recording
    this.timer = 0;
  }

  async open() {
    clearTimeout(this.timer);
    if (this.microphone) return;
    const microphone = new Microphone(RATE, HOP, {
      hear: (samples) => this.hear(samples),
      lost: (line) => this.end(problem(line)),
    });
    this.microphone = microphone;
    try {
      await microphone.open();
    } catch (error) {
      const isLeft = this.microphone !== microphone; // closed while the user was asked
      this.microphone = null;
      throw problem(isLeft ? "" : error.message);
    }
  }

  // Returns int16 samples of `windowMs` and some more. `phase` is called with "ready", then "speak".
  async record(windowMs, phase) {
    await this.open();
    phase("ready");
    await wait(COUNT_MS);
    if (!this.microphone) throw this.error;
    const samples = new Int16Array((RATE * (windowMs + SPARE_MS)) / 1000);
    phase("speak", windowMs + SPARE_MS);
    const guard = setTimeout(() => this.end(problem(SILENT)), windowMs + SPARE_MS + SILENT_MS);
    try {
      return await new Promise((resolve, reject) => { this.take = { samples, filled: 0, resolve, reject }; });
    } finally {
      clearTimeout(guard);
      this.timer = setTimeout(() => this.close(), IDLE_MS);
    }
  }

  hear(block) {
    let peak = 0;
    for (const sample of block) peak = Math.max(peak, Math.abs(sample));
    this.level(peak / 32768);
    if (!this.take) return;
    const { samples, resolve } = this.take;
    const part = block.subarray(0, samples.length - this.take.filled);
    samples.set(part, this.take.filled);
    this.take.filled += part.length;
    if (this.take.filled < samples.length) return;
    this.take = null;
    resolve(samples);
  }

  // Closes the microphone and ends a take with an error.
  end(error) {
    clearTimeout(this.timer);
    this.error = error;
    const { microphone } = this;
    this.microphone = null;
    microphone?.close();
    this.take?.reject(error);
    this.take = null;
    this.closed();
  }

  close() {
    if (this.microphone) this.end(problem(""));
  }
}
