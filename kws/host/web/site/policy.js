// SPDX-License-Identifier: Apache-2.0
// Finds out whether an error is due to a Content-Security-Policy of the page's host, so that the
// message can name the missing permission.
"use strict";

const NEEDS = {
  core: ["the core's thread", "worker-src blob:"],
  wasm: ["WebAssembly", "script-src 'wasm-unsafe-eval'"],
  worklet: ["the microphone's thread", "script-src data:"],
  clip: ["the sound of a word", "media-src blob:"],
  live: ["the connection to kws listen", "connect-src 'self'"],
};

const VIOLATION_MS = 200; // the browser may report it after the error that it causes

const OPTIONAL = /\/(sw\.js|manifest\.json|icon-\d+\.png)$/; // without these, the page works

let violations = 0;
document.addEventListener("securitypolicyviolation", ({ disposition, blockedURI }) => {
  if (disposition === "enforce" && !OPTIONAL.test(blockedURI)) violations += 1;
});

// The message if the policy does not allow something (a key of NEEDS).
function policyLine(what) {
  const [name, needs] = NEEDS[what];
  return `the page's host forbids ${name}: its Content-Security-Policy lacks ${needs}; `
    + "add what docs/live.md lists, or use kws on this machine";
}

// The policy's message if it was violated since `before` (a value of `violations`), else `text`.
async function reasonOf(what, before, text) {
  await new Promise((resolve) => { setTimeout(resolve, VIOLATION_MS); });
  return violations > before ? policyLine(what) : text;
}
