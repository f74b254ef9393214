// SPDX-License-Identifier: Apache-2.0
// Runs firmware of the Raspberry Pi Pico in rp2040js: node run.cjs JOB, where JOB is a JSON file:
//
//   image       flash content from 0x10000000 on
//   microphone  16 kHz int16 samples; or null: the PIO is stopped, so no samples arrive
//   seconds     run time of the board
//   typed       [seconds, text] for the serial port
//   rates       [seconds, bit/s] of the serial adapter
//   lights      file for the changes of the LED, as [ms, on]; or null
//
// Writes the board's serial output to stdout. If the firmware misuses the chip, describes the misuse
// on stderr, and exits with status 1.
//
// rp2040js emulates the core, SIO, PIO, DMA and timer, but has no boot ROM, whose work is done here.
// Only the core's cycles are counted, not waits for a bus that DMA uses at the same time.
"use strict";

const fs = require("fs");
const { RP2040 } = require("rp2040js");
const { Clocks, FlashInterface, Resets, Watchdog } = require("./chip.cjs");
const { I2sMicrophone } = require("./i2s_microphone.cjs");
const { Misuse, Stored } = require("./registers.cjs");
const { Uart } = require("./uart.cjs");

const BOOT2 = 0x20041f00; // address to which the boot ROM copies it
const BOOT2_BYTES = 256;
const STEP_CYCLES = 64; // maximum between checks of the clock while the PIO is stopped
const LED = 25;
const HIGH = 1; // of rp2040js's GPIOPinState
const SEND_EVENT_ON_PEND = 1 << 4;

// The boot ROM's CRC (2.8.1.3.1).
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let i = 0; i < 8; ++i) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

class Pico {
  constructor(job) {
    this.image = fs.readFileSync(job.image);
    this.output = [];
    this.lights = [];
    const sound = job.microphone && new Uint8Array(fs.readFileSync(job.microphone));
    this.samples = sound && new Int16Array(sound.buffer);
    this.passed = 0; // nanoseconds before the last reset
    this.restarts = false;
    this.powerOn(0);
  }

  // reason: WATCHDOG.REASON.
  powerOn(reason) {
    const mcu = (this.mcu = new RP2040());
    const warn = (part, text) => {
      throw new Misuse(`${part}: ${text}`);
    };
    mcu.logger = { debug() {}, info() {}, warn, error: warn };
    const clocks = (this.clocks = new Clocks());
    this.flash = new FlashInterface(clocks, (shown) => this.showFlash(shown));
    clocks.control.onChange = () => this.setClock();
    this.setClock();
    this.watchdog = new Watchdog(clocks, mcu.clock, (cause) => {
      this.restarts = true;
      this.reason = cause;
    });
    this.watchdog.reason = reason;
    const rate = this.uart?.adapterRate ?? 115200;
    this.uart = new Uart(mcu, clocks, rate, (byte) => this.output.push(byte));
    this.microphone = this.samples && new I2sMicrophone(mcu, this.samples);
    this.connect();
    this.fixInterrupts();
    mcu.gpio[LED].addListener((state) => {
      const now = (this.passed + mcu.clock.nanos) / 1e6;
      this.lights.push([Math.round(now), state === HIGH]);
    });
    this.boot();
  }

  setClock() {
    this.cycleNanos = 1e9 / this.clocks.system;
    this.flash.refresh();
  }

  connect() {
    const { peripherals, pio } = this.mcu;
    const resets = new Resets();
    const place = (page, bit, peripheral, name, begin) => {
      peripherals[page] = resets.guard(bit, peripheral, name, begin);
    };
    place(0x50000, 2, peripherals[0x50000], "DMA");
    place(0x40014, 5, peripherals[0x40014], "IO_BANK0");
    place(0x4001c, 8, peripherals[0x4001c], "PADS_BANK0");
    place(0x50200, 10, peripherals[0x50200], "PIO0");
    place(0x40028, 12, this.clocks.pll, "PLL_SYS", () => this.clocks.pll.reset());
    place(0x40054, 21, this.checkedTimer(peripherals[0x40054]), "TIMER");
    place(0x40034, 22, this.uart, "UART0", () => this.uart.reset());
    peripherals[0x18000] = this.flash;
    peripherals[0x4000c] = resets;
    peripherals[0x40008] = this.clocks.control;
    peripherals[0x40024] = this.clocks.crystal;
    peripherals[0x40058] = this.watchdog;
    peripherals[0x40010] = new Stored("PSM", { 0x08: ["wdsel", 0] });
    const chip = { 0x08: ["cause", 1 << 8] };
    peripherals[0x40064] = new Stored("VREG_AND_CHIP_RESET", chip);
    // Its own loop would run in real time; here the PIO runs with the core's clock.
    pio[0].run = () => {};
    for (const machine of pio[0].machines) machine.clkDivRestart = () => {};
  }

  // rp2040js's timer always counts microseconds.
  checkedTimer(timer) {
    const check = () => {
      if (this.watchdog.tickRate !== 1e6) throw new Misuse("TIMER: it does not count microseconds");
    };
    return {
      readUint32(offset) {
        check();
        return timer.readUint32(offset);
      },
      writeUint32Atomic(offset, value, kind) {
        check();
        timer.writeUint32Atomic(offset, value, kind);
      },
    };
  }

  // rp2040js takes an interrupt that ends WFE although PRIMASK forbids it, and has no SCR.
  fixInterrupts() {
    const { core, ppb } = this.mcu;
    let control = 0;
    core.setInterrupt = (number, value) => {
      const bit = 1 << number;
      if (!value) {
        core.pendingInterrupts &= ~bit;
      } else if (!(core.pendingInterrupts & bit)) {
        core.pendingInterrupts |= bit;
        core.interruptsUpdated = true;
        if (control & SEND_EVENT_ON_PEND) core.eventRegistered = true;
      }
      if (core.waiting && core.eventRegistered) {
        core.waiting = core.eventRegistered = false;
      } else if (core.waiting && core.pendingInterrupts & core.enabledInterrupts && !core.PM) {
        core.waiting = false;
      }
    };
    const { readUint32, writeUint32 } = ppb;
    ppb.readUint32 = (offset) => (offset === 0xd10 ? control : readUint32.call(ppb, offset));
    ppb.writeUint32 = (offset, value) => {
      if (offset === 0xd10) control = value;
      else writeUint32.call(ppb, offset, value);
    };
  }

  boot() {
    const { core, sram } = this.mcu;
    const boot2 = this.image.subarray(0, BOOT2_BYTES);
    if (boot2.length < BOOT2_BYTES || crc32(boot2.subarray(0, 252)) !== boot2.readUInt32LE(252)) {
      throw new Misuse("boot ROM: the CRC of the flash's first 256 bytes is wrong");
    }
    sram.fill(0xa5);
    sram.set(boot2, BOOT2 - 0x20000000);
    core.PC = BOOT2;
    core.LR = 0;
    core.SP = BOOT2;
  }

  showFlash(shown) {
    this.mcu.flash.fill(0xff);
    if (shown) this.mcu.flash.set(this.image);
  }

  // Runs until `seconds`; a watchdog reset starts the firmware again.
  run(seconds) {
    const end = seconds * 1e9 - this.passed;
    const { clock, core, pio } = this.mcu;
    const machine = pio[0].machines[0];
    let debt = 0; // cycles of the PIO's clock that its next step waits for
    while (clock.nanos < end && !this.restarts) {
      const runs = machine.enabled && this.microphone;
      const divisor = machine.clockDivInt + machine.clockDivFrac / 256;
      const until = runs ? debt + divisor : STEP_CYCLES;
      let cycles = 0;
      while (cycles < until && !core.waiting) cycles += core.executeInstruction();
      if (core.waiting && cycles < until) {
        cycles = runs ? Math.ceil(until) : this.cyclesToAlarm(end);
      }
      clock.tick(cycles * this.cycleNanos);
      if (!runs) continue;
      debt = until - cycles;
      machine.step();
      this.microphone.step(pio[0].pinValues);
    }
    if (!this.restarts) return;
    this.restarts = false;
    this.passed += clock.nanos;
    this.powerOn(this.reason);
    this.run(seconds);
  }

  cyclesToAlarm(end) {
    const next = this.mcu.clock.nextAlarm;
    const until = Math.min(next ? next.nanos : Infinity, end);
    return Math.max(STEP_CYCLES, Math.ceil((until - this.mcu.clock.nanos) / this.cycleNanos));
  }
}

function main() {
  const job = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
  const pico = new Pico(job);
  const events = [
    ...job.typed.map(([at, text]) => [at, () => pico.uart.type(text)]),
    ...job.rates.map(([at, rate]) => [at, () => (pico.uart.adapterRate = rate)]),
  ];
  for (const [at, act] of events.sort((a, b) => a[0] - b[0])) {
    pico.run(at);
    act();
  }
  pico.run(job.seconds);
  if (job.lights) fs.writeFileSync(job.lights, JSON.stringify(pico.lights));
  process.stdout.write(Buffer.from(pico.output));
}

try {
  main();
} catch (error) {
  if (!(error instanceof Misuse)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
