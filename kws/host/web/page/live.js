// The page of `kws listen --web`. It shows what the core computed; it computes nothing itself.

const $ = (id) => document.getElementById(id);
const RETRY_MS = 1000;
const CLIPPED = 1, HAS_FRAME = 2;

// --- state -------------------------------------------------------------------------------------

const spectrogram = new Spectrogram($("spectrogram"));
const player = new Audio();
let socket = null, labels = [], channels = 40, rows = [], means = [], peak = 0, clippedAt = -1e9;
const thresholds = [];
let saved = [], seen = new Set();
const wished = new Map(); // label: value, sent once a picture
const moved = new Map(); // label: when its mark was moved here last

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function text(tag, content, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = content;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function status(on, line) {
  $("status").classList.toggle("on", on);
  $("status").textContent = line;
}

function answer(line, problem = false) {
  $("answer").textContent = line;
  $("answer").classList.toggle("problem", problem);
}

function hello(message) {
  ({ labels, channels } = message);
  spectrogram.channels = channels;
  spectrogram.clear();
  means = labels.map(() => 0);
  thresholds.length = 0;
  moved.clear();
  $("classes").replaceChildren();
  rows = labels.map((label, index) => {
    const row = text("div", "", { class: "class" });
    const bar = text("div", "", {
      class: "bar", role: "meter", "aria-label": `score of ${label}`,
      "aria-valuemin": 0, "aria-valuemax": 255, "aria-valuenow": 0,
    });
    const fill = document.createElement("i");
    bar.append(fill);
    const input = text("input", "", {
      type: "range", min: 0, max: 255, step: 1, "aria-label": `threshold of ${label}`,
    });
    input.addEventListener("input", () => {
      wished.set(index, Number(input.value));
      moved.set(index, performance.now());
      thresholds[index] = Number(input.value);
      showThresholds();
    });
    const pull = text("div", "", { class: "pull" });
    pull.append(bar, input);
    const score = text("span", "", { class: "score" });
    const mean = text("span", "0"), limit = text("b", "");
    score.append(mean, " / ", limit);
    row.append(text("span", label, { class: "name", title: label }), pull, score);
    $("classes").append(row);
    return { row, bar, fill, input, mean, limit };
  });
  $("heard").replaceChildren();
  seen = new Set();
  message.heard.forEach(heard);
  figures(message);
  state(message);
}

function state(message) {
  // What comes back of a mark that is being moved is older than the mark.
  const isMoving = (i) => performance.now() - (moved.get(i) ?? -1e9) < 500;
  message.thresholds?.forEach((value, i) => { if (!isMoving(i)) thresholds[i] = value; });
  if (message.saved) saved = message.saved;
  if (message.thresholds || message.saved) showThresholds();
  if (message.notice) {
    status(message.notice.connected, message.notice.text || "no sound yet");
  }
  if (message.figures) {
    const { processor, latency } = message.figures;
    $("processor").textContent = `${processor} % of a core`;
    $("latency").textContent = latency === null ? "–" : `${latency} ms`;
  }
}

function showThresholds() {
  rows.forEach(({ input, limit }, i) => {
    input.value = thresholds[i];
    limit.textContent = thresholds[i];
  });
  const same = thresholds.every((value, i) => value === saved[i]);
  $("save").disabled = $("reset").disabled = same;
}

function heard(event) {
  if (seen.has(event.clip)) return;
  seen.add(event.clip);
  $("nothing").hidden = true;
  const item = text("li", "", { class: event.label === labels[1] ? "unknown" : "" });
  const button = text("button", "▶", { "aria-label": `Play what triggered ${event.label}` });
  button.addEventListener("click", () => {
    player.src = `clips/${event.clip}.wav`;
    player.play().catch(() => answer("that sound is not kept any more", true));
  });
  const time = text("time", event.at.slice(11, 19), { datetime: event.at });
  const score = text("span", String(event.score), { class: "score" });
  score.append(text("span", ` @${event.time_ms} ms`, { class: "at" }));
  item.append(time, text("b", event.label), score, button);
  $("heard").prepend(item);
  while ($("heard").children.length > 20) $("heard").lastChild.remove();
}

function bytes(count) {
  return count < 10240 ? `${count} bytes` : `${(count / 1024).toFixed(0)} KiB`;
}

function figures({ model, boards, boot }) {
  document.title = `kws listen: ${model.name}`;
  $("model").textContent = `${model.name} ${model.sha8}`;
  const flash = model.ops.reduce((sum, [, size]) => sum + size, model.ops_shared);
  const lines = [
    ["processor", "–", "processor"],
    ["latency", "–", "latency"],
    ["model", bytes(model.bytes)],
    ["arena", bytes(model.arena)],
    ["its ops", `${model.ops.map(([name]) => name).join(", ")}: ${bytes(flash)} of flash`],
    ["runs each", `${model.every_ms} ms, mean over ${model.window_ms} ms`],
    ...(model.accuracy ? [["accuracy", `${(100 * model.accuracy).toFixed(1)} % of test clips`]] : []),
    ["device says", boot],
  ];
  $("figures").replaceChildren(...lines.flatMap(([name, value, id]) => [
    text("dt", name), text("dd", value, id ? { id } : {}),
  ]));
  const share = (part, whole) => `${bytes(part)}, ${((100 * part) / whole).toFixed(1)} %`;
  $("boards").tBodies[0].replaceChildren(...boards.map((board) => {
    const row = document.createElement("tr");
    row.append(text("th", board.title, { scope: "row" }), text("td", share(board.model, board.flash)), text("td", share(board.arena, board.ram)));
    return row;
  }));
}

// --- 50 times a second -------------------------------------------------------------------------

function columns(data) {
  const size = 2 + labels.length + channels;
  for (let at = 0; at + size <= data.length; at += size) {
    peak = Math.max(data[at] / 255, peak * 0.93);
    if (data[at + 1] & CLIPPED) clippedAt = performance.now();
    means = Array.from(data.subarray(at + 2, at + 2 + labels.length));
    if (data[at + 1] & HAS_FRAME) spectrogram.add(data.subarray(at + 2 + labels.length, at + size));
  }
}

let spokenAt = 0;
function picture(now) {
  requestAnimationFrame(picture);
  spectrogram.draw();
  const decibel = Math.max(-60, Math.min(0, 20 * Math.log10(peak || 1e-6)));
  $("level").firstChild.style.transform = `scaleX(${1 + decibel / 60})`;
  $("clipped").hidden = now - clippedAt > 1000;
  rows.forEach(({ row, fill, mean }, i) => {
    fill.style.transform = `scaleX(${means[i] / 255})`;
    mean.textContent = means[i];
    row.classList.toggle("above", means[i] > thresholds[i]);
  });
  for (const [label, value] of wished) send({ type: "threshold", label, value });
  wished.clear();
  if (now - spokenAt > 1000) { // screen readers and figures need no more
    spokenAt = now;
    $("decibel").textContent = `${decibel < 0 ? "−" : ""}${Math.abs(decibel).toFixed(0)} dB`;
    $("level").setAttribute("aria-valuenow", decibel.toFixed(0));
    rows.forEach(({ bar }, i) => bar.setAttribute("aria-valuenow", means[i]));
  }
}

// --- connection --------------------------------------------------------------------------------

const KINDS = {
  hello, state,
  heard: (message) => { spectrogram.mark(); heard(message); },
  notice: (message) => answer(message.text),
  problem: (message) => answer(message.text, true),
};

function connect() {
  socket = new WebSocket(`ws://${location.host}/live`);
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") return columns(new Uint8Array(data));
    const message = JSON.parse(data);
    KINDS[message.type]?.(message);
  });
  socket.addEventListener("close", ({ reason }) => {
    status(false, reason || "kws listen has ended; waiting for it");
    setTimeout(connect, RETRY_MS);
  });
}

$("save").addEventListener("click", () => send({ type: "save" }));
$("reset").addEventListener("click", () => send({ type: "reset" }));
connect();
requestAnimationFrame(picture);
