// SPDX-License-Identifier: Apache-2.0
// Recording with a phone: switched on here, opened there with a QR code.
import { json, refresh } from "./api.js";
import { h, onChange, set } from "./dom.js";
import { attempt, card, problemLine } from "./parts.js";
import { texts } from "./texts.js";

const own = texts.phone;

// { element, update(url) } with the address of the phone's page, or null while it is off.
export function phoneCard() {
  const problem = problemLine();
  const button = h("button", { onclick: () => attempt(() => json("POST", "/api/phone", { on: !isOn }).then(refresh), problem) });
  const link = h("code"), code = h("div.code");
  const open = h("div.phone", code, h("div", h("ol", own.steps.map((step) => h("li", step))), link));
  const element = card(own.title, own.lead, open, h("div.row", button), problem.element);
  let isOn = false;

  const show = onChange((url) => {
    isOn = Boolean(url);
    open.hidden = !isOn;
    set(button, { textContent: isOn ? own.off : own.on });
    set(link, { textContent: url ?? "" });
    // The address is new each time, and with it the picture.
    code.replaceChildren(...(isOn ? [h("img", { src: `/api/phone.svg?${encodeURIComponent(url)}`, alt: own.code })] : []));
  });
  return { element, update: show };
}
