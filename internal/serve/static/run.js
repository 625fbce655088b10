// The page of a run: draws what the server sends.
"use strict";
const run = document.body.dataset.run;
const $ = id => document.getElementById(id);
const height = 205; // of plots
const maxNamed = 12; // chains with a checkbox each

let round = null;  // the last "begin": stride, draws, chains, plots
let xs = [];       // the draw of each point
let chains = [];   // by chain, by plot: values
let shown = [];    // by chain: whether it is drawn
let token = "";
const plots = new Map(); // by figure: {u, data, options}

// axisLabel makes the label of the lower axis.
const axisLabel = text => ({size: 34, label: text, labelSize: 18, labelGap: -4, labelFont: "12px system-ui, sans-serif"});

const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const color = chain => style("--chain-" + chain % 6);

// figure makes a figure with a caption and room for a plot.
function figure(element, caption, label) {
  element.innerHTML = "";
  const text = element.appendChild(document.createElement("figcaption"));
  text.textContent = caption;
  const at = text.appendChild(document.createElement("span"));
  at.className = "soft at";
  const box = element.appendChild(document.createElement("div"));
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", label);
  return {box, at};
}

function axis(more) {
  return {stroke: style("--soft"), grid: {stroke: style("--line"), width: 1}, ticks: {stroke: style("--line"), width: 1}, font: "12px system-ui, sans-serif", ...more};
}

const brief = x => x == null ? "–" : Number(x.toPrecision(4)).toString();

// draw makes a plot in a figure, or shows new data in it. The function options returns those
// of the plot: colours depend on the scheme.
function draw(element, data, options) {
  const old = plots.get(element);
  if (old) {
    old.data = data;
    old.u.setData(data);
    return;
  }
  const o = options();
  const {box, at} = figure(element, o.title, o.label);
  const u = new uPlot({
    width: Math.max(element.clientWidth, 100), height,
    legend: {show: false},
    cursor: {y: false, drag: {x: false, y: false}, points: {show: false}, sync: o.sync && {key: o.sync}},
    scales: {x: {time: false, range: o.x}, y: {range: o.y}},
    axes: [axis({...axisLabel(o.along ?? "draw"), incrs: o.incrs}), axis({size: 58})],
    series: [{}, ...o.series],
    hooks: {
      setCursor: [u => {
        const i = u.cursor.idx;
        at.textContent = i == null || u.data.length > 8 ? "" : ` at ${brief(u.data[0][i])}: ${u.data.slice(1).map(y => brief(y[i])).join(", ")}`;
      }],
      draw: o.lines ? [u => {
        u.ctx.save();
        u.ctx.strokeStyle = style("--soft");
        u.ctx.setLineDash([6, 4]);
        for (const y of o.lines) {
          const at = Math.round(u.valToPos(y, "y", true));
          u.ctx.beginPath();
          u.ctx.moveTo(u.bbox.left, at);
          u.ctx.lineTo(u.bbox.left + u.bbox.width, at);
          u.ctx.stroke();
        }
        u.ctx.restore();
      }] : [],
    },
  }, data, box);
  plots.set(element, {u, data, options});
  resized.observe(element);
}

const resized = new ResizeObserver(entries => {
  for (const e of entries) {
    const p = plots.get(e.target), width = Math.floor(e.contentRect.width);
    if (p && width > 0 && width !== p.u.width) p.u.setSize({width, height});
  }
});

// forget removes a plot.
function forget(element) {
  resized.unobserve(element);
  plots.get(element)?.u.destroy();
  plots.delete(element);
}

// again makes all plots anew.
function again() {
  for (const [element, {data, options}] of [...plots]) {
    forget(element);
    draw(element, data, options);
  }
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

// allDraws is the range of draws: of the round, or a half, a quarter and so on of it if that
// holds the draws so far.
function allDraws() {
  const last = xs.length * round.stride;
  let end = Math.max(round.draws, 2);
  while (end / 2 >= Math.max(last, 25)) end /= 2;
  return [1, end];
}

// begin starts over, with other plots if there are other quantities or chains.
function begin(message) {
  const same = round && JSON.stringify([round.plots, round.chains]) === JSON.stringify([message.plots, message.chains]);
  round = message;
  xs = [];
  chains = Array.from({length: round.chains}, () => round.plots.map(() => []));
  if (!same) {
    for (const element of [...plots.keys()]) forget(element);
    $("traces").innerHTML = "";
    for (const p of round.plots) $("traces").appendChild(document.createElement("figure"));
    legend();
  }
  points(round.points);
}

function waiting(is) {
  $("draws").hidden = is;
  $("waiting").hidden = !is;
}

function legend() {
  shown = Array(round.chains).fill(true);
  const box = $("chains");
  box.querySelectorAll("label, span").forEach(e => e.remove());
  if (round.chains > maxNamed) {
    box.appendChild(document.createElement("span")).textContent = `${round.chains} chains in six colours`;
    return;
  }
  for (let c = 0; c < round.chains; c++) {
    const label = box.appendChild(document.createElement("label"));
    const input = label.appendChild(document.createElement("input"));
    input.type = "checkbox";
    input.checked = true;
    input.addEventListener("change", () => {
      shown[c] = input.checked;
      for (const figure of $("traces").children) plots.get(figure)?.u.setSeries(c + 1, {show: shown[c]});
    });
    const line = label.appendChild(document.createElement("span"));
    line.className = "line chain-" + c % 6;
    label.append(`chain ${c + 1}`);
  }
}

function points(message) {
  message.values.forEach((of, c) => of.forEach((values, q) => {
    const all = chains[c][q];
    all.length = message.from[c];
    for (const x of values || []) all.push(x);
  }));
  const length = Math.max(...chains.map(of => of[0].length));
  while (xs.length < length) xs.push(xs.length * round.stride + 1);
  waiting(length === 0);
  if (length === 0) return;
  round.plots.forEach((p, q) => {
    const data = [xs, ...chains.map(of => of[q].length === length ? of[q] : [...of[q], ...Array(length - of[q].length).fill(null)])];
    draw($("traces").children[q], data, () => ({
      title: p.label, sync: "traces", x: allDraws,
      label: `Trace of ${p.label} in all chains; the table of quantities has its median, interval, R-hat and ESS`,
      series: chains.map((_, c) => ({stroke: color(c) + "b0", width: 1, points: {show: false}, show: shown[c]})),
    }));
  });
  counts();
}

// counts draws how often each number of features occurs.
function counts() {
  const q = round.plots.findIndex(p => p.key === "n_features");
  if (q < 0) return;
  const times = new Map();
  let all = 0;
  for (const of of chains) for (const k of of[q]) {
    times.set(k, (times.get(k) || 0) + 1);
    all++;
  }
  const least = Math.min(...times.keys()), most = Math.max(...times.keys());
  const x = [], y = [];
  for (let k = least; k <= most; k++) {
    x.push(k);
    y.push((times.get(k) || 0) / all);
  }
  draw($("counts"), [x, y], () => ({
    title: "Share of the draws with each number of features",
    label: "Share of the draws with each number of features",
    along: "features", incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
    x: (u, low, high) => [low - 1, high + 1], y: (u, low, high) => [0, Math.max(high, 0.01) * 1.05],
    series: [{stroke: color(0), fill: color(0) + "60", width: 1, paths: uPlot.paths.bars({size: [0.7, 40]}), points: {show: false}}],
  }));
}

function check(checks) {
  $("line").textContent = checks.line;
  $("checks").innerHTML = checks.html;
  if (!checks.draws) {
    for (const figure of [$("rhat"), $("ess")]) {
      forget(figure);
      figure.innerHTML = "";
    }
    return;
  }
  const points = {show: true, size: 4};
  draw($("rhat"), [checks.draws, checks.rHat], () => ({
    title: "Largest R-hat of the first draws", label: "Largest R-hat of the first draws, which must be at most 1.01", lines: [1.01], x: allDraws,
    y: (u, low, high) => [1, Math.min(Math.max(1.03, (high ?? 1) * 1.01), 3)],
    series: [{stroke: color(1), width: 2, points}],
  }));
  draw($("ess"), [checks.draws, checks.ess], () => ({
    title: "Smallest ESS of the first draws", label: "Smallest effective sample size of the first draws, which must be at least 400", lines: [400], x: allDraws,
    y: (u, low, high) => [0, Math.max(500, (high ?? 0) * 1.05)],
    series: [{stroke: color(0), width: 2, points}],
  }));
}

function state(message) {
  token = message.token || token;
  $("badge").className = "badge " + message.state;
  $("badge").textContent = message.state;
  if ($("text").textContent !== message.text) $("text").textContent = message.text;
  $("progress").hidden = !message.total;
  $("progress").max = message.total || 1;
  $("progress").value = message.done;
  $("stop").hidden = !message.stop;
  $("stop").disabled = false;
  $("resume").hidden = !message.resume;
  $("resume").disabled = false;
  $("resume").textContent = message.resume || "";
  complain(message.alert || "");
}

function complain(text) {
  $("alert").textContent = text;
  $("alert").hidden = !text;
}

async function act(what) {
  $(what).disabled = true;
  try {
    const answer = await fetch("/" + what, {method: "POST", headers: {"X-Aibd-Token": token}, body: new URLSearchParams({run})});
    if (answer.ok) return;
    complain(await answer.text());
  } catch {
    complain("The server does not answer.");
  }
  $(what).disabled = false;
}
$("stop").addEventListener("click", () => act("stop"));
$("resume").addEventListener("click", () => act("resume"));

let source;
function connect() {
  source = new EventSource("/events?" + new URLSearchParams({run}));
  for (const [name, handle] of Object.entries({begin, points, checks: check, state, found: html => {
    $("found").hidden = !html.trim();
    $("follows").hidden = !$("found").hidden;
    $("found").querySelector("div").innerHTML = html;
  }})) source.addEventListener(name, e => handle(JSON.parse(e.data)));
  source.onopen = () => { $("connection").textContent = ""; };
  source.onerror = () => { $("connection").textContent = "The server does not answer; the page tries again."; };
}
connect();
// A browser allows few connections to a server: pages that nobody sees have none.
document.addEventListener("visibilitychange", () => {
  source.close();
  if (!document.hidden) connect();
});
