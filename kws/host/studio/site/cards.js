// SPDX-License-Identifier: Apache-2.0
// What the model in step Try hears, nearly hears and misses: kept as cards, which the user sorts for the next training.
import { json, path, refresh } from "./api.js";
import { each, h, set } from "./dom.js";
import { announce, attempt, card as section, playButton, problemLine } from "./parts.js";
import { speakerField } from "./speaker_field.js";
import { texts } from "./texts.js";

const own = texts.cards;
const KEPT_S = 3; // of sound; training needs 2.5 s before the end of a word
const AFTER_MS = 500; // of sound after the report
const SHOWN_MS = 2500;
const NEAR_EVERY_MS = 5000; // talk has many near misses: they must not fill the list

// `core()`: the model's page (see browser_source.js), or undefined.
export function cardList(core) {
  const heard = h("p.heard", { role: "status" });
  const words = h("select", { "aria-label": own.word });
  const missed = h("button", { type: "button", onclick: () => keep("missed", words.value, 0) }, own.missed);
  const problem = problemLine();
  const speaker = speakerField(() => problem.show(""));
  const list = h("ul.cards", {}), empty = h("p.hint", {}, own.none);
  const element = section(own.title, own.lead, heard, h("div.row", {}, words, missed), problem.element, empty, speaker.element, list);
  let known = [], timer = 0, nearAt = -Infinity;

  // Keeps the sound up to `endMs` of the sound that the model has heard; by default, up to now.
  async function keep(kind, label, score, endMs = Infinity) {
    const source = core();
    if (!source?.microphone || !source.recent.length) return problem.show(own.notListening);
    // The array belongs to the other page: a copy is one of this page's own.
    const since = Math.max(0, source.given - (endMs * source.rate) / 1000), end = source.recent.length - since;
    const sound = Int16Array.from(source.recent.slice(Math.max(0, end - KEPT_S * source.rate), end));
    await attempt(() => json("POST", path("/api/cards", { kind, label, score }), sound).then(refresh), problem);
  }

  async function sort(card, answer) {
    if (answer === "mine" && !speaker.name()) {
      problem.show(texts.record.speakerMissing);
      return speaker.focus();
    }
    const address = `/api/cards/${encodeURIComponent(card.name)}`;
    const done = await attempt(() => json("POST", address, { is: answer, speaker: speaker.name() }), problem);
    if (done?.problem) problem.show(own.problem(done.problem));
    else if (done) announce(own.sorted[answer]);
    return refresh();
  }

  function make(card) {
    const name = own.card(card);
    const button = ([answer, text]) => h("button.small", { type: "button", "aria-label": `${text}: ${name}`,
      onclick: () => sort(card, answer) }, text);
    return h("li", {}, playButton(".small", name, () => `/api/cards/${encodeURIComponent(card.name)}`),
      h("span.what", {}, name), h("div.row", {}, Object.entries(own.answers(card.label, known.length < 2)).map(button)));
  }

  return {
    element,
    // An event of the model's page.
    hear({ detail: { label, score } }) {
      if (!known.includes(label)) return;
      heard.textContent = own.heard(texts.spoken(label));
      clearTimeout(timer);
      timer = setTimeout(() => (heard.textContent = ""), SHOWN_MS);
      if (core()?.microphone) setTimeout(() => keep("heard", label, score), AFTER_MS);
    },
    // Another event: a word was nearly heard, a moment ago.
    hearNearly({ detail: { label, score, ms } }) {
      const now = performance.now();
      if (!known.includes(label) || !core()?.microphone || now - nearAt < NEAR_EVERY_MS) return;
      nearAt = now;
      keep("near", label, score, ms + AFTER_MS);
    },
    update(state) {
      known = state.words;
      each(words, known, (word) => word, (word) => h("option", { value: word }, texts.spoken(word)));
      set(words, { hidden: known.length < 2 });
      set(empty, { hidden: state.cards.length > 0 });
      speaker.update([...new Set(Object.values(state.speakers))]);
      set(speaker.element, { hidden: state.cards.length === 0 });
      each(list, state.cards, (card) => `${card.name} ${known.length < 2}`, make);
    },
  };
}
