// SPDX-License-Identifier: Apache-2.0
// Finds words that were nearly heard: the score came near, but there was no detection. The exported
// page runs this; for kws listen it is kws/host/live/near_misses.py, which a test compares.
"use strict";

const NEAR_SHARE = 0.5; // of the threshold
const APART_MS = 1500; // a near miss is at least this far from a detection of its word
const NEVER = 255; // a threshold that no score exceeds: the word is off

class NearMisses {
  // `model`: its labels, keywords and proposals (see kws/host/web/model_facts.py).
  constructor({ labels, keywords, proposals }) {
    this.words = labels.flatMap((label, index) => (
      keywords.includes(label) ? [{ label, index, proposal: proposals[index] }] : []));
    this.clear();
  }

  clear() {
    this.heardAt = new Map(); // label: ms of its last detection
    for (const word of this.words) {
      word.best = null; // the near miss so far
      word.isNew = false; // the score was low since the last near miss or detection
    }
  }

  // A detection.
  heard(label, ms) {
    this.heardAt.set(label, ms);
    for (const word of this.words) if (word.label === label) Object.assign(word, { best: null, isNew: false });
  }

  // Adds a hop: its end, the mean scores, and the second model's scores if it looked, else null; the
  // hop's detection comes first. Returns near misses {label, score, threshold, ms} that have become
  // certain: `ms` is the time of the highest score, APART_MS ago.
  add(ms, means, looked, thresholds) {
    for (const word of this.words) {
      const threshold = thresholds[word.index], mean = means[word.index];
      const isChecked = word.proposal !== null;
      const score = isChecked ? looked?.[word.index] : mean;
      const least = NEAR_SHARE * threshold;
      // With a second model, a near miss is a proposal that this model refuses.
      const isNear = threshold < NEVER && (isChecked ? mean > word.proposal : mean >= least);
      if (!isNear) {
        word.isNew = true;
      } else if (score > threshold) { // another word was reported instead
        Object.assign(word, { best: null, isNew: false });
      } else if (word.isNew && score >= least && score > (word.best?.score ?? -1) && !(ms - this.heardAt.get(word.label) < APART_MS)) {
        word.best = { label: word.label, score, threshold, ms };
      }
    }
    return this.take((best) => ms - best.ms >= APART_MS);
  }

  // At the end of the sound: what would have become certain.
  end() {
    return this.take(() => true);
  }

  take(isCertain) {
    const found = this.words.filter(({ best }) => best && isCertain(best));
    return found.map((word) => {
      const { best } = word;
      Object.assign(word, { best: null, isNew: false });
      return best;
    });
  }
}
