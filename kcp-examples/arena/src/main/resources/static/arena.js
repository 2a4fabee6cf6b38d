"use strict";

const byId = id => document.getElementById(id);
const world = new WorldCanvas(byId("world"));
const charts = [
  ["chart-rtt", "Round trip", "ms", [["median", "one", s => s.rttP50Ms], ["p99", "two", s => s.rttP99Ms]]],
  ["chart-loss", "Loss", "%", [["snapshots", "one", s => s.snapshotLossPercent], ["segments", "two", s => s.segmentLossPercent]]],
  ["chart-retransmissions", "Recovery", "/s", [["retransmitted", "one", s => s.retransmissionsPerSecond], ["by FEC", "two", s => s.recoveredPerSecond]]],
  ["chart-sessions", "Sessions", "", [["open", "one", s => s.sessions], ["players", "two", s => s.players]]],
  ["chart-messages", "Messages", "/s", [["delivered", "one", s => s.messagesPerSecond], ["sent", "two", s => s.saidPerSecond]]],
  ["chart-traffic", "Traffic", "kB/s", [["out", "one", s => s.bytesOutPerSecond / 1000], ["in", "two", s => s.bytesInPerSecond / 1000]]],
].map(chart => lineChart("charts", chart));
const orders = {
  rttMs: "with the longest round trips",
  lossPercent: "with the highest loss in the last second",
  retransmissions: "with the most retransmissions",
};
const ROWS = 12;

function lineChart(parent, [id, title, unit, curves]) {
  return new LineChart(byId(parent), id, title, unit, curves.map(([name, color, of]) => ({name, color, of})));
}

let worldSource = null;
let order = "rttMs";
let newestSample = null;
let wantedRoom = "";
let lastSampleMs = 0;
let lastEventAt = 0;
let refused = false;

/** EventSource reconnects after most failures, but not after a refusal. */
function listen(url, onMessage, keep) {
  const source = new EventSource(url);
  source.onmessage = event => {
    lastEventAt = performance.now();
    onMessage(JSON.parse(event.data));
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) {
      source.onerror = null;
      refused = true;
      setTimeout(() => listen(url, onMessage, keep), 1000);
    }
  };
  keep(source);
}

function setText(id, text) {
  byId(id).textContent = text;
}

function bytes(count) {
  return count >= 1e6 ? [(count / 1e6).toFixed(count < 1e7 ? 2 : 1), "MB"] : count >= 1e3 ? [(count / 1e3).toFixed(count < 1e4 ? 1 : 0), "kB"] : [String(Math.round(count)), "B"];
}

function age(seconds) {
  return seconds < 60 ? seconds + " s" : seconds < 3600 ? Math.floor(seconds / 60) + " min" : Math.floor(seconds / 3600) + " h";
}

function showSample(sample) {
  if (sample.timeMs <= lastSampleMs) {
    return;
  }
  lastSampleMs = sample.timeMs;
  charts.forEach(chart => chart.add(sample));
  scheduleDraw(sample);
}

/** The samples of the last minutes arrive in one burst, which is drawn once. */
let scheduled = null;
function scheduleDraw(sample) {
  if (!scheduled) {
    setTimeout(() => {
      showNow(scheduled);
      scheduled = null;
    }, 30);
  }
  scheduled = sample;
}

function showNow(sample) {
  charts.forEach(chart => chart.draw());
  setText("gateway", sample.gateway);
  setText("tile-players", sample.players);
  setText("tile-rooms", sample.rooms);
  setText("tile-rtt", sample.rttP50Ms);
  setText("tile-rtt99", sample.rttP99Ms + " ms");
  setText("tile-loss", LineChart.format(sample.snapshotLossPercent));
  setText("tile-snapshots", LineChart.format(sample.snapshotsPerSecond));
  setText("tile-retransmissions", LineChart.format(sample.retransmissionsPerSecond));
  setText("tile-recovered", LineChart.format(sample.recoveredPerSecond));
  setText("tile-messages", LineChart.format(sample.messagesPerSecond));
  setText("tile-said", LineChart.format(sample.saidPerSecond));
  const [out, unit] = bytes(sample.bytesOutPerSecond);
  setText("tile-out", out);
  setText("tile-out-unit", unit);
  setText("tile-in", bytes(sample.bytesInPerSecond).join(" "));
  newestSample = sample;
  showSessions();
}

function showSessions() {
  const body = byId("sessions");
  const sessions = [...newestSample.top].sort((a, b) => b[order] - a[order] || (a.player < b.player ? -1 : 1)).slice(0, ROWS);
  while (body.rows.length > sessions.length) {
    body.deleteRow(-1);
  }
  while (body.rows.length < sessions.length) {
    const row = body.insertRow();
    for (let i = 0; i < 8; i++) {
      row.insertCell();
    }
  }
  sessions.forEach((session, index) => {
    const row = body.rows[index];
    [session.player, session.room, session.rttMs, session.lossPercent.toFixed(1), session.retransmissions, session.bytesPerSecond.toLocaleString("en"),
      session.waiting, age(session.ageSeconds)].forEach((text, i) => row.cells[i].textContent = text);
    row.cells[2].className = session.rttMs > 150 ? "high" : "";
    row.cells[3].className = session.lossPercent > 5 ? "high" : "";
  });
}

function showWorld(live) {
  if (byId("world-name").textContent !== live.room) {
    world.clear();
    setText("world-name", live.room);
  }
  world.show(live.view);
  setText("tick", `tick ${live.view.tick}`);
  byId("tick").dataset.tick = live.view.tick;
  showRooms(live);
  showScores(live.view);
}

function showRooms(live) {
  const select = byId("room");
  if ([...select.options].map(option => option.value).join() !== live.rooms.join()) {
    select.replaceChildren(...live.rooms.map(room => new Option(room, room)));
  }
  if (document.activeElement !== select) {
    select.value = live.room;
  }
}

let scoresShownAt = 0;
function showScores(view) {
  if (performance.now() - scoresShownAt < 500) {
    return;
  }
  scoresShownAt = performance.now();
  const best = [...view.players].sort((a, b) => b.score - a.score || a.id - b.id).slice(0, 32);
  byId("scores").replaceChildren(...best.map(player => {
    const item = document.createElement("li");
    const dot = document.createElement("i");
    dot.style.background = WorldCanvas.colorOf(player.id);
    const who = document.createElement("span");
    who.className = "who";
    who.textContent = world.nameOf(player.id) || "…";
    const points = document.createElement("span");
    points.className = "points";
    points.textContent = player.score;
    item.append(dot, who, points);
    return item;
  }));
  const list = byId("scores");
  while (list.lastChild && list.scrollHeight > list.clientHeight) {
    list.lastChild.remove();
  }
}

function watchWorld() {
  worldSource?.close();
  world.clear();
  listen("live/world" + (wantedRoom ? "?room=" + encodeURIComponent(wantedRoom) : ""), showWorld, source => worldSource = source);
}

document.querySelectorAll("th button").forEach(button => button.addEventListener("click", () => {
  order = button.dataset.order;
  document.querySelectorAll("th button").forEach(other =>
    other === button ? other.parentElement.setAttribute("aria-sort", "descending") : other.parentElement.removeAttribute("aria-sort"));
  setText("order", orders[order]);
  if (newestSample) {
    showSessions();
  }
}));

byId("room").addEventListener("change", event => {
  wantedRoom = event.target.value;
  event.target.blur();
  watchWorld();
});

/** Shows the link of the bots and what they measured; hidden where there is no demo. */
async function showLink(request) {
  try {
    const answer = await fetch(...request);
    byId("demo").hidden = !answer.ok;
    if (!answer.ok) {
      return answer.status !== 404;
    }
    const link = await answer.json();
    select(byId("link-loss"), link.lossPercent, `${link.lossPercent} %`);
    select(byId("link-delay"), link.delayMs, `${link.delayMs}–${Math.floor(link.delayMs * 1.5)} ms`);
    byId("link-fec").checked = link.fec;
    [["with-fec", link.withFec, link.fec], ["without-fec", link.withoutFec, !link.fec]].forEach(([id, measured, on]) => {
      const row = byId(id);
      row.className = on ? "on" : "";
      const values = measured?.rtt.count ? [measured.rtt.p50, measured.rtt.p90, measured.rtt.p99, measured.gaps.p99] : [];
      for (let i = 0; i < 4; i++) {
        row.cells[i + 1].textContent = values.length ? Math.round(values[i]) + " ms" : "–";
      }
    });
    return true;
  } catch (stopped) {
    return true;
  }
}

function select(list, value, text) {
  if (![...list.options].some(option => Number(option.value) === value)) {
    list.append(new Option(text, value));
  }
  if (document.activeElement !== list) {
    list.value = value;
  }
}

let changing = false;
byId("link").addEventListener("change", async () => {
  changing = true;
  setText("link-state", "the bots reconnect …");
  document.activeElement.blur();
  const query = `loss=${byId("link-loss").value}&delay=${byId("link-delay").value}&fec=${byId("link-fec").checked}`;
  await showLink(["demo?" + query, {method: "POST"}]);
  setText("link-state", "");
  changing = false;
});

async function pollLink() {
  if (changing || await showLink(["demo"])) {
    setTimeout(pollLink, 1000);
  }
}

setInterval(() => {
  const live = lastEventAt > 0 && performance.now() - lastEventAt < 2500;
  const state = byId("state");
  state.textContent = live ? "live" : lastEventAt > 0 ? "lost, trying again" : refused ? "refused, trying again" : "connecting";
  state.className = "state " + (live ? "live" : lastEventAt > 0 ? "lost" : "");
}, 250);

async function begin() {
  for (;;) {
    try {
      world.ground = await (await fetch("live/ground")).json();
      break;
    } catch (notYet) {
      await new Promise(again => setTimeout(again, 1000));
    }
  }
  pollLink();
  watchWorld();
  listen("live/samples", showSample, () => {});
}
begin();
