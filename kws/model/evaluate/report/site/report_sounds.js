// SPDX-License-Identifier: Apache-2.0
// Sounds of the report: mistakes of the confusion matrix, false alarms, missed keywords.
import { silence, soundButton } from "./controls.js";
import { h, set } from "./dom.js";

export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

const play = (name, sound, ...children) =>
  soundButton(".sound", `Play ${name}`, () => sound, () => announce("This sound cannot be played."), ...children);

const SHOWN = 6; // rows before the button that shows the others

// A list of rows, with a button for those after the first ones.
function shortList(rows) {
  const more = h("button.more", { onclick: showAll }, `Show all ${rows.length}`);
  rows.slice(SHOWN).forEach((item) => { item.hidden = true; });
  function showAll() {
    rows.forEach((item) => { item.hidden = false; });
    rows[SHOWN].querySelector("button").focus();
    more.remove();
  }
  return [h("ul.sounds", rows), rows.length > SHOWN ? more : null].filter(Boolean);
}

const row = (button, ...facts) => h("li", button, h("span.facts", facts.filter(Boolean).map((fact) => h("span", fact))));

// False alarms: { update(threshold) } shows which are still reported; null is the model's own setting.
export function alarmList(section, alarms) {
  const rows = alarms.map((alarm) => {
    const fate = h("span.fate");
    const place = [alarm.where, alarm.source].filter(Boolean).join(", ");
    return { alarm, fate, item: row(play(`false alarm ${alarm.label}, peak ${alarm.peak}`, alarm.sound, h("strong", alarm.label)),
      `peak ${alarm.peak}`, alarm.said && `said: ${alarm.said}`, place, alarm.file, alarm.seconds && `${alarm.seconds.map((it) => it.toFixed(1)).join(" to ")} s`, fate) };
  });
  section.append(...shortList(rows.map(({ item }) => item)));
  return {
    update(threshold) {
      for (const { alarm, fate, item } of rows) {
        const isGone = threshold !== null && alarm.peak < threshold;
        set(item, { class: isGone ? "gone" : "" });
        set(fate, { textContent: isGone ? `not reported at ${threshold}` : "", hidden: !isGone });
      }
    },
  };
}

// The button of a false alarm beside the threshold.
export const alarmButton = (alarm) =>
  play(`false alarm ${alarm.label} ${alarm.peak}`, alarm.sound, h("strong", alarm.label), ` ${alarm.peak}`);

export function missedList(section, words) {
  section.append(...shortList(words.map((word) =>
    row(play(`missed ${word.label}, ${word.where}`, word.sound, h("strong", word.label)), word.where, word.file))));
}

// Makes buttons of the matrix's mistakes that have clips, and lists the clips.
export function mistakes(section, { labels, examples }) {
  const title = h("h3"), list = h("div.clips"), all = h("button", { onclick: () => choose(null) }, "All mistakes");
  section.querySelector(".heard").append(list);
  const cells = [...section.querySelectorAll("td.wrong")].map((cell) => {
    const [truth, said] = cell.dataset.cell.split(",").map(Number);
    const clips = examples.filter((clip) => clip.cell[0] === truth && clip.cell[1] === said);
    return { cell, truth, said, clips, button: null };
  }).filter(({ clips }) => clips.length);
  const nameOf = ({ cell: [truth, said] }) => `${labels[truth]} heard as ${labels[said]}`;
  const rowOf = (clip) => row(play(`${nameOf(clip)}, score ${clip.score}`, clip.sound, h("strong", nameOf(clip))),
    `score ${clip.score}`, `of its label ${clip.truth_score}`, clip.file);

  function choose(chosen) {
    silence();
    for (const it of cells) set(it.button, { "aria-pressed": it === chosen ? "true" : "false" });
    const clips = chosen ? chosen.clips : examples;
    set(title, { textContent: chosen ? nameOf(chosen.clips[0]) : "The most confident mistakes" });
    all.hidden = !chosen;
    list.replaceChildren(h("div.row.spread", title, all), ...shortList(clips.map(rowOf)));
    if (!chosen) return;
    list.querySelector(".sound").click();
    announce(`${title.textContent}: ${clips.length} ${clips.length === 1 ? "clip" : "clips"}`);
  }

  for (const it of cells) {
    const content = it.cell.firstElementChild;
    it.button = h("button.cell", { "aria-label": `${labels[it.truth]} heard as ${labels[it.said]}: ${content.innerText.replace(/\s+/g, ", ")} clips; play`,
      onclick: () => choose(it.button.getAttribute("aria-pressed") === "true" ? null : it) });
    content.replaceWith(it.button);
    it.button.append(content);
  }
  choose(null);
}
