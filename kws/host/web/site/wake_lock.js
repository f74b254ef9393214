// SPDX-License-Identifier: Apache-2.0
// Keeps a phone's screen on while the page listens: with the screen off, phones stop the microphone.
// Without the browser's Screen Wake Lock API, nothing happens.
"use strict";

class WakeLock {
  constructor() {
    this.isWanted = false;
    this.isAsking = false;
    this.lock = null;
    document.addEventListener("visibilitychange", () => this.update());
  }

  // Whether the screen should stay on.
  set(isWanted) {
    this.isWanted = isWanted;
    this.update();
  }

  // A hidden page has no lock, and takes it again once it is visible.
  async update() {
    if (!this.isWanted || document.hidden) {
      this.lock?.release();
      this.lock = null;
      return;
    }
    if (this.lock || this.isAsking || !navigator.wakeLock) return;
    this.isAsking = true;
    const lock = await navigator.wakeLock.request("screen").catch(() => null); // null: such as battery saver
    this.isAsking = false;
    if (!lock) return;
    this.lock = lock;
    lock.addEventListener("release", () => {
      if (this.lock === lock) this.lock = null;
    });
    if (!this.isWanted || document.hidden) this.update(); // changed in the meantime
  }
}
