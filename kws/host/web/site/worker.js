// SPDX-License-Identifier: Apache-2.0
// Runs the core in its own thread, so that a slow model does not block the page. The worker is made
// from the source text of kwsWorker and KwsCore, because a page opened as a file cannot load the file
// of a worker.
"use strict";

// Messages in: {type: "start", wasm, bundle, models}; {type: "hear", stream, samples,
// isEnd (no more sound follows)}; {type: "reset"}; {type: "threshold", label, value}.
// Out: {type: "started", rate, hop, boot, nearDelay}; for each "hear" {type: "heard", stream, samples (their
// number), frames (bytes, 0 to 255), lines, hops ({ms, means, looked, word, near}, see KwsCore.hear),
// lastNear (near misses that are certain at the end)};
// {type: "problem", text, forbidden} (a key of NEEDS in policy.js if the page's policy is the cause,
// else null).
function kwsWorker() {
  let core = null;

  const handlers = {
    start({ wasm, bundle, models }) {
      core = new KwsCore(wasm);
      const boot = core.start(bundle, models);
      postMessage({ type: "started", rate: core.rate, hop: core.hop, boot, nearDelay: core.nearDelay });
    },
    reset() {
      core.reset();
    },
    threshold({ label, value }) {
      core.setThreshold(label, value);
    },
    hear({ stream, samples, isEnd }) {
      const hops = core.hear(samples);
      const frames = hops.flatMap(({ frame }) => (frame ? [...frame] : []));
      postMessage({
        type: "heard",
        stream,
        samples: samples.length,
        frames: Uint8Array.from(frames, (value) => value + 128),
        lines: hops.flatMap(({ text }) => text.split("\n").filter(Boolean)),
        hops: hops.map(({ ms, means, looked, word, near }) => ({ ms, means, looked, word, near })),
        lastNear: isEnd ? core.near(true) : [],
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
