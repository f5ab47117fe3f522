// SPDX-License-Identifier: BSD-2-Clause
// Fills the page. All that comes from the fabric becomes text nodes or attributes of nodes that an
// XML parser made, never HTML.
"use strict";

const STATE_MS = 10000, TIMEOUT_MS = 8000, EVENTS_MAX = 100, KEPT_MAX = 1000;
const $ = (id) => document.getElementById(id);
let heard = 0, mapVersion = null, mapAlarms = "", mapTurns = 0, lastNumber = 0, asking = null, again = false, shown = [];

function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content.filter((one) => one !== null && one !== ""));
  return made;
}

function fill(id, ...content) {
  $(id).replaceChildren(...content);
}

function plural(number, word) {
  return `${number.toLocaleString()} ${word}${number === 1 ? "" : "s"}`;
}

function age(iso, now) {
  const s = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor(s % 86400 / 3600)} h`;
}

// As ibtrapctl and the logs write it; the title has the time here.
function clock(iso) {
  const made = element("time", "", `${iso.slice(0, 19)}Z`);
  made.dateTime = iso;
  made.title = new Date(iso).toLocaleString([], { dateStyle: "medium", timeStyle: "long" });
  return made;
}

function severityClass(severity) {
  if (["emergency", "alert", "critical", "error"].includes(severity)) return "bad";
  return severity === "warning" ? "warn" : "";
}

const endName = (end) => (end.name || end.guid) + (end.port ? ` port ${end.port}` : "");

const endNames = (alarm) => alarm.ends.map(endName).join(" ↔ ");
const placeName = (end) => (end.name || end.guid) + (end.port ? `/${end.port}` : "");

// Leads to all that the page has about the end.
function endLink(end) {
  const link = element("a", "", endName(end));
  link.href = `#${encodeURIComponent(placeName(end))}`;
  return link;
}

function mapButton(alarm) {
  const button = element("button", "small", "On the map");
  button.type = "button";
  button.addEventListener("click", () => showPlace(alarm.ends.map((one) => one.guid)));
  return button;
}

// Why nobody has to look at the alarm now, and how many alarms follow from it.
function alarmNotes(alarm, now) {
  const shelved = alarm.shelved_until !== null && Date.parse(alarm.shelved_until) > now;
  return [
    alarm.consequences ? element("p", "follow", `and ${plural(alarm.consequences, "alarm")} that follow${alarm.consequences === 1 ? "s" : ""}`) : "",
    alarm.acknowledged !== null ? element("p", "soft", `Acknowledged${alarm.acknowledged_by ? ` by ${alarm.acknowledged_by}` : ""}${alarm.note ? `: ${alarm.note}` : ""}`) : "",
    shelved ? element("p", "soft", "Shelved until ", clock(alarm.shelved_until)) : "",
    alarm.suppressed && alarm.suppressed !== "shelved" ? element("p", "soft", `Receivers are not told: ${alarm.suppressed}`) : ""];
}

function alarmCard(alarm, now) {
  const kind = severityClass(alarm.severity);
  const calm = alarm.standing === "handled" || alarm.standing === "maintenance";
  const card = element("li", `${kind}${calm ? " calm" : ""}`,
    element("p", "top", element("span", `badge ${kind}`, alarm.severity),
      element("span", "soft", `for ${age(alarm.raised, now)}, since `, clock(alarm.raised))),
    alarm.ends.length ? element("p", "ends", ...alarm.ends.flatMap((one, i) => [i ? " ↔ " : "", endLink(one)])) : "",
    element("p", "", alarm.text), alarm.remedy ? element("p", "remedy", alarm.remedy) : "", ...alarmNotes(alarm, now),
    element("p", "soft", `${alarm.event} · alarm ${alarm.number}${alarm.count > 1 ? ` · raised ${alarm.count} times` : ""} `,
      alarm.ends.length ? mapButton(alarm) : ""));
  card.dataset.number = alarm.number;
  return card;
}

function showAlarms(state, now) {
  const total = Object.values(state.health.alarms).reduce((sum, one) => sum + one, 0);
  const causes = state.alarms.length + state.alarms_left_out;
  $("alarm-count").textContent = causes.toLocaleString() + (total > causes ? `, and ${(total - causes).toLocaleString()} that follow` : "");
  fill("alarms", ...state.alarms.map((one) => alarmCard(one, now)));
  $("alarms-note").textContent = total === 0 ? "None."
    : state.alarms_left_out ? `The ${state.alarms.length} worst of ${causes.toLocaleString()}; ibtrapctl alarms --all lists all.` : "";
}

const VERDICTS = {
  gateway: { ok: "The gateway works", warning: "The gateway works, but look", critical: "The gateway is in trouble" },
  fabric: { ok: "The fabric is well", warning: "The fabric works, but look", critical: "The fabric is in trouble" } };

const FURTHER_MAX = 5;

// Names the further alarms, if they are few. The findings begin with the first alarm.
function findingsOf(verdict, alarms) {
  const further = alarms.filter((one) => one.standing === "open").slice(1);
  return further.length === 0 || further.length > FURTHER_MAX ? verdict.findings.map((one) => one.sentence)
    : verdict.findings.map((one) => one.sentence).filter((one) => !one.startsWith("further alarms"))
      .concat(further.map((one) => `${one.severity}: ${one.ends.length ? `${endNames(one)}, ` : ""}${one.event}`));
}

// A verdict has its findings, or else its line.
function verdictCard(about, verdict, alarms) {
  const findings = findingsOf(verdict, about === "fabric" ? alarms : []).map((one) => element("li", "", one));
  const card = element("section", `verdict ${verdict.state}`, element("p", "word", VERDICTS[about][verdict.state] || verdict.state),
    findings.length ? element("ul", "", ...findings) : element("p", "line", verdict.line.replace(/^[A-Z]+: /, "")));
  card.dataset.about = about;
  return card;
}

function showVerdicts(state) {
  const worse = state.health.worse, other = worse === "fabric" ? "gateway" : "fabric";
  fill("verdicts", verdictCard(worse, state.health[worse], state.alarms), verdictCard(other, state.health[other], state.alarms));
  const open = Object.entries(state.health.open_alarms).reduce((sum, [severity, count]) => sum + (severityClass(severity) ? count : 0), 0);
  const where = state.fabric_name === state.gateway_name ? state.gateway_name : `${state.fabric_name}, ${state.gateway_name}`;
  document.title = `${state.health.state === "ok" ? "" : "! "}${open ? `(${open}) ` : ""}${where} – ibtrapd`;
}

function showMaintenance(state) {
  $("maintenance-part").hidden = state.maintenance.length === 0;
  $("held-back").textContent = `${plural(state.health.held_back, "alarm")} held back`;
  fill("maintenance", ...state.maintenance.map((one) => element("li", one.all ? "warn" : "",
    element("p", "top", element("strong", "", one.name), element("span", "soft", "until ", clock(one.until))),
    element("p", "", one.nodes.length ? one.nodes.join(" ") : "All nodes"),
    element("p", "", `${plural(one.held_back, "alarm")} held back`),
    one.comment ? element("p", "", one.comment) : "", one.who ? element("p", "soft", one.who) : "")));
}

function number(title, value, kind) {
  return element("div", kind || "", element("dt", "", title), element("dd", "", value));
}

function showNumbers(state, now) {
  const waiting = state.receivers.reduce((most, one) => Math.max(most, one.queued), 0);
  const done = state.subscriptions.filter((one) => one.state === "subscribed").length;
  const alarms = Object.entries(state.health.open_alarms).filter(([, count]) => count > 0);
  const total = alarms.reduce((sum, [, count]) => sum + count, 0);
  const worst = alarms.map(([severity]) => severityClass(severity));
  fill("numbers", number("Open alarms", total.toLocaleString(),
    worst.includes("bad") ? "bad" : worst.includes("warn") ? "warn" : total ? "" : "good"),
    number("Nodes", (state.sweep.nodes ?? 0).toLocaleString()),
    number("Links", (state.sweep.links ?? 0).toLocaleString()),
    number("Last sweep", state.sweep.last ? `${age(state.sweep.last, now)} ago` : state.sweep.method === "off" ? "off" : "none yet"),
    number("Subscriptions", `${done} of ${state.subscriptions.length}`),
    number("Most events waiting", waiting.toLocaleString()),
    number("Role", state.role.active ? "active" : "standby"));
}

function receiverCard(one) {
  const kind = { working: "good", failing: "bad", paused: "warn" }[one.state] || "";
  return element("li", kind, element("p", "top", element("strong", "", one.name), element("span", `badge ${kind}`, one.state)),
    element("p", "soft", `${one.kind} · ${plural(one.queued, "event")} waiting · ${one.sent.toLocaleString()} sent`
      + (one.dropped ? ` · ${one.dropped.toLocaleString()} lost` : "")),
    one.problem ? element("p", "", one.problem) : "");
}

function showRest(state) {
  fill("receivers", ...state.receivers.map(receiverCard));
  if (state.receivers.length === 0) fill("receivers", element("li", "", "No receiver is configured."));
  const done = state.subscriptions.filter((one) => one.state === "subscribed").length;
  $("subscription-count").textContent = `${done} of ${state.subscriptions.length}`;
  fill("subscriptions", ...state.subscriptions.map((one) => element("li", one.state === "subscribed" ? "" : "warn",
    `${one.trap === "vendor" ? "vendor" : `trap ${one.trap}`}: ${one.state}`)));
  $("gateway").textContent = `seen by gateway ${state.gateway_name} (${state.port.device ? `${state.port.device} port ${state.port.port}, ${state.port.state}` : "no port"})`;
  $("name").textContent = state.fabric_name;
  $("release").textContent = `ibtrapd ${state.release}`;
}

async function get(path) {
  const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer;
}

async function showMap(state) {
  const alarms = state.alarms.map((one) => one.number).join(" ");
  if (state.map !== mapVersion || alarms !== mapAlarms) mapTurns = 2; // the first may be an earlier one
  if (mapTurns === 0) return;
  const parsed = new DOMParser().parseFromString(await (await get("fabric.svg")).text(), "image/svg+xml");
  if (parsed.querySelector("parsererror")) throw new Error("the map");
  const map = $("map"), x = map.scrollLeft, y = map.scrollTop, isFirst = mapVersion === null;
  fill("map", document.importNode(parsed.documentElement, true));
  map.scrollTo(x, y);
  if (isFirst && isTooSmall()) {
    size(false);
    center(map.querySelector(".node.fault") || map.querySelector("path.fault"));
  }
  if (isFirst && location.hash.length > 1) goToPlace();
  mark(placesOf(shown));
  showPlaceView();
  mapVersion = state.map;
  mapAlarms = alarms;
  mapTurns--;
}

// Places on the map.

const LEGIBLE = 0.6; // of the full size

function isTooSmall() {
  const svg = $("map").querySelector("svg");
  return svg && $("map").clientWidth < LEGIBLE * svg.viewBox.baseVal.width;
}

function center(place) {
  if (!place) return;
  const map = $("map"), at = place.getBoundingClientRect(), frame = map.getBoundingClientRect();
  map.scrollBy(at.left + at.width / 2 - frame.left - map.clientWidth / 2, at.top + at.height / 2 - frame.top - map.clientHeight / 2);
}

// A host with several adapters is one box.
const partsOf = (box) => (box.dataset.parts || box.dataset.guid).split(" ");

// The boxes of nodes, and the worst line between two nodes.
function placesOf(guids) {
  const boxes = [...$("map").querySelectorAll(".node")].filter((one) => partsOf(one).some((guid) => guids.includes(guid)));
  const ends = boxes.map((one) => one.dataset.guid);
  const lines = guids.length !== 2 ? [] : [...$("map").querySelectorAll("path[data-ends]")]
    .filter((one) => one.dataset.ends.split(" ").every((guid) => ends.includes(guid)));
  return boxes.concat(lines.slice(-1));
}

function mark(places) {
  for (const one of $("map").querySelectorAll(".found")) one.classList.remove("found");
  for (const one of places) one.classList.add("found");
}

// A new map shows the nodes, too.
function showPlace(guids) {
  const places = placesOf(guids);
  shown = guids;
  mark(places);
  if (places.length === 0) return;
  if (isTooSmall()) size(false);
  $("map-title").scrollIntoView();
  center(places[0]);
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  const named = [...$("map").querySelectorAll(".node")].map((one) => [one.querySelector("title").textContent.toLowerCase(), one]);
  const whole = named.filter(([title]) => title.split("\n").includes(wanted));
  const found = wanted === "" ? [] : whole.length ? whole : named.filter(([title]) => title.includes(wanted));
  const homes = wanted === "" || found.length ? [] : [...$("map").querySelectorAll(".node[data-hosts]")]
    .filter((one) => one.dataset.hosts.toLowerCase().split("\n").some((host) => host.includes(wanted) || wanted.startsWith(`${host} `)));
  $("found").textContent = wanted === "" || found.length === 1 ? "" : found.length ? plural(found.length, "node")
    : homes.length ? "A host of this switch. Hosts without trouble are counted at their switch." : "There is no such node.";
  showPlace(found.map(([, one]) => one).concat(homes).map((one) => one.dataset.guid));
}

// A node or port by link: "#leaf1", "#leaf1/12".

let alarms = [], events = []; // that the page has, the newest event first

function wantedPlace() {
  const [, name, port] = decodeURIComponent(location.hash.slice(1)).match(/^(.*?)(?:\/(\d+))?$/);
  return { name, port: Number(port || 0) };
}

const eventEnds = (event) => [
  { guid: event.subjectNodeGuid, name: event.subjectName, port: event.subjectPort },
  { guid: event.peerNodeGuid, name: event.peerName, port: event.peerPort }];

function isAt(place, ends) {
  return ends.some((one) => [one.name, one.guid].includes(place.name) && (!place.port || !one.port || one.port === place.port));
}

// What the map tells of the box, and of its links.
function linesOf(place) {
  const box = [...$("map").querySelectorAll(".node")].find((one) =>
    one.querySelector("title").textContent.split("\n").slice(0, 2).includes(place.name));
  if (!box) return [];
  const links = [...$("map").querySelectorAll("path[data-ends]")].filter((one) => one.dataset.ends.includes(box.dataset.guid));
  const named = links.flatMap((one) => (one.querySelector("title")?.textContent || "").split("\n"));
  const end = `${box.querySelector("title").textContent.split("\n")[0]} port ${place.port || ""}`;
  return [nodesOf === place.name && nodes.length ? "" : box.querySelector("title").textContent.split("\n").slice(1).join(", "),
    ...named.filter((one) => place.port ? one.split(/: | – /).includes(end) : one.includes(`${end}`) && one.includes(": "))];
}

// The ports of the place, as the daemon knows them.

let nodes = [], nodesOf = ""; // of the place with this name

const portErrors = (port) => Object.entries(port.counters?.values || {})
  .filter(([name, value]) => value > 0 && !/Data$|Pkts$|Wait$/.test(name)).map(([name, value]) => `${name} ${value.toLocaleString()}`);

const isElsewhere = (port) => port.expected && !port.expected.is_there;

// What NVIDIA's devices tell of themselves, if they are asked.
const listed = (...parts) => parts.filter((one) => one).join(", ");
const degreesOf = (one, word) => one.temperature === undefined ? "" : `${word}${one.temperature} degrees`
  + (one.temperature_high === undefined ? "" : `, limit ${one.temperature_high}`);
const lanesOf = (word, list) => (list || []).some((one) => one > 0) ? `${word} ${list.filter((one) => one > 0).join(" ")} mW` : "";
const isHot = (one) => one?.temperature >= one?.temperature_high;

const moduleWords = (one, alone) => one?.kind && one.kind !== "unplugged" ? listed(`${one.vendor || ""} ${one.part || ""}`.trim(),
  one.serial && `serial number ${one.serial}`, degreesOf(one, ""), alone && lanesOf("receives", one.rx_power),
  alone && lanesOf("sends", one.tx_power), alone && one.effective_ber && `${one.effective_ber} errors a bit`) : "";

const downWords = (one) => one?.down_reason || one?.device_text ? `; went down last: ${listed(one.down_reason,
  one.down_blame && `blamed on its ${one.down_blame} end`, one.device_text && `"${one.device_text}"`)}` : "";

const hardwareWords = (one) => one ? listed(one.product, one.serial && `serial number ${one.serial}`,
  one.firmware && `firmware ${one.firmware}`, one.psid && `PSID ${one.psid}`, degreesOf(one, "ASIC "),
  one.fans && `${plural(one.fans, "fan")}, ${one.fans_out} too slow`,
  one.supplies !== undefined && `${one.supplies} power supplies with power`) : "";

function portLine(port, alone) {
  const errors = portErrors(port), link = port.peer
    ? [" to ", endLink(port.peer)] : [port.silent ? ", the other end does not answer" : ", no link"];
  const line = element("li", isElsewhere(port) || port.state !== "active" ? "bad" : errors.length || isHot(port.module) ? "warn" : "",
    `port ${port.port}: ${port.state}${port.width ? `, ${port.width}X ${port.speed},` : ""}`, ...link,
    isElsewhere(port) || (alone && port.expected) ? `; expected: ${port.expected.name} port ${port.expected.port}` : "",
    errors.length ? `; ${errors.join(", ")}` : "", moduleWords(port.module, alone) && `; ${moduleWords(port.module, alone)}`,
    alone || port.state === "down" ? downWords(port.module) : "");
  if (alone && port.counters)
    line.append(`${errors.length ? "" : "; no errors"} since the last reset, read by ibtrapd since `,
      port.counters.since ? clock(port.counters.since) : "its start");
  return line;
}

function showPorts(place) {
  const here = nodesOf === place.name ? nodes : [];
  $("place-what").textContent = here.map((one) => `${one.name}: ${one.type}, ${one.guid}, ${plural(one.port_count, "port")}${
    one.hardware ? `; ${hardwareWords(one.hardware)}` : ""}`).join("; ");
  fill("place-ports", ...here.flatMap((one) => one.ports.filter((port) => place.port ? port.port === place.port
    : port.peer || port.silent || isElsewhere(port) || portErrors(port).length
      || alarms.some((alarm) => alarm.ends.some((end) => end.guid === one.guid && end.port === port.port))).map((port) => portLine(port, place.port > 0))));
}

async function askNode() {
  const { name } = wantedPlace();
  if (name === "") return;
  const answer = await (await get(`node/${encodeURIComponent(name)}`)).json();
  nodes = answer.nodes || [];
  nodesOf = name;
  showPlaceView();
}

function showPlaceView() {
  const place = wantedPlace(), here = alarms.filter((one) => isAt(place, one.ends));
  $("place").hidden = place.name === "";
  if (place.name === "") return;
  $("place-name").textContent = place.name + (place.port ? ` port ${place.port}` : "");
  fill("place-alarms", ...(here.length ? here.map((one) => element("li", severityClass(one.severity), element("p", "", one.text)))
    : [element("li", "", "No cause of an alarm is here.")]));
  showPorts(place);
  fill("place-lines", ...linesOf(place).filter((one) => one).map((one) => element("li", "", one)));
  const history = events.filter((one) => isAt(place, eventEnds(one))), told = history.filter((one) => !one.suppressed);
  fill("place-events", ...(told.length ? told : history).slice(0, 10).map(eventRow));
  $("place-command").textContent = `ibtrapctl ${place.port ? "port" : "node"} ${place.name}${place.port ? `/${place.port}` : ""}`;
}

function goToPlace() {
  const place = wantedPlace();
  showPlaceView();
  find(place.name);
  askNode().catch(() => {});
  if (place.name) $("place").scrollIntoView();
}

function showFresh() {
  const s = Math.round((Date.now() - heard) / 1000);
  $("fresh").textContent = heard === 0 ? "" : `as of ${new Date(heard).toISOString().slice(0, 19)}Z`;
  if (heard === 0 ? performance.now() > 15000 : s > 30) {
    fill("verdicts", element("section", "verdict critical", element("p", "word", "No answer"),
      element("p", "line", `ibtrapd has not answered${heard ? ` for ${s} s` : ""}. What is below may be old.`)));
    document.title = "! ibtrapd does not answer";
  }
}

async function refresh() {
  const state = await (await get("state.json")).json();
  const now = Date.parse(state.now);
  showVerdicts(state);
  showNumbers(state, now);
  showMaintenance(state);
  showAlarms(state, now);
  alarms = state.alarms;
  showRest(state);
  heard = Date.now(); // what is shown is of now
  await askNode().catch(() => {});
  await showMap(state).then(() => { $("map-note").textContent = ""; },
    () => { $("map-note").textContent = "The map did not come, and may be old. It is asked for again."; });
}

// One request at a time; a further one follows.
async function ask() {
  if (asking) {
    again = true;
    return;
  }
  asking = refresh().catch(() => {});
  await asking;
  asking = null;
  showFresh();
  if (again) {
    again = false;
    setTimeout(ask, 1000);
  }
}

// Events that receivers do not get are a line together.
function suppressedRow(event, row) {
  const made = row || element("li", "suppressed", clock(event.time), element("span", "badge", ""), element("span", "text soft"));
  const count = made.dataset.count = Number(made.dataset.count || 0) + 1;
  const reasons = new Set((made.dataset.reasons || "").split(", ").filter((one) => one).concat(event.suppressed));
  made.dataset.reasons = [...reasons].join(", ");
  made.children[1].textContent = plural(count, "event");
  made.children[2].textContent = `Receivers do not get ${count === 1 ? "it" : "them"}: ${made.dataset.reasons}. The last: ${event.text}`;
  return made;
}

function addEvent(list, event) {
  const first = list.firstElementChild;
  if (event.event === "heartbeat") return;
  if (!event.suppressed) list.prepend(eventRow(event));
  else if (first && first.className === "suppressed") suppressedRow(event, first);
  else list.prepend(suppressedRow(event, null));
}

function eventRow(event) {
  const kind = event.alarmState === "cleared" ? "good" : severityClass(event.severity);
  return element("li", "", clock(event.time), element("span", `badge ${kind}`, event.alarmState === "cleared" ? "cleared" : event.severity),
    element("span", "text", event.text));
}

function follow() {
  const source = new EventSource("events");
  source.onopen = () => {
    $("live").textContent = "live";
    $("live").className = "live on";
  };
  source.onmessage = (message) => {
    const event = JSON.parse(message.data), list = $("events");
    if (event.number < lastNumber) list.replaceChildren(); // a new journal
    lastNumber = event.number;
    addEvent(list, event);
    events = [event, ...events].slice(0, KEPT_MAX);
    showPlaceView();
    while (list.children.length > EVENTS_MAX) list.lastChild.remove();
    ask();
  };
  source.onerror = () => {
    const closed = source.readyState === EventSource.CLOSED; // too many follow, or it was refused
    $("live").textContent = closed ? "not live: reload the page to see new ones" : "connecting";
    $("live").className = "live";
    if (closed) setTimeout(follow, 60000);
  };
}

function size(whole) {
  $("map").classList.toggle("fit", whole);
  $("fit").setAttribute("aria-pressed", whole);
  $("full").setAttribute("aria-pressed", !whole);
}

$("fit").addEventListener("click", () => size(true));
$("full").addEventListener("click", () => size(false));
window.addEventListener("hashchange", goToPlace);
$("place-close").addEventListener("click", () => { location.hash = ""; });
$("find").addEventListener("input", () => find($("find").value));
document.addEventListener("visibilitychange", () => document.hidden || ask());
setInterval(() => document.hidden || ask(), STATE_MS);
setInterval(showFresh, 1000);
ask();
follow();
