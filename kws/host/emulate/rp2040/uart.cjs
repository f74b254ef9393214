// SPDX-License-Identifier: Apache-2.0
// UART 0 (RP2040 datasheet, 4.2) and a serial adapter at GP0 and GP1. Bytes take as long as on a
// wire, and get through only if pins, rates and formats agree.
"use strict";

const { Stored } = require("./registers.cjs");

const FIFO = 32; // 1 if it is off
const BITS = 10; // of a byte, with start and stop
const LEVELS = [4, 8, 16, 24, 28];
const UART_FUNCTION = 2;
const RX = 1 << 4;
const TX = 1 << 5;
const IDLE = 1 << 6;
const IRQ = 20;
const TOLERANCE = 0.02; // of the rate: half a bit in ten is 5 %, for both ends together

class Uart extends Stored {
  // adapterRate: in bit/s. onByte: called with each byte that the adapter receives.
  constructor(mcu, clocks, adapterRate, onByte) {
    super("UART0", {
      0x24: ["whole", 0],
      0x28: ["fraction", 0],
      0x2c: ["line", 0],
      0x30: ["control", 0x300],
      0x34: ["levels", 0x12],
      0x38: ["mask", 0],
    });
    this.mcu = mcu;
    this.clocks = clocks;
    this.onByte = onByte;
    this.adapterRate = adapterRate;
    this.raw = 0;
    this.rate = 0; // applied by a write to `line`
    this.toSend = [];
    this.sending = -1;
    this.received = [];
    this.typed = [];
    this.typing = false;
    this.sent = mcu.clock.createAlarm(() => this.finishByte());
    this.came = mcu.clock.createAlarm(() => this.receive());
    this.idle = mcu.clock.createAlarm(() => {
      if (this.received.length) this.raise(IDLE);
    });
  }

  reset() {
    super.reset();
    this.rate = 0;
    this.raw = 0;
    this.toSend = [];
    this.received = [];
  }

  get depth() {
    return this.line & 0x10 ? FIFO : 1;
  }

  get agrees() {
    const format = (this.line & 0x6e) === 0x60; // 8 bits, no parity, one stop bit
    return format && Math.abs(this.rate / this.adapterRate - 1) < TOLERANCE;
  }

  byteNanos(rate) {
    return (BITS / rate) * 1e9;
  }

  update() {
    this.mcu.setInterrupt(IRQ, Boolean(this.raw & this.mask));
  }

  raise(bits) {
    this.raw |= bits;
    this.update();
  }

  // The adapter's user types.
  type(text) {
    for (const byte of Buffer.from(text)) this.typed.push(byte);
    if (!this.typing) this.typeNext();
  }

  typeNext() {
    this.typing = this.typed.length > 0;
    if (this.typing) this.came.schedule(this.byteNanos(this.adapterRate));
  }

  receive() {
    const byte = this.typed.shift();
    const pin = this.mcu.gpio[1];
    if ((this.control & 0x201) === 0x201 && pin.functionSelect === UART_FUNCTION && pin.inputEnable && this.rate) {
      if (this.received.length < this.depth) this.received.push(this.agrees ? byte : 0xff);
      if (this.received.length === LEVELS[(this.levels >> 3) & 7]) this.raise(RX);
      this.idle.schedule((32 / this.rate) * 1e9);
    }
    this.typeNext();
  }

  startByte() {
    if (this.sending >= 0 || !this.toSend.length || !this.rate) return;
    if ((this.control & 0x101) !== 0x101) return;
    this.sending = this.toSend.shift();
    if (this.toSend.length === LEVELS[this.levels & 7]) this.raise(TX);
    this.sent.schedule(this.byteNanos(this.rate));
  }

  finishByte() {
    if (this.mcu.gpio[0].functionSelect === UART_FUNCTION) {
      this.onByte(this.agrees ? this.sending : 0xff);
    }
    this.sending = -1;
    this.startByte();
  }

  readUint32(offset) {
    if (offset === 0x00) {
      const byte = this.received.shift() ?? 0;
      if (this.received.length < LEVELS[(this.levels >> 3) & 7]) this.raw &= ~RX;
      if (!this.received.length) this.raw &= ~IDLE;
      this.update();
      return byte;
    }
    if (offset === 0x18) {
      return (
        (this.sending >= 0 || this.toSend.length ? 1 << 3 : 0) |
        (this.received.length ? 0 : 1 << 4) |
        (this.toSend.length >= this.depth ? 1 << 5 : 0) |
        (this.received.length >= this.depth ? 1 << 6 : 0) |
        (this.toSend.length ? 0 : 1 << 7)
      );
    }
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset === 0x00) {
      if (this.toSend.length < this.depth) this.toSend.push(value & 0xff);
      this.startByte();
    } else if (offset === 0x44) {
      this.raw &= ~value;
      this.update();
    } else {
      super.writeUint32(offset, value);
      if (offset === 0x2c) {
        this.rate = (this.clocks.peripherals * 4) / (this.whole * 64 + this.fraction) || 0;
      }
      if (offset === 0x38) this.update();
    }
  }
}

module.exports = { Uart };
