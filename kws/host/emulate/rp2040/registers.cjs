// SPDX-License-Identifier: Apache-2.0
// Base of peripheral models, in the form that rp2040js calls.
"use strict";

// Misuse of the chip. It ends the run, because hardware would fail in some other way.
class Misuse extends Error {}

class Peripheral {
  constructor(name) {
    this.name = name;
  }

  // Registers by offset; a subclass overrides both for registers that do something.
  readUint32(offset) {
    throw new Misuse(`${this.name}: read of register 0x${offset.toString(16)}, which has no model`);
  }

  writeUint32(offset, value) {
    throw new Misuse(`${this.name}: write to register 0x${offset.toString(16)}, which has no model`);
  }

  // kind: 0 write, 1 toggle, 2 set, 3 clear (RP2040 datasheet, 2.1.2).
  writeUint32Atomic(offset, value, kind) {
    if (kind !== 0) {
      const old = this.readUint32(offset);
      value = kind === 1 ? old ^ value : kind === 2 ? old | value : old & ~value;
    }
    this.writeUint32(offset, value >>> 0);
  }
}

// Registers that only store what is written: `names` maps offsets to [property, value after reset].
class Stored extends Peripheral {
  constructor(name, names) {
    super(name);
    this.names = names;
    this.reset();
  }

  reset() {
    for (const [property, value] of Object.values(this.names)) this[property] = value;
  }

  readUint32(offset) {
    if (!(offset in this.names)) return super.readUint32(offset);
    return this[this.names[offset][0]] >>> 0;
  }

  writeUint32(offset, value) {
    if (!(offset in this.names)) return super.writeUint32(offset, value);
    this[this.names[offset][0]] = value;
  }
}

module.exports = { Misuse, Peripheral, Stored };
