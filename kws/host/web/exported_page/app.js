// The page of `kws export web`: sound from the microphone or a file goes to the worker that runs
// the core; what comes back is shown.
"use strict";

const $ = (id) => document.getElementById(id);
const BLOCK = 16000; // samples of a recording that the core gets at a time
const MOST_BEHIND = 2 * RATE; // samples that the core may have before it; more are lost
const CAUGHT_UP = RATE; // so few, before it gets sound again: few long gaps spoil fewer words
const CLIP = 1.6 * RATE; // what triggered a word: the averaged window, and the word before it
const MOST_HEARD = 20; // words in the list
const MOST_LINES = 200;
const HEARD = /^Heard (\S+) \((\d+)\) @(\d+)ms$/;

const spectrogram = new Spectrogram($("spectrogram"));
const classes = new Classes($("classes"), setThreshold);
const player = new Audio();
const whole = typeof KWS_BUNDLE !== "undefined" && typeof KWS_CORE !== "undefined";
const labels = whole ? KWS_BUNDLE.labels : [];
let worker = null, means = labels.map(() => 0), thresholds = [], bundled = [];
let peak = 0, clippedAt = -1e9;
let microphone = null; // null: not listening
let stream = 0; // counts sources; what the worker says of an older one is ignored
let given = 0, behind = 0, lost = 0; // samples: of this source, not heard yet, left out
let losing = false; // whether the microphone's sound is left out just now
let microphoneName = "";
let answered = null; // resolves when the worker has heard a block of a recording
let recent = new Int16Array(0); // the last sound, for the list

function status(line, kind = "") {
  $("status").textContent = line;
  $("status").className = kind;
}

// --- sources -----------------------------------------------------------------------------------

function newStream() {
  stream += 1;
  given = behind = lost = 0;
  losing = false;
  recent = new Int16Array(0);
  means = labels.map(() => 0);
  worker.postMessage({ type: "reset" });
  spectrogram.clear();
  answered?.(null);
  return stream;
}

function give(samples) {
  for (const sample of samples) {
    const size = Math.abs(sample) / 32768;
    if (size > peak) peak = size;
    if (sample >= 32767 || sample <= -32768) clippedAt = performance.now();
  }
  const kept = new Int16Array(Math.min(recent.length + samples.length, 2 * CLIP + BLOCK));
  kept.set(samples.subarray(Math.max(0, samples.length - kept.length)), Math.max(0, kept.length - samples.length));
  const old = kept.length - samples.length;
  if (old > 0) kept.set(recent.subarray(recent.length - old));
  recent = kept;
  given += samples.length;
  behind += samples.length;
  worker.postMessage({ type: "hear", stream, samples });
}

function fromMicrophone(samples) {
  const before = losing;
  losing = behind > (losing ? CAUGHT_UP : MOST_BEHIND - samples.length);
  if (losing) lost += samples.length;
  else give(samples);
  if (losing !== before) showListening();
}

function showListening() {
  if (losing) return status("this machine does not keep up: sound is lost", "bad");
  const gap = lost ? `; ${(lost / RATE).toFixed(1)} s were lost` : "";
  status(`listening: ${microphoneName}${gap}`, "on");
}

async function listen() {
  newStream();
  const opened = new Microphone(fromMicrophone, (line) => { stop(); status(line, "bad"); });
  microphone = opened;
  showListen();
  status("asking for the microphone");
  try {
    microphoneName = await opened.open();
    showListening();
  } catch (error) {
    if (microphone !== opened) return; // the user has begun something else meanwhile
    stop();
    status(error.message, "bad");
  }
}

function stop() {
  microphone?.close();
  microphone = null;
  showListen();
}

function showListen() {
  $("listen").disabled = worker === null;
  $("listen").textContent = microphone ? "Stop" : "Listen";
  $("listen").setAttribute("aria-pressed", String(microphone !== null));
}

// Each from a fresh start and between two pauses, as kws run plays it.
async function play(files) {
  stop();
  for (const file of files) {
    let recording;
    const mine = newStream();
    status(`reading ${file.name}`);
    try {
      recording = await readRecording(file);
    } catch (error) {
      if (mine === stream) status(error.message, "bad");
      return;
    }
    if (mine !== stream) return; // the user has begun something else meanwhile
    line(`${file.name}:`);
    const samples = betweenPauses(recording.samples, KWS_PAUSES);
    const best = labels.map(() => 0);
    for (let at = 0; at < samples.length; at += BLOCK) {
      status(`${file.name}: ${Math.round((100 * at) / samples.length)} %`, "on");
      give(samples.slice(at, at + BLOCK));
      const tops = await new Promise((resolve) => { answered = resolve; });
      if (mine !== stream) return;
      tops?.forEach((top, i) => { best[i] = Math.max(best[i], top); });
    }
    means = best;
    const seconds = (recording.samples.length / RATE).toFixed(1);
    status(`${file.name}: ${seconds} s ${recording.exact ? "bit for bit" : "resampled by the browser"}; scores are the highest`);
  }
}

// --- what the worker says ----------------------------------------------------------------------

function line(text) {
  const all = $("lines").textContent + `${text}\n`;
  $("lines").textContent = all.split("\n").slice(-MOST_LINES).join("\n");
  $("lines").scrollTop = $("lines").scrollHeight;
}

const kinds = {
  started({ boot, thresholds: values }) {
    bundled = values;
    thresholds = [...values];
    line(boot.trimEnd());
    showThresholds();
    showListen();
    $("open").disabled = false;
    status("ready");
  },
  heard({ stream: of, samples, frames, means: newest, tops, lines }) {
    if (of !== stream) return;
    behind -= samples;
    for (let at = 0; at < frames.length; at += KwsCore.CHANNELS) {
      spectrogram.add(frames.subarray(at, at + KwsCore.CHANNELS));
    }
    means = newest ?? means;
    for (const { text } of lines) {
      line(text);
      const match = HEARD.exec(text);
      if (match) heard(match[1], Number(match[2]), Number(match[3]));
    }
    answered?.(tops);
  },
  problem({ text }) {
    stop();
    status(text, "bad");
  },
};

function heard(label, score, ms) {
  spectrogram.mark();
  $("nothing").hidden = true;
  const item = element("li", "", { class: label === labels[1] ? "unknown" : "" });
  const since = given - (ms * RATE) / 1000; // samples that were given after it
  const end = recent.length - since;
  const clip = recent.slice(Math.max(0, end - CLIP), end);
  const button = element("button", "▶", { "aria-label": `Play what triggered ${label}` });
  button.addEventListener("click", () => {
    URL.revokeObjectURL(player.src);
    player.src = URL.createObjectURL(wavBlob(clip));
    player.play();
  });
  const at = new Date(Date.now() - (1000 * since) / RATE);
  const time = microphone
    ? element("time", at.toTimeString().slice(0, 8), { datetime: at.toISOString() })
    : element("time", `${(ms / 1000).toFixed(1)} s`, { datetime: `PT${ms / 1000}S` });
  const mean = element("span", String(score), { class: "score" });
  mean.append(element("span", ` @${ms} ms`, { class: "at" }));
  item.append(time, element("b", label), mean, button);
  $("heard").prepend(item);
  while ($("heard").children.length > MOST_HEARD) $("heard").lastChild.remove();
}

// --- classes and figures -----------------------------------------------------------------------

function setThreshold(label, value) {
  thresholds[label] = value;
  worker.postMessage({ type: "threshold", label, value });
  showThresholds();
}

function showThresholds() {
  classes.thresholds(thresholds);
  $("reset").disabled = thresholds.every((value, i) => value === bundled[i]);
}

function showFigures(model) {
  const { name, sha256, recognizer, inference_stride: stride } = KWS_BUNDLE;
  const words = labels.slice(2);
  document.title = `kws: ${words.join(", ")}`;
  $("model").textContent = name;
  $("words").textContent = words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words[0];
  const bytes = (count) => `${count.toLocaleString("en")} bytes`;
  const figures = [
    ["model", `${name} ${sha256.slice(0, 8)}, ${bytes(model.length)}`],
    ["arena", bytes(KWS_BUNDLE.arena_bytes)],
    ["ops", KWS_BUNDLE.ops.join(", ")],
    ["runs each", `${20 * stride} ms, mean over ${recognizer.average_window_ms} ms`],
    ["learned from", KWS_BUNDLE.data || "not said"],
    ["written by", `kws ${KWS_BUNDLE.kws}`],
  ];
  $("figures").replaceChildren(...figures.flatMap(([term, text]) => [element("dt", term), element("dd", text)]));
}

let spokenAt = 0;
function picture(now) {
  requestAnimationFrame(picture);
  spectrogram.draw();
  peak *= 0.93;
  const decibel = Math.max(-60, Math.min(0, 20 * Math.log10(peak || 1e-6)));
  $("level").firstChild.style.transform = `scaleX(${1 + decibel / 60})`;
  $("clipped").hidden = now - clippedAt > 1000;
  classes.draw(means, thresholds);
  if (now - spokenAt < 1000) return; // screen readers and figures need no more
  spokenAt = now;
  $("decibel").textContent = `${decibel < 0 ? "−" : ""}${Math.abs(decibel).toFixed(0)} dB`;
  $("level").setAttribute("aria-valuenow", decibel.toFixed(0));
  classes.speak(means);
}

// --- start -------------------------------------------------------------------------------------

function unpack(base64) {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

// A browser has crypto.subtle where the page came over https, from localhost or from a file.
async function checkModel(model) {
  if (!globalThis.crypto?.subtle) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", model));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (hex !== KWS_BUNDLE.sha256) {
    throw new Error(`model.js: its SHA-256 starts ${hex.slice(0, 8)}, the bundle's is ${KWS_BUNDLE.sha256.slice(0, 8)}; it was changed or damaged, so export it again`);
  }
}

async function start() {
  try {
    if (!whole) throw new Error("model.js or core.wasm.js is missing or damaged; export the page again");
    classes.show(labels);
    const model = unpack(KWS_MODEL);
    showFigures(model);
    await checkModel(model);
    worker = startWorker();
    worker.onmessage = ({ data }) => kinds[data.type](data);
    worker.onerror = ({ message }) => kinds.problem({ text: `the core does not run here (${message}); take a newer browser` });
    worker.postMessage({ type: "start", wasm: unpack(KWS_CORE), bundle: KWS_BUNDLE, model });
  } catch (error) {
    status(error.message, "bad");
  }
}

$("listen").addEventListener("click", () => {
  if (!microphone) return listen();
  stop();
  status("stopped");
});
$("open").addEventListener("click", () => $("files").click());
$("files").addEventListener("change", () => {
  const files = [...$("files").files];
  $("files").value = ""; // the same file may be opened again
  play(files);
});
$("reset").addEventListener("click", () => bundled.forEach((value, label) => setThreshold(label, value)));
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("drop");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("drop");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("drop");
  if (!$("open").disabled && event.dataTransfer.files.length) play([...event.dataTransfer.files]);
});
requestAnimationFrame(picture);
start();
