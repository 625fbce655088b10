// Every second a page asks for itself, and replaces its live parts that changed.
"use strict";
const last = new Map(); // HTML of the parts, as the server sent it
for (const part of document.querySelectorAll(".live")) last.set(part.id, part.innerHTML);

async function replace(part, html) {
  if (last.get(part.id) === html) return;
  const next = document.createElement("div");
  next.innerHTML = html;
  // Pictures are loaded before they are shown: the page does not jump.
  await Promise.all([...next.querySelectorAll("img:not([loading])")].map(image => image.decode().catch(() => {})));
  const link = part.contains(document.activeElement) && document.activeElement.getAttribute("href");
  part.replaceChildren(...next.childNodes);
  last.set(part.id, html);
  if (link) part.querySelector(`[href="${CSS.escape(link)}"]`)?.focus();
}

function tell(text) {
  const connection = document.getElementById("connection");
  if (connection.textContent !== text) connection.textContent = text;
  connection.hidden = !text;
}

async function look() {
  if (document.hidden) return;
  let answer;
  try {
    answer = await fetch(location.href);
  } catch {
    tell("The server does not answer; the page tries again.");
    return;
  }
  const text = await answer.text();
  if (!answer.headers.get("Content-Type").startsWith("text/html")) {
    tell(text);
    return;
  }
  tell("");
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const part of document.querySelectorAll(".live")) {
    const next = page.getElementById(part.id);
    if (next) await replace(part, next.innerHTML);
  }
}

(async () => {
  for (;;) {
    await new Promise(later => setTimeout(later, 1000));
    await look().catch(error => console.error(error));
  }
})();
