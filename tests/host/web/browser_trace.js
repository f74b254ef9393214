// SPDX-License-Identifier: Apache-2.0
// Runs an exported page's own scripts in Node.js: the core's results for WAV files, as JSON.
// node browser_trace.js PAGE BLOCK CLIP.wav...   (BLOCK: samples for each call of hear)
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const [page, block, ...files] = process.argv.slice(2);
const scripts = ["model.js", "core.wasm.js", "core.js", "recording.js"];
const text = scripts.map((name) => fs.readFileSync(path.join(page, name), "utf8").replace('"use strict";', "")).join("\n");
const names = "KWS_BUNDLE, KWS_MODELS, KWS_CORE, KWS_ROOM, KwsCore, exactSamples, withRoom";
const it = new Function(`"use strict"; ${text}\nreturn {${names}};`)();

function attempt(work) {
  try {
    return work();
  } catch (error) {
    return { problem: error.message };
  }
}

function hear(core, buffer) {
  const clip = it.exactSamples(buffer, core.rate);
  if (clip === null) return { problem: "not exact" };
  const samples = it.withRoom(clip, it.KWS_ROOM);
  core.reset();
  const hops = [];
  for (let at = 0; at < samples.length; at += Number(block)) {
    hops.push(...core.hear(samples.subarray(at, at + Number(block))));
  }
  const ran = hops.filter((hop) => hop.scores);
  return {
    text: hops.map((hop) => hop.text).join(""),
    words: hops.filter(({ word }) => word).map(({ ms, word }) => [word.label, word.score, ms]),
    times: ran.map((hop) => hop.ms),
    scores: ran.map((hop) => [...hop.scores]),
    means: ran.length ? ran.at(-1).means : [],
    looks: hops.filter((hop) => hop.looked).map(({ ms, looked }) => [ms, looked]),
    frames: hops.filter((hop) => hop.frame).map((hop) => [...hop.frame]),
  };
}

const models = it.KWS_MODELS.map((model) => Buffer.from(model, "base64"));
const result = attempt(() => {
  const core = new it.KwsCore(Buffer.from(it.KWS_CORE, "base64"));
  const boot = core.start(it.KWS_BUNDLE, models);
  const clips = files.map((file) => attempt(() => {
    const bytes = fs.readFileSync(file);
    return hear(core, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }));
  return { boot, thresholds: core.thresholds(), clips };
});
process.stdout.write(JSON.stringify(result));
