// SPDX-License-Identifier: Apache-2.0
// Who is speaking: a name that steps Record and Try share.
import { h, newId, onChange } from "./dom.js";
import { texts } from "./texts.js";

const SPEAKER = "kws-speaker"; // in localStorage
const own = texts.record;

// `changed()` is called when the user changes the name. { element, name(), focus(), update(names) }: `update` takes the
// names to choose from, and shows a name that another step changed.
export function speakerField(changed = () => {}) {
  const stored = () => localStorage.getItem(SPEAKER) ?? "";
  const names = h("datalist", { id: newId("names") });
  const input = h("input", { id: newId("speaker"), type: "text", maxlength: 80, autocomplete: "off", list: names.id, value: stored(),
    oninput: () => { localStorage.setItem(SPEAKER, input.value); changed(); } });
  const element = h("div.field", h("label", { for: input.id }, own.speaker), input, names, h("p.hint", own.speakerHint));
  const showNames = onChange((known) => names.replaceChildren(...known.map((name) => h("option", { value: name }))));
  return {
    element,
    name: () => input.value.trim(),
    focus: () => input.focus(),
    update(known) {
      showNames(known);
      if (document.activeElement !== input && input.value !== stored()) input.value = stored();
    },
  };
}
