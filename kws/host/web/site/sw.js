// The page's service worker: keeps a copy of all files, so that the page starts without network.
//
// A copy belongs to one version of the page, a digest of all files. The page asks for its files with
// this version (app.js?v=VERSION), and the copy answers only requests for its own. So a page never
// runs with a model or a script of another version. index.html itself comes from the network if
// there is one: a page that was exported again is seen at once.
"use strict";

const OWN = `kws ${registration.scope} `; // a site may have several pages
const COPY = OWN + KWS_VERSION;
const NETWORK_MS = 3000; // without an answer after this time, the copy is used

// If one file is missing or has another content, such as in the middle of an upload, nothing is kept.
async function fill() {
  const files = Object.entries(KWS_FILES).map(
    ([name, integrity]) => new Request(name, { cache: "reload", integrity }));
  await (await caches.open(COPY)).addAll(files);
}

async function removeOld() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(OWN) && name !== COPY).map((name) => caches.delete(name)));
}

async function kept(what) {
  return (await caches.open(COPY)).match(what, { ignoreVary: true });
}

// Made again from its content: browsers refuse a page whose request a host had redirected.
async function keptPage() {
  const page = await kept("index.html");
  return page && new Response(page.body, page);
}

async function page(request) {
  // Not from the browser's cache, which may have the page of a version without that version's files.
  const fresh = fetch(request, { cache: "no-cache" }).then((answer) => (answer.status < 500 ? answer : null), () => null);
  const late = new Promise((resolve) => { setTimeout(resolve, NETWORK_MS, null); });
  return await Promise.race([fresh, late]) ?? await keptPage() ?? await fresh ?? Response.error();
}

// Removes the old copy at once if only one page is open, which has loaded all its files.
async function replaceOld() {
  if ((await clients.matchAll({ includeUncontrolled: true })).length === 1) skipWaiting();
}

addEventListener("install", (event) => event.waitUntil(fill()));
addEventListener("activate", (event) => event.waitUntil(removeOld()));
addEventListener("message", (event) => event.waitUntil(replaceOld()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.mode === "navigate") {
    const place = origin + pathname;
    if ([registration.scope, `${registration.scope}index.html`].includes(place)) event.respondWith(page(request));
  } else if (search === `?v=${KWS_VERSION}`) {
    event.respondWith(kept(request).then((file) => file ?? fetch(request)));
  }
});
