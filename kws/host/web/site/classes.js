// SPDX-License-Identifier: Apache-2.0
// A row for each class: its mean score as a bar, and its threshold as a mark that can be dragged.
"use strict";

const MAX_SCORE = 255; // scores and thresholds are bytes

function element(tag, content, attributes = {}) {
  const node = document.createElement(tag);
  node.textContent = content;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

class Classes {
  // `list` gets the rows; `moved(label, value)` is called while the user moves a mark; `label` is an
  // index.
  constructor(list, moved) {
    this.list = list;
    this.moved = moved;
    this.rows = [];
  }

  show(labels) {
    this.rows = labels.map((name, label) => this.row(name, label));
    this.list.replaceChildren(...this.rows.map(({ row }) => row));
  }

  row(name, label) {
    const bar = element("div", "", {
      class: "bar", role: "meter", "aria-label": `score of ${name}`,
      "aria-valuemin": 0, "aria-valuemax": MAX_SCORE, "aria-valuenow": 0,
    });
    const fill = element("i", "");
    bar.append(fill);
    const input = element("input", "", {
      type: "range", min: 0, max: MAX_SCORE, step: 1, disabled: "", "aria-label": `threshold of ${name}`,
    });
    input.addEventListener("input", () => this.moved(label, Number(input.value)));
    const slider = element("div", "", { class: "slider" });
    slider.append(bar, input);
    const mean = element("span", "0"), limit = element("b", "–");
    const score = element("span", "", { class: "score" });
    score.append(mean, " / ", limit);
    const row = element("div", "", { class: "class" });
    row.append(element("span", name, { class: "name", title: name }), slider, score);
    return { row, bar, fill, input, mean, limit };
  }

  showThresholds(values) {
    this.rows.forEach(({ input, limit }, label) => {
      input.disabled = false;
      input.value = values[label];
      limit.textContent = values[label];
    });
  }

  draw(means, thresholds) {
    this.rows.forEach(({ row, fill, mean }, label) => {
      fill.style.transform = `scaleX(${means[label] / MAX_SCORE})`;
      mean.textContent = means[label];
      row.classList.toggle("above", means[label] > thresholds[label]);
    });
  }

  // Updates the values for screen readers; called rarely, so that they can keep up.
  announce(means) {
    this.rows.forEach(({ bar }, label) => bar.setAttribute("aria-valuenow", means[label]));
  }
}
