// The list of runs: rows come from the server, this script puts them in order and filters.
"use strict";
const body = document.querySelector("#runs tbody");
const rows = new Map();
const filter = document.getElementById("filter");
const show = (id, shown) => { document.getElementById(id).hidden = !shown; };

function filtered() {
  const text = filter.value.toLowerCase();
  for (const row of rows.values()) row.hidden = !row.textContent.toLowerCase().includes(text);
}

function update(list) {
  for (const [name, html] of Object.entries(list.rows)) {
    if (!rows.has(name)) rows.set(name, document.createElement("tr"));
    const row = rows.get(name), focused = row.contains(document.activeElement);
    row.innerHTML = html;
    if (focused) row.querySelector("a").focus();
  }
  const kept = new Set(list.order);
  for (const [name, row] of rows) {
    if (!kept.has(name)) {
      row.remove();
      rows.delete(name);
    }
  }
  list.order.forEach((name, i) => {
    if (body.children[i] !== rows.get(name)) body.insertBefore(rows.get(name), body.children[i] || null);
  });
  show("runs", list.order.length > 0);
  show("empty", list.order.length === 0);
  show("cut", list.cut);
  filtered();
}

let source;
function connect() {
  source = new EventSource("/events");
  source.addEventListener("list", e => update(JSON.parse(e.data)));
  const connection = document.getElementById("connection");
  source.onopen = () => { connection.textContent = ""; };
  source.onerror = () => { connection.textContent = "The server does not answer; the page tries again."; };
}
connect();
filter.addEventListener("input", filtered);
// A browser allows few connections to a server: pages that nobody sees have none.
document.addEventListener("visibilitychange", () => {
  source.close();
  if (!document.hidden) connect();
});
