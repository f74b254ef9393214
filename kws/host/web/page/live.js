// The page of `kws listen --web`. It shows what the core computed; it computes nothing itself.

const $ = (id) => document.getElementById(id);
const RETRY_MS = 1000;
const CLIPPED = 1, HAS_FRAME = 2;

// --- state -------------------------------------------------------------------------------------

const spectrogram = new Spectrogram($("spectrogram"));
const classes = new Classes($("classes"), moveThreshold);
const player = new Audio();
let socket = null, labels = [], channels = 40, means = [], peak = 0, clippedAt = -1e9;
const thresholds = [];
let saved = [], seen = new Set();
const wished = new Map(); // label: value, sent once a picture
const moved = new Map(); // label: when its mark was moved here last

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
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
  classes.show(labels);
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

function moveThreshold(index, value) {
  wished.set(index, value);
  moved.set(index, performance.now());
  thresholds[index] = value;
  showThresholds();
}

function showThresholds() {
  classes.thresholds(thresholds);
  const same = thresholds.every((value, i) => value === saved[i]);
  $("save").disabled = $("reset").disabled = same;
}

function heard(event) {
  if (seen.has(event.clip)) return;
  seen.add(event.clip);
  $("nothing").hidden = true;
  const item = element("li", "", { class: event.label === labels[1] ? "unknown" : "" });
  const button = element("button", "▶", { "aria-label": `Play what triggered ${event.label}` });
  button.addEventListener("click", () => {
    player.src = `clips/${event.clip}.wav`;
    player.play().catch(() => answer("that sound is not kept any more", true));
  });
  const time = element("time", event.at.slice(11, 19), { datetime: event.at });
  const score = element("span", String(event.score), { class: "score" });
  score.append(element("span", ` @${event.time_ms} ms`, { class: "at" }));
  item.append(time, element("b", event.label), score, button);
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
    element("dt", name), element("dd", value, id ? { id } : {}),
  ]));
  const share = (part, whole) => `${bytes(part)}, ${((100 * part) / whole).toFixed(1)} %`;
  $("boards").tBodies[0].replaceChildren(...boards.map((board) => {
    const row = document.createElement("tr");
    row.append(element("th", board.title, { scope: "row" }), element("td", share(board.model, board.flash)), element("td", share(board.arena, board.ram)));
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
  classes.draw(means, thresholds);
  for (const [label, value] of wished) send({ type: "threshold", label, value });
  wished.clear();
  if (now - spokenAt > 1000) { // screen readers and figures need no more
    spokenAt = now;
    $("decibel").textContent = `${decibel < 0 ? "−" : ""}${Math.abs(decibel).toFixed(0)} dB`;
    $("level").setAttribute("aria-valuenow", decibel.toFixed(0));
    classes.speak(means);
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
