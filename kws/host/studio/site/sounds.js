// SPDX-License-Identifier: Apache-2.0
// Folders of talk and of words by people: downloads, and the user's own.
import { each, h, newId, onChange, set } from "./dom.js";
import { badge, card, problemLine, runButton } from "./parts.js";
import { texts } from "./texts.js";

const own = texts.word;

// `store(change, problem)` saves settings, and shows an error in the line `problem`.
export function soundCard(store) {
  const list = h("ul.rows");
  const data = h("input", { id: newId("data"), type: "text", autocomplete: "off", spellcheck: "false" });
  const negatives = h("textarea", { id: newId("negatives"), rows: 3, autocomplete: "off", spellcheck: "false" });
  const form = h("form", { onsubmit: save },
    h("p.hint", own.foldersLead),
    h("div.field", h("label", { for: negatives.id }, own.negatives), negatives),
    h("div.field", h("label", { for: data.id }, own.data), data),
    h("div.row", h("button", { type: "submit" }, own.save)));
  const problem = problemLine();
  const element = card(own.soundTitle, own.soundLead, list, problem.element, h("details", h("summary", own.foldersTitle), form));
  let settings = null;

  const lines = () => negatives.value.split("\n").map((line) => line.trim()).filter(Boolean);

  function save(event) {
    event.preventDefault();
    store({ data: data.value.trim(), negatives: lines() }, problem);
  }

  const use = (sound) => store(sound.for === "data" ? { data: sound.path } : { negatives: [...settings.negatives, sound.path] }, problem);

  const showSettings = onChange((it) => {
    data.value = it.data;
    negatives.value = it.negatives.join("\n");
  });

  function make(sound) {
    const get = runButton(own.get), isUsed = badge("good", own.used, "check");
    const useButton = h("button", { "aria-label": own.useName(sound.title), onclick: () => use(sound) }, own.use);
    set(get.button, { "aria-label": own.getName(sound.title) });
    get.update({ action: "download", name: sound.name });
    return Object.assign(h("li", {},
      h("div.what", h("strong", sound.title), h("span.hint", own.why[sound.for]),
        h("span.hint", [own.size(sound.megabytes), sound.licence].filter(Boolean).join(" · "))),
      get.element, useButton, isUsed), { parts: { get: get.element, useButton, isUsed } });
  }

  return {
    element,
    update(state) {
      ({ settings } = state);
      showSettings({ data: settings.data, negatives: settings.negatives });
      each(list, state.sounds ?? [], (sound) => sound.name, make, ({ parts }, sound) => {
        const inUse = settings.data === sound.path || settings.negatives.includes(sound.path);
        set(parts.get, { hidden: sound.present });
        set(parts.useButton, { hidden: !sound.present || inUse });
        set(parts.isUsed, { hidden: !sound.present || !inUse });
      });
    },
  };
}
