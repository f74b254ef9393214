// SPDX-License-Identifier: Apache-2.0
// A row for each class: its mean score as a bar, and its threshold as a mark that can be dragged. If a
// second model decides: a thin line at the score above which it looks, and its own score as a dot.
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

  // `proposals`: for each label the score above which a second model looks, or null.
  show(labels, proposals) {
    this.rows = labels.map((name, label) => this.row(name, label, proposals[label]));
    this.list.replaceChildren(...this.rows.map(({ row }) => row));
  }

  row(name, label, proposal) {
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
    const dot = element("i", "", { class: "look", hidden: "" });
    slider.append(bar, dot, input);
    if (proposal !== null) {
      const line = element("span", "", { class: "proposal" });
      line.style.left = `${(100 * proposal) / MAX_SCORE}%`;
      bar.append(line);
    }
    const mean = element("span", proposal === null ? "0" : "–"), limit = element("b", "–");
    const score = element("span", "", { class: "score" });
    score.append(mean, " / ", limit);
    const row = element("div", "", { class: "class" });
    row.append(element("span", name, { class: "name", title: name }), slider, score);
    return { row, bar, fill, dot, input, mean, limit, isChecked: proposal !== null };
  }

  showThresholds(values) {
    this.rows.forEach(({ input, limit }, label) => {
      input.disabled = false;
      input.value = values[label];
      limit.textContent = values[label];
    });
  }

  // `looked`: scores of the second model, or null.
  draw(means, looked, thresholds) {
    this.rows.forEach(({ row, fill, dot, mean, isChecked }, label) => {
      fill.style.transform = `scaleX(${means[label] / MAX_SCORE})`;
      const score = isChecked ? looked?.[label] : means[label];
      mean.textContent = score ?? "–";
      row.classList.toggle("above", score > thresholds[label]);
      dot.hidden = !isChecked || score === undefined;
      if (!dot.hidden) dot.style.left = `calc(8px + (100% - 16px) * ${score / MAX_SCORE})`;
    });
  }

  // Updates the values for screen readers; called rarely, so that they can keep up.
  announce(means) {
    this.rows.forEach(({ bar }, label) => bar.setAttribute("aria-valuenow", means[label]));
  }
}
