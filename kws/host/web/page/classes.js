// A row a class: its mean score as a bar, and its threshold as a mark that can be dragged. A plain
// script, as spectrogram.js is, because both pages have it.
"use strict";

function element(tag, content, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = content;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

class Classes {
  // Rows come into `list`; `moved(index, value)` is called while a user moves a mark.
  constructor(list, moved) {
    this.list = list;
    this.moved = moved;
    this.rows = [];
  }
  show(labels) {
    this.rows = labels.map((label, index) => this.row(label, index));
    this.list.replaceChildren(...this.rows.map(({ row }) => row));
  }
  row(label, index) {
    const bar = element("div", "", {
      class: "bar", role: "meter", "aria-label": `score of ${label}`,
      "aria-valuemin": 0, "aria-valuemax": 255, "aria-valuenow": 0,
    });
    const fill = element("i", "");
    bar.append(fill);
    const input = element("input", "", {
      type: "range", min: 0, max: 255, step: 1, disabled: "", "aria-label": `threshold of ${label}`,
    });
    input.addEventListener("input", () => this.moved(index, Number(input.value)));
    const pull = element("div", "", { class: "pull" });
    pull.append(bar, input);
    const mean = element("span", "0"), limit = element("b", "–");
    const score = element("span", "", { class: "score" });
    score.append(mean, " / ", limit);
    const row = element("div", "", { class: "class" });
    row.append(element("span", label, { class: "name", title: label }), pull, score);
    return { row, bar, fill, input, mean, limit };
  }
  thresholds(values) {
    this.rows.forEach(({ input, limit }, i) => {
      input.disabled = false;
      input.value = values[i];
      limit.textContent = values[i];
    });
  }
  draw(means, thresholds) {
    this.rows.forEach(({ row, fill, mean }, i) => {
      fill.style.transform = `scaleX(${means[i] / 255})`;
      mean.textContent = means[i];
      row.classList.toggle("above", means[i] > thresholds[i]);
    });
  }
  speak(means) {
    this.rows.forEach(({ bar }, i) => bar.setAttribute("aria-valuenow", means[i]));
  }
}
