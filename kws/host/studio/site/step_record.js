// SPDX-License-Identifier: Apache-2.0
// Step 2: records takes, and shows those of the project.
import { refresh } from "./api.js";
import { h, onChange, set } from "./dom.js";
import { announce, card, head, needs } from "./parts.js";
import { boardCard } from "./board_card.js";
import { phoneCard } from "./phone_card.js";
import { takeRecorder } from "./take_recorder.js";
import { takeList } from "./takes.js";
import { texts } from "./texts.js";

const GOAL = { takes: 20, people: 4 }; // see docs/own_words.md
const own = texts.record;

export function recordStep(index) {
  const recorder = takeRecorder(async (word) => {
    await refresh();
    return state.takes.filter((take) => take.word === word).length;
  }, () => board.named());
  const goals = { takes: goal(own.takes, GOAL.takes), people: goal(own.people, GOAL.people) };
  const phone = phoneCard(), board = boardCard(recorder.speaker), takes = takeList();
  const missing = needs("word", "word");
  const content = h("div.content", recorder.element, phone.element, board.element,
    h("section.card.goals", h("div.meters", goals.takes.element, goals.people.element), h("p.hint", own.target)),
    card(own.title, "", takes.element));
  const element = h("div.step", head("record", index), missing, content);
  let state = null;

  return {
    element,
    enter: recorder.enter,
    leave: recorder.leave,
    update(next) {
      state = next;
      const hasWords = state.words.length > 0;
      missing.hidden = hasWords;
      content.hidden = !hasWords;
      recorder.update(state.words, state.window_ms, [...new Set(Object.values(state.speakers))]);
      phone.update(state.phone);
      board.update(state);
      goals.takes.show(state.takes.length);
      goals.people.show(new Set(state.takes.map((take) => take.speaker)).size);
      takes.update(state, (line) => announce(line));
    },
  };
}

// How near the number of takes or people is to that of the measurement.
function goal(name, most) {
  const number = h("strong"), bar = h("progress", { max: most, value: 0, "aria-label": name });
  const show = onChange((count) => {
    set(number, { textContent: own.of(count, most) });
    set(bar, { value: Math.min(count, most) });
  });
  show(0);
  return { element: h("div.goal", h("span", number, ` ${name}`), bar), show };
}
