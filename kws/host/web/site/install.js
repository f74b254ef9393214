// SPDX-License-Identifier: Apache-2.0
// Makes the page installable, and keeps a copy of it for use without network (see sw.js). A page that
// was opened as a file has neither, nor has one in another page's frame; a page over http has them only on localhost.
"use strict";

async function keepOffline() {
  try {
    const registration = await navigator.serviceWorker.register("sw.js");
    const replace = () => registration.waiting?.postMessage("replace");
    registration.addEventListener("updatefound", () => {
      registration.installing?.addEventListener("statechange", replace);
    });
    replace();
  } catch { // the browser or the page's host forbids it: the page works with the network only
  }
}

if (location.protocol.startsWith("http") && window.top === window) {
  // Not in index.html: browsers report a manifest that belongs to a local file as an error.
  const link = document.createElement("link");
  link.rel = "manifest";
  link.href = "manifest.json";
  document.head.append(link);
  // After loading, so that a new copy never replaces an old one while its files are still read.
  if (navigator.serviceWorker) addEventListener("load", keepOffline);
}
