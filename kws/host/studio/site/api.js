// SPDX-License-Identifier: Apache-2.0
// Requests to the server. A refused one throws an Error with the line for the user.
import { texts } from "./texts.js";

export async function request(method, path, body) {
  const options = { method };
  if (body !== undefined) {
    const isBytes = ArrayBuffer.isView(body);
    options.headers = { "content-type": isBytes ? "application/octet-stream" : "application/json" };
    options.body = isBytes ? body : JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error(texts.noServer);
  }
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(error ?? texts.status(answer.status)), { status: answer.status });
}

export const json = async (method, path, body) => (await request(method, path, body)).json();

export const path = (route, parameters = {}) => {
  const query = new URLSearchParams(parameters).toString();
  return query ? `${route}?${query}` : route;
};

const commands = new Map(); // promises of texts, by the request's text

// The text of an action's command. It depends on the settings: see `forgetCommands`.
export function commandOf(action) {
  const key = JSON.stringify(action);
  if (!commands.has(key)) {
    const text = json("POST", "/api/command", action).then((answer) => answer.command);
    text.catch(() => commands.delete(key));
    commands.set(key, text);
  }
  return commands.get(key);
}

export const forgetCommands = () => commands.clear();

// --- the state -------------------------------------------------------------------------------------

let show = () => {};

// Calls `update(state)` for each state, and `online(isConnected)` when the connection changes.
export function connect(update, online) {
  show = update;
  const events = new EventSource("/api/events");
  events.addEventListener("open", () => online(true));
  events.addEventListener("message", ({ data }) => {
    online(true);
    update(JSON.parse(data));
  });
  events.addEventListener("error", () => {
    online(false);
    // After an answer that is not a stream of events, the browser does not try again.
    if (events.readyState === EventSource.CLOSED) setTimeout(() => connect(update, online), 2000);
  });
}

// Shows the state after a change of this page without waiting for the next event.
export async function refresh() {
  show(await json("GET", "/api/state"));
}
