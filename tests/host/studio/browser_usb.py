# SPDX-License-Identifier: Apache-2.0
"""WebSerial in a browser without USB: its ports are the pseudo-terminals of simulated boards.

It is as strict as Chromium: a port is opened once, is read and written only while it is open, and
closed only after its streams were released.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from kws.host.serial.ports import Link, Port, PortError, PortLostError
from tests.host.serial.pty_board import PtyBoard

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SCRIPT = """
{
  const POLL_MS = 10;
  const pause = () => new Promise((resume) => setTimeout(resume, POLL_MS));
  const decoded = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const encoded = (data) => btoa(String.fromCharCode(...data));

  class FakePort extends EventTarget {
    constructor({ device, vendor, product }) {
      super();
      Object.assign(this, { device, info: { usbVendorId: vendor, usbProductId: product } });
      this.readable = this.writable = null;
    }
    getInfo() { return this.info; }
    async open({ baudRate }) {
      if (this.readable) throw new DOMException("already open", "InvalidStateError");
      if (!(await usbOpen(this.device, baudRate))) throw new DOMException("no", "NetworkError");
      let ended = false;
      const lose = (controller) => {
        ended = true;
        this.readable = null;
        controller.error(new DOMException("lost", "NetworkError"));
      };
      this.readable = new ReadableStream({
        pull: async (controller) => {
          while (!ended) {
            const text = await usbRead(this.device);
            if (text === null) return lose(controller);
            if (text) return controller.enqueue(decoded(text));
            await pause();
          }
        },
        cancel() { ended = true; },
      }, { highWaterMark: 0 });
      this.writable = new WritableStream({ write: (data) => usbWrite(this.device, encoded(data)) });
    }
    async setSignals({ dataTerminalReady }) { await usbDtr(this.device, dataTerminalReady); }
    async close() {
      if (this.readable?.locked || this.writable?.locked) throw new TypeError("locked");
      this.readable = this.writable = null;
      await usbClose(this.device);
    }
  }

  class FakeSerial extends EventTarget {
    constructor() {
      super();
      this.plugged = new Map();
      this.allowed = new Set(); // vendor and product
      this.watch();
    }
    async watch() {
      for (;;) {
        const list = await usbList(), keys = new Set(list.map((it) => JSON.stringify(it)));
        for (const [key, port] of this.plugged) {
          if (!keys.has(key)) this.tell("disconnect", key, port);
        }
        for (const it of list) {
          const key = JSON.stringify(it);
          if (!this.plugged.has(key)) this.tell("connect", key, new FakePort(it));
        }
        await pause();
      }
    }
    tell(name, key, port) {
      if (name === "connect") this.plugged.set(key, port);
      else this.plugged.delete(key);
      if (!this.isAllowed(port)) return;
      const event = new Event(name);
      Object.defineProperty(event, "target", { value: port });
      this.dispatchEvent(event);
    }
    isAllowed(port) { return this.allowed.has(JSON.stringify(port.getInfo())); }
    async getPorts() { return [...this.plugged.values()].filter((port) => this.isAllowed(port)); }
    async requestPort() {
      if (!navigator.userActivation.isActive) throw new DOMException("a gesture", "SecurityError");
      const [port] = this.plugged.values();
      if (!port) throw new DOMException("none chosen", "NotFoundError");
      this.allowed.add(JSON.stringify(port.getInfo()));
      return port;
    }
  }
  Object.defineProperty(navigator, "serial", { value: new FakeSerial() });
}
"""


class BrowserUsb:
    """The boards at a browser's USB."""

    def __init__(self, page: Page, board: PtyBoard) -> None:
        """Give a page its `navigator.serial`; call it before the page is opened."""
        self._board = board
        self._links: dict[str, Link] = {}
        self.complaints: list[str] = []
        for name, call in {
            "usbList": self._list,
            "usbOpen": self._open,
            "usbRead": self._read,
            "usbWrite": self._write,
            "usbDtr": self._dtr,
            "usbClose": self._close,
        }.items():
            page.expose_function(name, call)
        page.add_init_script(_SCRIPT)

    def _port(self, device: str) -> Port | None:
        found = [port for port in self._board.lister() if port.device == device]
        return found[0] if found else None

    def _list(self) -> list[dict[str, object]]:
        return [
            {"device": port.device, "vendor": port.usb.vendor, "product": port.usb.product}
            for port in self._board.lister()
            if port.usb
        ]

    def _open(self, device: str, baud: int) -> bool:
        if device in self._links:
            self.complaints.append(f"{device} was opened twice")
        try:
            self._links[device] = Link(device, baud)
        except PortError:
            return False
        return True

    def _read(self, device: str) -> str | None:
        link = self._links.get(device)
        try:
            return base64.b64encode(link.read(0)).decode() if link else None
        except PortLostError:
            self._links.pop(device).close()
            return None

    def _write(self, device: str, data: str) -> None:
        if device not in self._links:
            self.complaints.append(f"{device} was written while it was closed")
            return
        self._links[device].write(base64.b64decode(data))

    def _dtr(self, device: str, on: bool) -> None:
        if not on and device in self._links:
            self._links[device].lower_dtr()

    def _close(self, device: str) -> None:
        if link := self._links.pop(device, None):
            link.close()
