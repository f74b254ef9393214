// SPDX-License-Identifier: Apache-2.0
// The browser's microphone as int16 at the core's rate. No sound leaves the page.
"use strict";

// Runs in the audio thread: converts each quantum's floats to the int16 that the core takes, and
// posts a hop at a time. If the browser does not resample (then the context runs at the
// microphone's rate), a windowed sinc does; at 16 kHz it is 6 dB down at 7.6 kHz.
function kwsTap() {
  const CROSSINGS = 16;

  // Has a table of taps for each position of an output between two inputs.
  class Resampler {
    constructor(from, to) {
      const divisor = (a, b) => (b ? divisor(b, a % b) : a);
      const common = divisor(from, to);
      this.up = to / common;
      this.down = from / common;
      const cut = Math.min(1, (0.95 * to) / from); // of half the input's rate
      const reach = Math.ceil(CROSSINGS / cut);
      this.tables = Array.from({ length: this.up }, (_, phase) => {
        const table = Float32Array.from({ length: 2 * reach + 1 }, (_, i) => {
          const x = i - reach - phase / this.up;
          const sinc = x === 0 ? 1 : Math.sin(Math.PI * cut * x) / (Math.PI * cut * x);
          return sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / (reach + 1)));
        });
        const sum = table.reduce((total, tap) => total + tap);
        return table.map((tap) => tap / sum);
      });
      this.line = new Float32Array(2 * reach); // input for the next outputs
      this.at = 0; // index of the first sample for the next output
      this.phase = 0; // position of the output between two inputs, in 1/`up`
    }
    push(input) {
      const line = new Float32Array(this.line.length + input.length);
      line.set(this.line);
      line.set(input, this.line.length);
      const out = [];
      for (const { length } = this.tables[0]; this.at + length <= line.length;) {
        const table = this.tables[this.phase];
        let sum = 0;
        for (let i = 0; i < length; i++) sum += table[i] * line[this.at + i];
        out.push(sum);
        this.phase += this.down;
        this.at += Math.floor(this.phase / this.up);
        this.phase %= this.up;
      }
      const spent = Math.min(this.at, line.length);
      this.line = line.slice(spent);
      this.at -= spent;
      return out;
    }
  }

  class Tap extends AudioWorkletProcessor {
    constructor({ processorOptions: { rate, hop } }) {
      super();
      this.resampler = sampleRate === rate ? null : new Resampler(sampleRate, rate);
      this.samples = new Int16Array(hop);
      this.filled = 0;
    }
    process([[input]]) {
      if (!input) return true; // nothing is connected at the moment
      for (const sample of this.resampler ? this.resampler.push(input) : input) {
        const scaled = Math.round(sample * 32768);
        this.samples[this.filled++] = Math.max(-32768, Math.min(32767, scaled));
        if (this.filled < this.samples.length) continue;
        this.port.postMessage(this.samples);
        this.filled = 0;
      }
      return true;
    }
  }
  registerProcessor("kws-tap", Tap);
}

const REFUSED = {
  NotAllowedError: "access to the microphone was denied; allow it for this page in the browser, then press Listen",
  SecurityError: "the browser does not let this page use the microphone; open it with kws export web … --serve",
  NotFoundError: "there is no microphone; plug one in, then press Listen",
  NotReadableError: "the microphone is in use or broken; close the program that uses it, then press Listen",
};

class Microphone {
  // `hear(samples)` gets an Int16Array of `hop` samples at `rate`; `lost(line)` is called once, if
  // the sound ends without close().
  constructor(rate, hop, { hear, lost }) {
    this.rate = rate;
    this.hop = hop;
    this.hear = hear;
    this.lost = lost;
    this.closed = false;
  }

  // Returns the microphone's name. Throws an Error with a one-line message.
  async open() {
    if (document.featurePolicy?.allowsFeature("microphone") === false) {
      throw new Error("the page's host forbids the microphone: its Permissions-Policy lacks microphone=(self)");
    }
    if (!navigator.mediaDevices?.getUserMedia) {
      throw new Error("the browser allows the microphone only over https or from localhost; "
        + "open the page with kws export web … --serve");
    }
    const wanted = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: wanted });
      if (this.closed) throw new Error("stopped"); // while the user was asked
      const [track] = this.stream.getAudioTracks();
      track.addEventListener("ended", () => this.end("the microphone was unplugged; plug it in, then press Listen"));
      await this.connect();
      if (this.closed) throw new Error("stopped");
      this.context.addEventListener("statechange", () => {
        if (this.context?.state !== "running") this.end("the browser paused the microphone; press Listen");
      });
      return track.label || "microphone";
    } catch (error) {
      this.close();
      if (error.isPolicy) throw error;
      throw new Error(REFUSED[error.name] ?? `the microphone cannot be used (${error.message})`);
    }
  }

  async connect() {
    this.context = new AudioContext({ sampleRate: this.rate });
    let source;
    try {
      source = this.context.createMediaStreamSource(this.stream);
    } catch { // Firefox does not resample a microphone
      this.context.close();
      this.context = new AudioContext();
      source = this.context.createMediaStreamSource(this.stream);
    }
    // A page opened as a file can load a worklet neither from a file nor from a blob.
    const url = `data:text/javascript,${encodeURIComponent(`(${kwsTap})();`)}`;
    await this.context.audioWorklet.addModule(url).catch(() => {
      // The URL contains the text, so only a policy can block it; browsers do not report that.
      throw Object.assign(new Error(policyLine("worklet")), { isPolicy: true });
    });
    const tap = new AudioWorkletNode(this.context, "kws-tap", {
      numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit",
      processorOptions: { rate: this.rate, hop: this.hop },
    });
    tap.port.onmessage = ({ data }) => this.hear(data);
    source.connect(tap);
    await this.context.resume();
  }

  end(line) {
    if (this.closed) return;
    this.close();
    this.lost(line);
  }

  close() {
    this.closed = true;
    this.stream?.getTracks().forEach((track) => track.stop());
    this.context?.close();
    this.stream = this.context = null;
  }
}
