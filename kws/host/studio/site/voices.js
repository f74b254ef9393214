// SPDX-License-Identifier: Apache-2.0
// The installed voices, and others to get.
import { json } from "./api.js";
import { each, h, newId, onChange, set } from "./dom.js";
import { attempt, badge, card, problemLine, runButton } from "./parts.js";
import { texts } from "./texts.js";

const own = texts.word;
const ANY = "over a hundred"; // languages of espeak-ng, which says all

const codes = (language) => language.split(",").map((it) => it.trim().split("-")[0]).map((it) => (it === "cmn" ? "zh" : it));

const speaks = (voice, language) => voice.languages === ANY
  || voice.languages.split(/[\s,]+/).some((it) => codes(language).includes(codes(it)[0]));

// The voices to get first: those of the most people, if a product may use them where it has to.
function firstChoice(voices, sellable) {
  const allowed = voices.filter((voice) => voice.sellable || !sellable);
  return allowed.length > 1 ? allowed.reduce((best, voice) => (best.speakers >= voice.speakers ? best : voice)) : null;
}

export function voiceCard() {
  const present = h("ul.rows"), others = h("ul.rows");
  const all = h("input", { type: "checkbox", id: newId("all"), onchange: () => show() });
  const nothing = h("p.hint", { hidden: true }, own.noVoices);
  const problem = problemLine();
  const more = h("details", h("summary", own.moreVoices),
    h("p.row", h("label.check", all, own.allLanguages)), nothing, others);
  const element = card(own.voicesTitle, own.voicesLead, present, problem.element, more);
  let catalogue = null, language = "en", sellable = false;

  const about = (voice) => [own.speakers(voice.speakers), own.spokenIn(voice.languages), voice.licence, own.size(voice.megabytes)].filter(Boolean).join(" · ");

  function show() {
    if (!catalogue) return;
    const wanted = catalogue.others.filter((voice) => voice.megabytes && (all.checked || speaks(voice, language)));
    nothing.hidden = wanted.length > 0;
    const first = firstChoice(wanted.filter((voice) => speaks(voice, language)), sellable);
    each(present, catalogue.present, (voice) => voice.name, (voice) => h("li", {},
      h("div.what", h("strong", voice.name), h("span.hint", about(voice))), badge("good", own.installed, "check")));
    each(others, wanted, (voice) => `${voice.name} ${voice === first}`, (voice) => {
      const get = runButton(own.get);
      set(get.button, { "aria-label": own.getName(voice.name) });
      get.update({ action: "voice", name: voice.name });
      return h("li", h("div.what", h("strong", voice.name), h("span.hint", about(voice)), voice === first && badge("good", own.firstChoice, "check")), get.element);
    });
  }

  const read = onChange(async () => {
    catalogue = (await attempt(() => json("GET", "/api/voices"), problem)) ?? catalogue;
    show();
  });
  const filter = onChange(() => show());

  return {
    element,
    update(state) {
      ({ language, sellable } = state.settings);
      // A command may have installed one.
      read(state.jobs.filter((job) => job.action === "voice").map((job) => [job.id, job.state]));
      filter([language, sellable]);
    },
  };
}
