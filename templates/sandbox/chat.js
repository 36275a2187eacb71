"use strict";
const byId = (id) => document.getElementById(id);
const chat = byId("chat"), text = byId("text"), send = byId("send"), title = byId("title");
const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
const NAME = "日程助手", GAP = 300, TYPING = 20, ZONE = document.body.dataset.zone;
let started = false, last = 0, lastAt = 0, typingUntil = 0;

const ICONS = {
  account: "M5 7h16v14H5zM5 11.5h16M9 4.5v4M17 4.5v4M9.5 16l2.5 2.5 5-4.5",
  me: "M13 13.5a4.6 4.6 0 1 0 0-9.2 4.6 4.6 0 0 0 0 9.2zM4.5 22.5c.4-4.6 3.8-6.7 8.5-6.7s8.1 2.1 8.5 6.7",
};

function element(name, className, content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  return made;
}

function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 26 26");
  svg.appendChild(document.createElementNS(svg.namespaceURI, "path")).setAttribute("d", path);
  return svg;
}

// Text stays text. The one tag that the real client knows is a link to a web address.
function fill(bubble, content) {
  let from = 0;
  for (const found of content.matchAll(/<a href="(https?:\/\/[^"<>\s]+)">([^<]*)<\/a>|https?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/g)) {
    bubble.append(content.slice(from, found.index));
    const link = element("a", "", found[2] || found[0]);
    link.href = found[1] || found[0];
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    bubble.append(link);
    from = found.index + found[0].length;
  }
  bubble.append(content.slice(from));
}

// The phone is in the follower's zone, like the times in the answers, wherever this browser is.
function stamp(at) {
  const day = new Intl.DateTimeFormat("zh-CN", { timeZone: ZONE, month: "numeric", day: "numeric" });
  const clock = new Intl.DateTimeFormat("zh-CN", { timeZone: ZONE, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const [then, today] = [new Date(at * 1000), new Date()];
  const date = day.format(then) === day.format(today) ? "" : `${day.format(then)} `;
  return date + clock.format(then);
}

function line(entry) {
  const row = element("div", `row ${entry.who}`);
  const avatar = element("div", "avatar");
  avatar.append(icon(ICONS[entry.who]));
  const bubble = element("div", "bubble");
  fill(bubble, entry.text);
  row.append(avatar, bubble);
  return row;
}

function card(entry) {
  const box = element("div", "card");
  const list = element("dl");
  for (const [label, value] of entry.fields) list.append(element("dt", "", label), element("dd", "", value));
  box.append(element("h3", "", entry.title), list);
  return box;
}

function show(entry) {
  if (entry.id <= last) return;
  if (entry.at - lastAt > GAP) chat.append(element("div", "time", stamp(entry.at)));
  chat.append(entry.fields.length ? card(entry) : line(entry));
  typingUntil = entry.who === "me" ? entry.at + TYPING : 0;
  last = entry.id;
  lastAt = entry.at;
}

function showTyping() {
  title.textContent = Date.now() / 1000 < typingUntil ? "对方正在输入…" : NAME;
}

function setFollowing(following) {
  byId("bar").hidden = !following;
  byId("chips").hidden = !following || byId("hints").getAttribute("aria-expanded") === "false";
  byId("follow").hidden = following;
  byId("unfollow").hidden = !following;
}

async function post(action, fields) {
  const body = new URLSearchParams(fields || {});
  const response = await fetch(action, { method: "POST", body, headers: { "X-CSRFToken": token } });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

async function poll() {
  const first = !started;
  const response = await fetch(`chat?after=${last}&wait=${Number(started)}`);
  if (response.status === 404) return location.replace("/sandbox/");
  if (!response.ok) throw new Error(String(response.status));
  const state = await response.json();
  started = true;
  const near = chat.scrollHeight - chat.scrollTop - chat.clientHeight < 120;
  state.entries.forEach(show);
  setFollowing(state.following);
  showTyping();
  const mine = state.entries.some((entry) => entry.who === "me");
  if (state.entries.length && (first || near || mine)) chat.scrollTop = chat.scrollHeight;
  if (first && !state.following && !state.entries.length) setFollowing((await post("follow")).following);
}

async function pollForEver() {
  for (;;) {
    try {
      await poll();
      byId("offline").hidden = true;
    } catch {
      byId("offline").hidden = false;
      await new Promise((done) => setTimeout(done, 1500));
    }
  }
}

function fit() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight}px`;
  send.disabled = !text.value.trim();
}

async function say(words) {
  try {
    await post("say", { text: words });
  } catch {
    byId("offline").hidden = false;
    if (!text.value) text.value = words;
    fit();
  }
}

byId("bar").addEventListener("submit", (event) => {
  event.preventDefault();
  const words = text.value.trim();
  if (!words) return;
  text.value = "";
  fit();
  text.focus();
  say(words);
});
text.addEventListener("input", fit);
text.addEventListener("keydown", (event) => {
  // Enter that ends a pinyin composition chooses a word; it sends nothing.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  byId("bar").requestSubmit(send.disabled ? undefined : send);
});
byId("chips").addEventListener("click", (event) => {
  if (event.target.tagName === "BUTTON") say(event.target.textContent);
});
byId("hints").addEventListener("click", () => {
  const open = byId("hints").getAttribute("aria-expanded") === "false";
  byId("hints").setAttribute("aria-expanded", String(open));
  byId("chips").hidden = !open;
});
byId("more").addEventListener("click", (event) => {
  event.stopPropagation();
  byId("menu").hidden = !byId("menu").hidden;
  byId("more").setAttribute("aria-expanded", String(!byId("menu").hidden));
});
document.addEventListener("click", () => {
  byId("menu").hidden = true;
  byId("more").setAttribute("aria-expanded", "false");
});
byId("unfollow").addEventListener("click", () => post("unfollow").then(() => setFollowing(false)));
byId("follow").addEventListener("click", () => post("follow").then(() => setFollowing(true)));
setInterval(showTyping, 1000);
pollForEver();
