// SPDX-License-Identifier: Apache-2.0
// Estimates from the level where a word was in the sound. The core does not know this: it reports a
// word when a model's window fits it, which may be before or after the word's end.
"use strict";

const KEPT_HOPS = 400; // 8 s: the longest window, the delay of a report, and some of the room before
const QUIETEST = 1 / 1024; // of full scale; below it, levels are noise of the sound card
const ROOM_SHARE = 0.2; // of the hops are at most as loud as the room
const CONTRAST_DB = 10; // a word that is not this much louder than the room cannot be found
const LOUD_SHARE = 0.4; // of the way from the room's level to the loudest hop, in dB
const GAP_MS = 200; // within a word: before a "t", or between two words of a phrase
const SHORTEST_MS = 100; // a shorter sound is a click
const CLOCK_BLOCKS = 100; // blocks of a hop: 2 s

class Levels {
  constructor() {
    this.clear();
  }

  clear() {
    this.hops = [];
  }

  // `peak`: of a hop's samples, 0 to 1. `ms`: the hop's end in the sound.
  add(peak, ms) {
    this.hops.push({ db: 20 * Math.log10(Math.max(peak, QUIETEST)), ms });
    if (this.hops.length > KEPT_HOPS) this.hops.shift();
  }

  // The sound that a report at `ms` is about: of the runs of loud hops that begin in the `windowMs`
  // before the report, the last one; as {from, to, isOver}, the ends of its first and last hop.
  // `isOver`: the run has ended. Null if nothing is clearly louder than the room. Speech directly before
  // the word belongs to the run, because its level does not tell them apart.
  find(ms, windowMs) {
    const recent = this.hops.filter((hop) => hop.ms > ms - windowMs);
    const room = this.hops.map(({ db }) => db).sort((a, b) => a - b)[Math.floor(ROOM_SHARE * this.hops.length)];
    const loudest = Math.max(...recent.filter((hop) => hop.ms <= ms).map(({ db }) => db));
    if (!(loudest - room >= CONTRAST_DB)) return null; // also if there are no hops
    const limit = room + LOUD_SHARE * (loudest - room);
    const runs = [];
    for (const { ms: at } of recent.filter(({ db }) => db > limit)) {
      const run = runs.at(-1);
      if (run && at - run.to <= GAP_MS) run.to = at;
      else runs.push({ from: at, to: at });
    }
    const run = runs.findLast(({ from, to }) => from <= ms && to - from >= SHORTEST_MS);
    return run ? { ...run, isOver: recent.at(-1).ms - run.to > GAP_MS } : null;
  }
}

// Finds out when sound reached the page, by the browser's clock. A busy page gets blocks late, but
// never early, so of the latest blocks the one that came soonest counts.
class SoundClock {
  constructor() {
    this.offsets = [];
  }

  // A block arrives now; its end is at `ms` in the sound.
  arrived(ms, now) {
    this.offsets.push(now - ms);
    if (this.offsets.length > CLOCK_BLOCKS) this.offsets.shift();
  }

  // When the sound at `ms` arrived.
  time(ms) {
    return ms + Math.min(...this.offsets);
  }
}
