// SPDX-License-Identifier: Apache-2.0
// Where a board is plugged in: at the machine that runs the commands, or at this browser (WebSerial).
import { choosePort, count, isSupported, onPorts, startPorts } from "./browser_ports.js";
import { h, set } from "./dom.js";
import { attempt, choice, dim, problemLine, running } from "./parts.js";
import { texts } from "./texts.js";

const CHOSEN = "kws-usb";
const own = texts.usb;

// { element, update(state, more), guard(button) }: `more` is a line about boards at the browser; `update` returns what a
// request for the board needs, `guard` dims a button if no board is chosen. `changed()` runs when another place is chosen,
// and when a board comes or goes.
export function usbPlace(title, changed) {
  const where = choice(title, (value) => {
    sessionStorage.setItem(CHOSEN, value);
    if (value === "browser") startPorts();
    changed();
  });
  onPorts(changed);
  const problem = problemLine();
  const choose = h("button", { onclick: () => attempt(choosePort, problem) }, own.choose);
  const found = h("p.hint", { role: "status" }), gone = h("p.note.fair", { role: "status" }, own.gone);
  const at = h("div.at", h("div.row", choose, found), gone, problem.element);
  const element = h("div.usb", isSupported && [where.element, h("p.hint", own.same)], at);
  return {
    element,
    update(state, more = "") {
      where.update(Object.entries(own.places), sessionStorage.getItem(CHOSEN) ?? "machine");
      const isHere = isSupported && where.value === "browser";
      at.hidden = !isHere;
      if (!isHere) return {};
      startPorts(true);
      set(found, { textContent: `${own.count(count())} ${more}` });
      gone.hidden = count() > 0 || running(state)?.action !== "deploy";
      return { browser: true };
    },
    guard(button) {
      if (!at.hidden && count() === 0) dim(button, true);
    },
  };
}
