// SPDX-License-Identifier: Apache-2.0
// Parts that rp2040js lacks or does not check: clocks, resets, flash, watchdog. Numbers in
// parentheses are sections of the RP2040 datasheet.
"use strict";

const { Misuse, Peripheral, Stored } = require("./registers.cjs");

const CRYSTAL_HZ = 12e6;
const RING_HZ = 6.5e6; // typical (2.17)

// Oscillators, PLL and clock dividers, with the rates that result (2.15 to 2.18).
class Clocks {
  constructor() {
    this.crystal = new Crystal();
    this.pll = new Pll(this);
    this.control = new ClockControl(this);
  }

  get reference() {
    const source = this.control.reference & 3;
    if (source === 0) return RING_HZ;
    if (source !== 2) throw new Misuse("CLOCKS: this source of the reference clock has no model");
    return this.crystal.rate;
  }

  get system() {
    if (this.control.divisor !== 0x100) throw new Misuse("CLOCKS: CLK_SYS_DIV has no model");
    if ((this.control.system & 1) === 0) return this.reference;
    if ((this.control.system >> 5) & 7) throw new Misuse("CLOCKS: this source has no model");
    return this.pll.rate;
  }

  // 0: off.
  get peripherals() {
    if (!(this.control.peripherals & (1 << 11))) return 0;
    if ((this.control.peripherals >> 5) & 7) throw new Misuse("CLOCKS: this source has no model");
    return this.system;
  }
}

class Crystal extends Stored {
  constructor() {
    super("XOSC", { 0x00: ["setup", 0], 0x0c: ["startup", 0xc4] });
  }

  get runs() {
    return this.setup >>> 12 === 0xfab;
  }

  get rate() {
    if (!this.runs) throw new Misuse("XOSC: a clock uses the crystal, which does not run");
    return CRYSTAL_HZ;
  }

  readUint32(offset) {
    return offset === 0x04 ? (this.runs ? 0x80001000 : 0) : super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset === 0 && (value & 0xfff) !== 0xaa0) throw new Misuse("XOSC: wrong frequency range");
    if (offset === 0 && (this.startup & 0x3fff) * 256 < 12000) {
      throw new Misuse("XOSC: less than a millisecond to start");
    }
    super.writeUint32(offset, value);
  }
}

class Pll extends Stored {
  constructor(clocks) {
    super("PLL_SYS", {
      0x00: ["control", 1],
      0x04: ["off", 0x2d],
      0x08: ["factor", 0],
      0x0c: ["dividers", 0x77000],
    });
    this.clocks = clocks;
  }

  get locked() {
    return !(this.off & 0x21);
  }

  get rate() {
    if (!this.locked || this.off & 8) throw new Misuse("PLL_SYS: a clock uses it while it is off");
    const oscillator = (this.clocks.crystal.rate / (this.control & 0x3f)) * this.factor;
    if (this.factor < 16 || this.factor > 320 || oscillator < 750e6 || oscillator > 1600e6) {
      throw new Misuse(`PLL_SYS: its oscillator cannot run at ${oscillator / 1e6} MHz`);
    }
    const rate = oscillator / ((this.dividers >> 16) & 7) / ((this.dividers >> 12) & 7);
    if (!(rate <= 133e6)) throw new Misuse(`PLL_SYS: ${rate / 1e6} MHz is too fast for the chip`);
    return rate;
  }

  readUint32(offset) {
    const value = super.readUint32(offset);
    return offset === 0 && this.locked ? (value | 0x80000000) >>> 0 : value;
  }

  writeUint32(offset, value) {
    if (offset >= 8 && offset === 8 && this.locked) {
      throw new Misuse("PLL_SYS: the factor is changed while it runs");
    }
    super.writeUint32(offset, value);
  }
}

class ClockControl extends Stored {
  constructor(clocks) {
    super("CLOCKS", {
      0x30: ["reference", 0],
      0x3c: ["system", 0],
      0x40: ["divisor", 0x100],
      0x48: ["peripherals", 0],
    });
    this.clocks = clocks;
  }

  readUint32(offset) {
    if (offset === 0x38) return 1 << (this.reference & 3);
    if (offset === 0x44) return 1 << (this.system & 1);
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    // The auxiliary source is not switched without glitches (2.15.3.2).
    if (offset === 0x3c && this.system & 1 && (this.system ^ value) & 0xe0) {
      throw new Misuse("CLOCKS: the auxiliary source is changed while it is in use");
    }
    super.writeUint32(offset, value);
    this.onChange();
  }

  onChange() {}
}

// RESETS: all peripherals except those for flash start in reset (2.14).
class Resets extends Stored {
  constructor() {
    super("RESETS", { 0x00: ["held", 0x1ffffff & ~((1 << 6) | (1 << 9))], 0x04: ["wdsel", 0] });
  }

  readUint32(offset) {
    return offset === 0x08 ? ~this.held & 0x1ffffff : super.readUint32(offset);
  }

  // The peripheral, with a check that it is not in reset; `begin` is called at the end of a reset.
  guard(bit, peripheral, name, begin = () => {}) {
    const resets = this;
    const check = () => {
      if (resets.held & (1 << bit)) throw new Misuse(`${name}: used while it is in reset`);
    };
    const writes = this.writeUint32;
    this.writeUint32 = function (offset, value) {
      const ends = offset === 0 && this.held & ~value & (1 << bit);
      writes.call(this, offset, value);
      if (ends) begin();
    };
    return {
      readUint32(offset) {
        check();
        return peripheral.readUint32(offset);
      },
      writeUint32(offset, value) {
        check();
        peripheral.writeUint32(offset, value);
      },
      writeUint32Atomic(offset, value, kind) {
        check();
        peripheral.writeUint32Atomic(offset, value, kind);
      },
    };
  }
}

// SSI: flash can be read once it is set up for the command 03h (4.10).
class FlashInterface extends Stored {
  constructor(clocks, show) {
    super("SSI", {
      0x00: ["control0", 0],
      0x04: ["control1", 0],
      0x08: ["enabled", 1],
      0x14: ["divisor", 0],
      0xf4: ["commands", 0],
    });
    this.clocks = clocks;
    this.show = show;
    this.works = false;
  }

  writeUint32(offset, value) {
    if (offset !== 0x08 && this.enabled) throw new Misuse("SSI: changed while it is enabled");
    super.writeUint32(offset, value);
    this.refresh();
  }

  // The flash chip's limit for this command is 50 MHz (Winbond W25Q16JV data sheet).
  refresh() {
    const works =
      this.enabled === 1 &&
      this.divisor >= 2 &&
      this.divisor % 2 === 0 &&
      this.clocks.system / this.divisor <= 50e6 &&
      this.control0 === ((3 << 8) | (31 << 16)) && // EEPROM_READ, frames of 32 bits
      this.control1 === 0 &&
      this.commands === ((0x03 << 24) | (2 << 8) | (6 << 2)); // 8 bits of command, 24 of address
    if (works !== this.works) this.show(works);
    this.works = works;
  }
}

// WATCHDOG, which also ticks the timer (4.7). `resets` is called with the reason's bits.
class Watchdog extends Peripheral {
  constructor(clocks, clock, resets) {
    super("WATCHDOG");
    this.clocks = clocks;
    this.clock = clock;
    this.resets = resets;
    this.reason = 0;
    this.tick = 0;
    this.enabled = false;
    this.load = 0;
    this.alarm = clock.createAlarm(() => {
      if (this.enabled) this.resets(1);
    });
  }

  // In Hz; 0: off.
  get tickRate() {
    return this.tick & (1 << 9) ? this.clocks.reference / (this.tick & 0x1ff) : 0;
  }

  start() {
    // Each tick counts twice: erratum RP2040-E1.
    if (this.tickRate) this.alarm.schedule((this.load / 2 / this.tickRate) * 1e9);
  }

  readUint32(offset) {
    if (offset === 0x00) return this.enabled ? 1 << 30 : 0;
    if (offset === 0x08) return this.reason;
    if (offset === 0x2c) return this.tick;
    return super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset === 0x00) {
      this.enabled = Boolean(value & (1 << 30));
      if (value & (1 << 31)) this.resets(2);
      this.start();
    } else if (offset === 0x04) {
      if (value > 0xffffff) throw new Misuse("WATCHDOG: LOAD has 24 bits");
      this.load = value;
      this.start();
    } else if (offset === 0x2c) {
      this.tick = value & 0x3ff;
      this.start();
    } else {
      super.writeUint32(offset, value);
    }
  }
}

module.exports = { Clocks, FlashInterface, Resets, Watchdog };
