// SPDX-License-Identifier: Apache-2.0
// Boards at this browser's USB for the server's commands: WebSerial opens a port, and its bytes go both ways.
import { json, request } from "./api.js";

export const isSupported = "serial" in navigator;

const NAME = Array.from(crypto.getRandomValues(new Uint8Array(8)), (value) => value.toString(16).padStart(2, "0")).join("");
const ADDRESS = `/api/serial/${NAME}`;

const STUCK_MS = 1000;
const BUFFER = 1 << 14; // bytes: a second of sound is 32,000
const known = new Map(); // a port's state by SerialPort
const tabs = new BroadcastChannel("kws-serial"); // one tab offers the ports
const listeners = []; // of changes of `known`
let numbers = 0, events = null, hasStarted = false;

const state = (it, is) => json("POST", `${ADDRESS}/${it.number}/state`, { is }).catch(() => {});

export const count = () => known.size;
export const onPorts = (listener) => listeners.push(listener);
const changed = () => listeners.forEach((listener) => listener());

function offer() {
  const ports = [...known.values()].map(({ number, port }) => {
    const { usbVendorId: vendor = 0, usbProductId: product = 0 } = port.getInfo();
    return { id: number, vendor, product };
  });
  changed();
  // The server knows this page once the stream of events is open.
  return events?.readyState === EventSource.OPEN && json("PUT", `${ADDRESS}/ports`, { ports }).catch(() => {});
}

function add(port) {
  if (known.has(port)) return;
  known.set(port, { port, number: ++numbers, reader: null, writer: null, isOpen: false, work: Promise.resolve() });
}

// The user chooses a port; the browser asks.
export async function choosePort() {
  const port = await navigator.serial.requestPort().catch((error) => {
    if (error.name !== "NotFoundError") throw error; // the user chose none
  });
  if (!port) return;
  await startPorts();
  add(port);
  await offer();
}

// --- one port --------------------------------------------------------------------------------------

async function open(it, baudRate) {
  try {
    await it.port.open({ baudRate, bufferSize: BUFFER });
  } catch {
    return state(it, "failed");
  }
  it.isOpen = true;
  it.writer = it.port.writable.getWriter();
  it.reading = read(it);
  return state(it, "open");
}

// Sends what the board writes until the port is closed or lost. An error of the line is not the end.
async function read(it) {
  while (it.isOpen && it.port.readable) {
    it.reader = it.port.readable.getReader();
    try {
      for (let part = await it.reader.read(); !part.done; part = await it.reader.read()) {
        await request("POST", `${ADDRESS}/${it.number}`, part.value);
      }
    } catch {
      // unplugged, or a break
    } finally {
      it.reader.releaseLock();
    }
  }
}

async function close(it) {
  clearTimeout(it.stuck);
  if (it.isOpen) {
    it.isOpen = false;
    await it.reader.cancel().catch(() => {});
    await it.reading;
    it.writer.releaseLock();
    await it.port.close().catch(() => {});
  }
  return state(it, "closed");
}

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// What a command asks for, one after the other.
function obey({ port: number, open: rate, write, dtr, close: isClosed }) {
  const it = [...known.values()].find((one) => one.number === Number(number));
  if (!it) return;
  const act = async () => {
    if (rate !== undefined) await open(it, rate);
    else if (isClosed) await close(it);
    else if (!it.isOpen) return;
    else if (write !== undefined) await it.writer.write(bytes(write));
    else if (dtr !== undefined) await it.port.setSignals({ dataTerminalReady: dtr });
  };
  // A board that accepts nothing must not keep its port open.
  if (isClosed) it.stuck = setTimeout(() => it.writer?.abort().catch(() => {}), STUCK_MS);
  it.work = it.work.then(act).catch(() => {}); // a lost port is reported by its event
}

// --- all ports -------------------------------------------------------------------------------------

// Offers the ports that the user has allowed before, now and when they are plugged in, until another tab does.
// `onPorts` tells of changes. With `once`, not again after another tab.
export async function startPorts(once = false) {
  if (events || (once && hasStarted)) return;
  hasStarted = true;
  tabs.postMessage("mine");
  events = new EventSource(ADDRESS);
  events.addEventListener("open", () => {
    // After a lost connection no command uses a port.
    for (const it of known.values()) if (it.isOpen) it.work = it.work.then(() => close(it)).catch(() => {});
    offer();
  });
  events.addEventListener("message", ({ data }) => obey(JSON.parse(data)));
  for (const port of await navigator.serial.getPorts()) add(port);
  await offer();
}

tabs.addEventListener("message", () => {
  events?.close();
  events = null;
  known.clear();
  changed();
});

if (isSupported) {
  navigator.serial.addEventListener("connect", ({ target }) => {
    if (!events) return;
    add(target);
    offer();
  });
  navigator.serial.addEventListener("disconnect", ({ target }) => {
    const it = known.get(target);
    if (!it) return;
    it.isOpen = false;
    known.delete(target);
    offer();
  });
}
