// SPDX-License-Identifier: Apache-2.0
// An I2S microphone (as InvenSense's INMP441 data sheet describes it) at the pins SCK 26, WS 27 and SD
// 28, with L/R at GND. It sends in the slot with WS low, most significant bit first, from the second
// falling edge of SCK on; WS is read at rising edges. It is silent unless the clocks reach it.
"use strict";

const { Misuse } = require("./registers.cjs");

const SCK = 26;
const WS = 27;
const SD = 28;
const PIO_FUNCTION = 6;
const SLOT = 32; // bits
const CHECKED = 160; // frames
const FRAME_NANOS = 62500;
const TOLERANCE = 0.0005; // of the rate

class I2sMicrophone {
  // samples: Int16Array, one per frame from the first one on; silence after them. A sample is the
  // word / 2^13 (boards/rpi_pico/microphone.cc).
  constructor(mcu, samples) {
    this.mcu = mcu;
    this.samples = samples;
    this.next = 0; // index in samples
    this.sck = 0;
    this.ws = 0;
    this.latched = 1; // WS at the last rising edge
    this.bit = SLOT; // the bit that the next falling edge sends
    this.word = 0;
    this.edges = 0; // rising edges in this frame
    this.frames = 0;
    this.begin = 0; // start of the CHECKED frames, in nanoseconds
  }

  // The pins' levels after a step of the PIO.
  step(levels) {
    const sck = (levels >> SCK) & 1;
    const ws = (levels >> WS) & 1;
    if (sck !== this.sck) {
      this.sck = sck;
      if (sck) this.rise(ws);
      else this.fall();
    }
    this.ws = ws;
  }

  rise(ws) {
    if (ws !== this.ws) throw new Misuse("microphone: WS changes at a rising edge of SCK");
    ++this.edges;
    if (ws === this.latched) return;
    this.latched = ws;
    this.bit = 0;
    if (!ws) this.startFrame();
  }

  fall() {
    const sends = !this.latched && this.bit < SLOT;
    this.mcu.gpio[SD].setInputValue(sends && Boolean((this.word >>> (SLOT - 1 - this.bit)) & 1));
    ++this.bit;
  }

  startFrame() {
    const now = this.mcu.clock.nanos;
    if (this.frames > 0 && this.edges !== 2 * SLOT) {
      throw new Misuse(`microphone: ${this.edges} bits in a frame`);
    }
    if (this.frames % CHECKED === 0) {
      const frame = (now - this.begin) / CHECKED;
      if (this.frames > 0 && Math.abs(frame / FRAME_NANOS - 1) > TOLERANCE) {
        throw new Misuse(`microphone: ${(1e9 / frame).toFixed(1)} frames per second`);
      }
      this.begin = now;
    }
    ++this.frames;
    this.edges = 0;
    const { gpio } = this.mcu;
    const reaches = [SCK, WS].every(
      (pin) => gpio[pin].functionSelect === PIO_FUNCTION && gpio[pin].outputEnable,
    );
    const sample = reaches && this.next < this.samples.length ? this.samples[this.next++] : 0;
    this.word = sample << 13;
  }
}

module.exports = { I2sMicrophone };
