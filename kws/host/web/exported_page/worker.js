// The core in a thread of its own, so that a slow model does not stop the page. The page makes the
// worker of this text and KwsCore's: a page that was opened as a file may load no other script.
"use strict";

// Messages in: {type: "start", wasm, bundle, model}; {type: "hear", stream, samples};
// {type: "reset", stream}; {type: "threshold", label, value}; {type: "thresholds"}.
// Out: {type: "started", boot, thresholds}; {type: "heard", stream, samples, ms, frames, means,
// tops, lines} for each "hear"; {type: "problem", text}.
function kwsWorker() {
  let core = null;

  const handlers = {
    start({ wasm, bundle, model }) {
      core = new KwsCore(wasm);
      const boot = core.start(bundle, model);
      postMessage({ type: "started", boot, thresholds: core.thresholds() });
    },
    reset() {
      core.reset();
    },
    threshold({ label, value }) {
      core.setThreshold(label, value);
    },
    hear({ stream, samples }) {
      const hops = core.hear(samples);
      const frames = hops.filter((hop) => hop.frame);
      const columns = new Uint8Array(frames.length * KwsCore.CHANNELS);
      frames.forEach(({ frame }, i) => {
        frame.forEach((value, j) => { columns[i * KwsCore.CHANNELS + j] = value + 128; });
      });
      const means = hops.map((hop) => hop.means).filter(Boolean);
      postMessage({
        type: "heard",
        stream,
        samples: samples.length,
        frames: columns,
        means: means.at(-1) ?? null,
        tops: means.length ? core.labels.map((_, i) => Math.max(...means.map((row) => row[i]))) : null,
        lines: hops.filter((hop) => hop.text).map(({ ms, text }) => ({ ms, text: text.trimEnd() })),
      });
    },
  };

  onmessage = ({ data }) => {
    try {
      handlers[data.type](data);
    } catch (error) {
      postMessage({ type: "problem", text: error.message });
    }
  };
}

function startWorker() {
  const text = `"use strict";\n${KwsCore}\n(${kwsWorker})();`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  return new Worker(url);
}
