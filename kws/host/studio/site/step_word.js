// SPDX-License-Identifier: Apache-2.0
// Step 1: the phrase with its score, the voices that say it, and folders of sound.
import { json, path, refresh, request } from "./api.js";
import { h, icon, newId, onChange, set } from "./dom.js";
import { announce, attempt, badge, card, dim, head, isDim, playButton, problemLine } from "./parts.js";
import { soundCard } from "./sounds.js";
import { texts } from "./texts.js";
import { voiceCard } from "./voices.js";

const TYPING_MS = 350;
const VOICES = 8;
const OTHER = "other";
const ICONS = { good: "check", fair: "wave", poor: "warn" };
const own = texts.word;

export function wordStep(index) {
  const phrase = h("input.phrase", { id: newId("phrase"), type: "text", placeholder: own.placeholder, maxlength: 200,
    autocomplete: "off", autocapitalize: "none", spellcheck: "false", enterkeyhint: "done", oninput: typed });
  const language = h("select", { id: newId("language"), onchange: typed },
    Object.entries(own.languages).map(([code, name]) => h("option", { value: code }, name)), h("option", { value: OTHER }, own.other));
  const code = h("input", { id: newId("code"), type: "text", maxlength: 40, autocomplete: "off", autocapitalize: "none", spellcheck: "false", oninput: typed });
  const codeField = h("div.field", { hidden: true }, h("label", { for: code.id }, own.code), code, h("p.hint", own.codeHint));
  const save = h("button.primary", { type: "submit" }, own.save);
  const saved = h("span.hint", { role: "status" });
  const problem = problemLine();
  const score = h("div.score");
  const hear = h("div.voices", Array.from({ length: VOICES }, (_, number) => {
    const button = playButton(".voice", own.voice(number + 1), () => path("/api/say", { ...typing(), voice: number }), `${number + 1}`);
    button.addEventListener("silent", (event) => { // there are fewer voices
      if (number === 0) return;
      event.preventDefault();
      announce(own.noVoice);
      button.previousElementSibling.focus();
      button.hidden = true;
    });
    return button;
  }));
  const hearBox = h("div.hear", { hidden: true }, h("div", h("h2", own.hear), h("p.hint", own.hearHint)), hear);
  const form = h("form.card.hero", { onsubmit: (event) => { event.preventDefault(); if (!isDim(save)) store(); } },
    h("div.hero-fields", {},
      h("div.field.grow", h("label", { for: phrase.id }, own.phrase), phrase),
      h("div.field", h("label", { for: language.id }, own.language), language), save),
    codeField, h("div.row.spread", h("p.hint", own.several), saved), problem.element);
  const voices = voiceCard();
  const sounds = soundCard(store);
  const scoreCard = card(own.scoreTitle, "", score, hearBox);
  const element = h("div.step", head("word", index), form, scoreCard, voices.element, sounds.element);

  let settings = null; // the saved ones
  let timer = 0, asked = "";

  const typing = () => ({ phrase: phrase.value.trim(), language: language.value === OTHER ? code.value.trim() : language.value });
  const isChanged = () => { const now = typing(); return now.phrase !== settings.phrase || now.language !== settings.language; };

  function typed() {
    codeField.hidden = language.value !== OTHER;
    showSaved();
    clearTimeout(timer);
    set(score, { "aria-busy": JSON.stringify(typing()) === asked ? null : "true" });
    timer = setTimeout(judge, TYPING_MS);
  }

  function showSaved() {
    const changed = isChanged();
    dim(save, !changed);
    set(saved, { textContent: changed ? (settings.phrase ? own.unsaved : "") : settings.phrase ? own.saved : "" });
  }

  async function judge() {
    clearTimeout(timer);
    const now = typing(), question = JSON.stringify(now);
    if (question === asked) return;
    asked = question;
    for (const button of hear.children) button.hidden = false;
    hearBox.hidden = !now.phrase;
    problem.show("");
    if (!now.phrase || !now.language) {
      set(score, { "aria-busy": null });
      return score.replaceChildren(h("p.hint", own.empty));
    }
    set(score, { "aria-busy": "true" });
    if (!score.querySelector(".phrase-score")) score.replaceChildren(h("p.hint", own.scoring));
    try {
      const answer = await json("GET", path("/api/phrase", now));
      if (asked !== question) return;
      score.replaceChildren(...scoreOf(answer));
      announce(answer.phrases.map((it) => own.announce(it.phrase, own.verdicts[it.verdict])).join(". "));
    } catch (error) {
      if (asked !== question) return;
      asked = ""; // typing the same again asks again
      score.replaceChildren(h("p.problem", error.message));
    }
    set(score, { "aria-busy": null });
  }

  // Saves the phrase, or folders of sound, and shows an error in `line`.
  async function store(change = typing(), line = problem) {
    await attempt(async () => {
      await request("PUT", "/api/settings", { ...settings, ...change });
      await refresh();
    }, line);
    showSaved();
  }

  const showSettings = onChange((it) => {
    phrase.value = it.phrase;
    const known = it.language in own.languages;
    language.value = known ? it.language : OTHER;
    code.value = known ? "" : it.language;
    codeField.hidden = known;
    judge();
  });

  return {
    element,
    leave: () => { if (typing().phrase && isChanged()) store(); },
    update(state) {
      settings = state.settings;
      showSettings({ phrase: settings.phrase, language: settings.language });
      showSaved();
      voices.update(state);
      sounds.update(state);
    },
  };
}

function scoreOf({ phrases, pairs }) {
  const several = phrases.length > 1;
  return [
    ...pairs.map(({ words }) => h("p.note.fair", icon("warn"), own.alike(words))),
    h(several ? "div.several" : "div", {}, phrases.map((it) => h("div.phrase-score", {},
      h("div.row", several && h("h3", it.phrase), badge(it.verdict, own.verdicts[it.verdict], ICONS[it.verdict])),
      h("p.facts", own.facts(it).map((fact) => h("span", fact)),
        it.sounds.length > 0 && h("span.sounds", { title: own.sounds }, `/${it.sounds.join(" ")}/`)),
      h("ul.reasons", it.reasons.map((reason) => h("li", reason))),
      it.neighbours.length
        ? h("p.neighbours", h("span.hint", own.neighbours), it.neighbours.map(({ word }) => h("span.chip", word)))
        : h("p.hint", own.noNeighbours),
      it.advice && h("p.advice", it.advice)))),
  ];
}
