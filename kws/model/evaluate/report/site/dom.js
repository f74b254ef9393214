// SPDX-License-Identifier: Apache-2.0
// Builds and updates elements. A step is built once; afterwards only what has changed is written.

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "textContent", "open", "selected", "indeterminate", "max", "min"]);

// h("button.primary", { onclick, "aria-label": "..." }, child, "text", [more]). The properties may be left
// out, and empty children are.
export function h(name, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  if (tag === "button") element.type = "button";
  if (children[0]?.constructor === Object) set(element, children.shift());
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Sets attributes, properties and listeners. An attribute of null or false is removed.
export function set(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) {
      if (element[name] !== value) element[name] = value;
    } else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const ICONS = {
  check: "M3.5 8.5l3 3 6-7",
  close: "M4 4l8 8M12 4l-8 8",
  warn: "M8 2.8L14 13H2zM8 6.8v2.6M8 11.3v.1",
  play: "M5.2 3.4v9.2l7.2-4.6z",
  pause: "M5.6 3.6v8.8M10.4 3.6v8.8",
  copy: "M6 6V3h7v7h-3M3 6h7v7H3z",
  trash: "M3 4.5h10M6.2 4.5V3h3.6v1.5M4.4 4.5l.6 8.5h6l.6-8.5",
  next: "M3 8h10M9 4l4 4-4 4",
  out: "M9 3h4v4M13 3L7.5 8.5M11 9.5V13H3V5h3.5",
  down: "M8 3v7M4.8 7L8 10.2 11.2 7M3.5 13h9",
  microphone: "M8 2.5a1.8 1.8 0 0 1 1.8 1.8v3.4a1.8 1.8 0 0 1-3.6 0V4.3A1.8 1.8 0 0 1 8 2.5zM4 7.8a4 4 0 0 0 8 0M8 11.8v2",
  chart: "M3 3v10h10M5.5 10.5v-2M8.5 10.5V5M11.5 10.5V7",
  wave: "M2.8 9.2c1.6-2.8 3.4-2.8 5.2-1.2s3.6 1.6 5.2-1.2",
};

// A decorative picture of 16 units; `name`: a key of ICONS.
export const icon = (name) => svg("svg", { viewBox: "0 0 16 16", class: `icon ${name}`, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

// Keeps one child of `parent` for each item, in the items' order. `make(item)` builds a new one,
// `update(element, item)` runs for all. Focus stays where it is.
export function each(parent, items, key, make, update = () => {}) {
  const old = parent.kept ?? new Map();
  const kept = new Map(items.map((item) => [key(item), old.get(key(item)) ?? make(item)]));
  for (const [name, element] of old) if (!kept.has(name)) element.remove();
  parent.kept = kept;
  let place = parent.firstChild;
  items.forEach((item) => {
    const element = kept.get(key(item));
    if (element === place) place = place.nextSibling;
    else parent.insertBefore(element, place);
    update(element, item);
  });
}

// A function that calls `draw(value)` only if the value differs from the last call's.
export function onChange(draw) {
  let last;
  return (value) => {
    const text = JSON.stringify(value) ?? "";
    if (text === last) return;
    last = text;
    draw(value);
  };
}

let numbers = 0;

export const newId = (name) => `${name}-${++numbers}`;
