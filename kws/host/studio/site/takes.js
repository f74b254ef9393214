// SPDX-License-Identifier: Apache-2.0
// The takes of a project, grouped by word and speaker.
import { refresh, request } from "./api.js";
import { each, h, icon, onChange, set } from "./dom.js";
import { drawSpectrogram } from "./charts.js";
import { announce, attempt, playButton } from "./parts.js";
import { texts } from "./texts.js";

const SURE_MS = 4000; // how long the second click deletes
const own = texts.record;

const address = ({ word, name }) => `/api/takes/${encodeURIComponent(word)}/${encodeURIComponent(name)}`;

export function takeList() {
  const list = h("div.groups"), empty = h("p.hint", own.none), note = h("p.hint", own.changed);
  const element = h("div", empty, list, note);
  const seen = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
    if (!isIntersecting) return;
    seen.unobserve(target);
    load(target);
  }));

  async function load(canvas) {
    const answer = await attempt(() => request("GET", `${address(canvas.take)}/spectrogram`));
    if (answer) drawSpectrogram(canvas, new Uint8Array(await answer.arrayBuffer()));
  }

  function makeTake({ take, number, speaker }) {
    const name = own.take(number, take.word, speaker);
    const canvas = h("canvas", { "aria-hidden": "true" });
    canvas.take = take;
    seen.observe(canvas);
    const sure = h("span", { hidden: true }, own.sure);
    const remove = h("button.plain", { "aria-label": own.remove(name), title: own.remove(name) }, icon("trash"), sure);
    let timer = 0;
    const ask = (isSure) => {
      clearTimeout(timer);
      sure.hidden = !isSure;
      remove.classList.toggle("sure", isSure);
      set(remove, { "aria-label": isSure ? own.confirm(name) : own.remove(name) });
      if (isSure) timer = setTimeout(() => ask(false), SURE_MS);
    };
    remove.addEventListener("click", async () => {
      if (sure.hidden) {
        ask(true);
        return announce(own.confirm(name));
      }
      ask(false);
      const card = remove.closest("li");
      const near = card.nextElementSibling ?? card.previousElementSibling;
      const done = await attempt(() => request("DELETE", address(take)).then(refresh).then(() => true));
      if (!done) return;
      announce(own.removed);
      (near?.querySelector(".play-take") ?? document.querySelector("button.record"))?.focus();
    });
    remove.addEventListener("blur", () => ask(false));
    return h("li.take", {},
      playButton(".play-take", name, () => address(take), canvas),
      h("div.row", h("span.number", own.number(number)), remove));
  }

  function makeGroup(isFirstLevel) {
    const title = h(isFirstLevel ? "h3" : "h4"), row = h("ul.takes");
    return Object.assign(h("div.group", title, row), { parts: { title, row } });
  }

  const show = onChange(({ words, takes, speakers }) => {
    set(empty, { hidden: takes.length > 0 });
    set(note, { hidden: takes.length === 0 });
    const groups = words.map((word) => ({ word, takes: takes.filter((take) => take.word === word) })).filter((it) => it.takes.length);
    each(list, groups, ({ word }) => `${word} of ${words.length}`, () => {
      const title = h("h3"), people = h("div");
      return Object.assign(h("section.word-takes", title, people), { parts: { title, people } });
    }, ({ parts }, group) => {
      set(parts.title, { textContent: texts.spoken(group.word) });
      parts.title.hidden = words.length < 2;
      const ids = [...new Set(group.takes.map((take) => take.speaker))];
      each(parts.people, ids, (id) => id, () => makeGroup(words.length < 2), ({ parts: { title, row } }, id) => {
        const speaker = speakers[id] ?? id;
        const mine = group.takes.filter((take) => take.speaker === id);
        set(title, { textContent: own.group(speaker, mine.length) });
        const items = mine.map((take) => ({ take, number: Number(take.name.match(/_(\d+)\.\w+$/)?.[1] ?? 0) + 1, speaker }));
        items.sort((one, other) => other.number - one.number); // the newest first
        each(row, items, ({ take }) => `${take.name}@${take.recorded}`, makeTake);
      });
    });
  });

  return { element, update: (state) => show({ words: state.words, takes: state.takes, speakers: state.speakers }) };
}
