// The search of the site. It works from a folder: the index is a script, loaded when it is first needed.
"use strict";

const root = new URL(".", document.currentScript.src);
const box = document.getElementById("search");
const found = document.getElementById("found");

function load() {
  const script = document.createElement("script");
  script.src = new URL("search-index.js", root);
  script.onload = show;
  document.head.append(script);
}

// find returns the parts of pages that have all words, best first. A word in a heading counts most.
function find(words) {
  const hits = [];
  for (const { title, heading, url, text } of searchIndex) {
    const h = (heading || title).toLowerCase(), x = text.toLowerCase();
    if (!words.every((w) => x.includes(w))) continue;
    const score = words.reduce((sum, w) => sum + 30 * h.includes(w) + Math.min(x.split(w).length - 1, 9), 0);
    const at = text.lastIndexOf(" ", x.indexOf(words[0]) - 60) + 1;
    const end = text.indexOf(" ", at + 180);
    hits.push({ score, name: heading ? `${title} · ${heading}` : title, url, excerpt: text.slice(at, end < 0 ? undefined : end) });
  }
  return hits.sort((a, b) => b.score - a.score).slice(0, 12);
}

function show() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  if (found.hidden || typeof searchIndex === "undefined") return;
  const items = find(words).map((hit) => {
    const item = document.createElement("li"), a = document.createElement("a"), p = document.createElement("p");
    a.href = new URL(hit.url, root);
    a.textContent = hit.name;
    p.textContent = hit.excerpt;
    item.append(a, p);
    return item;
  });
  if (items.length === 0) items.push(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
  found.replaceChildren(...items);
}

box.addEventListener("focus", load, { once: true });
box.addEventListener("input", show);
document.addEventListener("keydown", (e) => {
  if (e.key === "Escape") found.hidden = true;
});
