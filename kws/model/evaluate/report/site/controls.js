// SPDX-License-Identifier: Apache-2.0
// Sliders, buttons that play sounds, and those of false alarms.
import { h, icon, newId, set } from "./dom.js";

// A slider with a name: { element, value(), limit(limits), set(value, text) }; `text` is what a screen reader says.
export function newSlider(name, limits, moved) {
  const input = h("input", { id: newId("slider"), type: "range", "aria-label": name, oninput: () => { fill(); moved(Number(input.value)); } });
  const fill = () => input.style.setProperty("--filled", `${(100 * (input.value - input.min)) / (input.max - input.min || 1)}%`);
  const limit = ({ min, max, step }) => { set(input, { min, max }); input.step = step; };
  limit(limits);
  return {
    element: input,
    value: () => Number(input.value),
    limit,
    set(value, text) {
      set(input, { value: String(value), "aria-valuetext": text });
      fill();
    },
  };
}

const player = new Audio();
let playing = null; // the button of the sound

export function silence() {
  player.pause();
  playing?.replaceChildren(...playing.idle);
  playing = null;
}
player.addEventListener("ended", silence);

// A button that plays the sound at `url()`, and stops it: `children` is its content, `name` for screen readers,
// `failed()` is called if the browser cannot play it.
export function soundButton(kind, name, url, failed, ...children) {
  const button = h(`button${kind}`, { "aria-label": name, onclick: press }, icon("play"), ...children);
  button.idle = [...button.childNodes];
  async function press() {
    const isPlaying = playing === button;
    silence();
    if (isPlaying) return;
    playing = button;
    button.replaceChildren(icon("pause"), ...button.idle.slice(1));
    player.src = url();
    try {
      await player.play();
    } catch (error) {
      if (playing !== button || error.name === "AbortError") return;
      silence();
      failed(button);
    }
  }
  return button;
}

const IN_LINE = 4;

// Buttons that play the weakest false alarms that a threshold still reports: { element, update(thresholdOf), play() }.
// `alarms`: { label, peak } and what `make(alarm)` needs for a button; `thresholdOf(label)` is a word's threshold.
export function alarmsHere(title, alarms, make) {
  const weakest = [...alarms].sort((one, other) => one.peak - other.peak).map((alarm) => ({ ...alarm, button: make(alarm) }));
  const list = h("div.row"), element = h("div", h("p.hint", title), list);
  return {
    element,
    update(thresholdOf) {
      const reported = weakest.filter(({ label, peak }) => peak >= thresholdOf(label));
      element.hidden = reported.length === 0;
      list.replaceChildren(...reported.slice(0, IN_LINE).map(({ button }) => button));
    },
    // Plays the first one, from its start.
    play() {
      silence();
      list.querySelector("button")?.click();
    },
  };
}
