// SPDX-License-Identifier: Apache-2.0
// Runs the core in its own thread, so that a slow model does not block the page. The worker is made
// from the source text of kwsWorker and KwsCore, because a page opened as a file cannot load the file
// of a worker.
"use strict";

// Messages in: {type: "start", wasm, bundle, models}; {type: "hear", stream, samples};
// {type: "reset"}; {type: "threshold", label, value}.
// Out: {type: "started", rate, hop, boot}; for each "hear" {type: "heard", stream, samples (their
// number), frames (bytes, 0 to 255), means (the newest; null: no model ran), tops (the
// highest mean of each label, or null), looks (scores of each second look), lines,
// words ({label, score, ms})}; {type: "problem", text, forbidden} (a key of NEEDS in policy.js if the
// page's policy is the cause, else null).
function kwsWorker() {
  let core = null;

  const handlers = {
    start({ wasm, bundle, models }) {
      core = new KwsCore(wasm);
      const boot = core.start(bundle, models);
      postMessage({ type: "started", rate: core.rate, hop: core.hop, boot });
    },
    reset() {
      core.reset();
    },
    threshold({ label, value }) {
      core.setThreshold(label, value);
    },
    hear({ stream, samples }) {
      const hops = core.hear(samples);
      const frames = hops.flatMap(({ frame }) => (frame ? [...frame] : []));
      const means = hops.map((hop) => hop.means).filter(Boolean);
      postMessage({
        type: "heard",
        stream,
        samples: samples.length,
        frames: Uint8Array.from(frames, (value) => value + 128),
        means: means.at(-1) ?? null,
        tops: means.length ? core.labels.map((_, label) => Math.max(...means.map((row) => row[label]))) : null,
        looks: hops.map(({ looked }) => looked).filter(Boolean),
        lines: hops.flatMap(({ text }) => text.split("\n").filter(Boolean)),
        words: hops.filter(({ word }) => word).map(({ ms, word }) => ({ ms, ...word })),
      });
    },
  };

  onmessage = ({ data }) => {
    try {
      handlers[data.type](data);
    } catch (error) {
      // For an error due to the policy, browsers use one of WebAssembly's own error names.
      const isPolicy = /Content.Security.Policy|\bCSP\b|unsafe-eval/i.test(error.message);
      postMessage({ type: "problem", text: error.message, forbidden: isPolicy ? "wasm" : null });
    }
  };
}

function startWorker() {
  const text = `"use strict";\n${KwsCore}\n(${kwsWorker})();`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return new Worker(url);
}
