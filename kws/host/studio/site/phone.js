// SPDX-License-Identifier: Apache-2.0
// The phone's page: it records takes, and can do nothing else.
import { json } from "./api.js";
import { h } from "./dom.js";
import { takeRecorder } from "./take_recorder.js";
import { texts } from "./texts.js";

const POLL_MS = 5000; // the words may change

const own = texts.phone;
const recorder = takeRecorder(async (word) => (await load()).takes[word]);
const heading = h("h1", own.heading), none = h("p.hint", own.noWord);
document.getElementById("main").append(heading, none, recorder.element);

async function load() {
  const state = await json("GET", "/api/words");
  none.hidden = state.words.length > 0;
  recorder.element.hidden = !none.hidden;
  recorder.update(state.words, state.window_ms, []);
  return state;
}

async function poll() {
  const offline = document.getElementById("offline");
  try {
    await load();
    offline.hidden = true;
  } catch {
    offline.textContent = own.offline;
    offline.hidden = false;
  }
  setTimeout(poll, POLL_MS);
}

recorder.enter();
poll();
