"use strict";
const byId = (id) => document.getElementById(id);
const chat = byId("chat"), text = byId("text"), send = byId("send"), title = byId("title");
const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
const NAME = "日程助手", GAP = 300, TYPING = 20, ZONE = document.body.dataset.zone;
let started = false, last = 0, lastAt = 0, typingUntil = 0;

const ICONS = {
  account: "M5 7h16v14H5zM5 11.5h16M9 4.5v4M17 4.5v4M9.5 16l2.5 2.5 5-4.5",
  voice: "M7.5 13h.01M10.5 9.3a5.2 5.2 0 0 1 0 7.4M14 6.2a9.6 9.6 0 0 1 0 13.6",
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
  const bubble = element("div", entry.seconds ? "bubble voice" : "bubble");
  if (entry.seconds) {
    bubble.append(icon(ICONS.voice), `${entry.seconds}″`);
    bubble.style.width = `${Math.min(220, 72 + entry.seconds * 4)}px`;
    bubble.setAttribute("aria-label", `语音 ${entry.seconds} 秒`);
  } else fill(bubble, entry.text);
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

let onKeys = false;
function setFollowing(following) {
  onKeys = onKeys && byId("buttons").childElementCount > 0;
  byId("bar").hidden = !following || onKeys;
  byId("keys").hidden = !following || !onKeys;
  byId("chips").hidden = !following || onKeys;
  byId("follow").hidden = following;
  byId("unfollow").hidden = !following;
}

function setMenu(menu) {
  const names = menu.map((button) => button.key).join();
  if (byId("buttons").dataset.names === names) return;
  byId("buttons").dataset.names = names;
  byId("to-keys").hidden = !menu.length;
  byId("buttons").replaceChildren(...menu.map((button) => {
    const made = element("button", "", button.name);
    made.type = "button";
    made.setAttribute("role", "menuitem");
    made.addEventListener("click", () => attempt(post("tap", { text: button.key })));
    return made;
  }));
}

function tell(words) {
  byId("notice").textContent = words;
  byId("notice").hidden = false;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => { byId("notice").hidden = true; }, 2200);
}

const attempt = (sending) => sending.catch(() => { byId("offline").hidden = false; });

async function post(action, fields) {
  const body = fields instanceof FormData ? fields : new URLSearchParams(fields || {});
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
  setMenu(state.menu);
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
  send.hidden = !text.value.trim();
  byId("file").hidden = !send.hidden;
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
  byId("bar").requestSubmit();
});
byId("chips").addEventListener("click", (event) => {
  if (event.target.tagName === "BUTTON") say(event.target.textContent);
});
for (const [button, keys] of [["to-keys", true], ["to-words", false]]) {
  byId(button).addEventListener("click", () => {
    onKeys = keys;
    setFollowing(true);
    byId(keys ? "to-words" : "text").focus();
  });
}
byId("to-voice").addEventListener("click", () => {
  const speaking = byId("hold").hidden;
  byId("hold").hidden = !speaking;
  text.hidden = speaking;
  byId("to-voice").setAttribute("aria-pressed", String(speaking));
});

const LONGEST = 60, RATE = 16000;
let recording = null;

// 16-bit mono PCM, as a WAV file.
function wav(chunks) {
  const samples = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const view = new DataView(new ArrayBuffer(44 + samples * 2));
  const put = (at, word) => [...word].forEach((sign, n) => view.setUint8(at + n, sign.charCodeAt(0)));
  put(0, "RIFF"); view.setUint32(4, 36 + samples * 2, true); put(8, "WAVEfmt ");
  view.setUint32(16, 16, true); view.setUint16(20, 1, true); view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true); view.setUint32(28, RATE * 2, true); view.setUint16(32, 2, true); view.setUint16(34, 16, true);
  put(36, "data"); view.setUint32(40, samples * 2, true);
  let at = 44;
  for (const chunk of chunks) for (const value of chunk) {
    view.setInt16(at, Math.max(-1, Math.min(1, value)) * 32767, true);
    at += 2;
  }
  return new Blob([view], { type: "audio/wav" });
}

function speak(blob, seconds) {
  const form = new FormData();
  form.append("audio", blob, "voice");
  form.append("seconds", String(Math.max(1, Math.min(LONGEST, Math.round(seconds)))));
  return attempt(post("speak", form));
}

async function press() {
  if (recording) return;
  const mine = recording = { chunks: [], began: Date.now(), over: false };
  byId("hold").textContent = "松开 发送";
  byId("hold").classList.add("held");
  try {
    mine.stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch {
    if (recording === mine) release(false);
    return tell("没有可用的麦克风，可以点 ⊕ 发一个音频文件");
  }
  if (mine.over) return mine.stream.getTracks().forEach((track) => track.stop());
  mine.began = Date.now();
  mine.context = new AudioContext({ sampleRate: RATE });
  const node = mine.context.createScriptProcessor(4096, 1, 1);
  node.onaudioprocess = (event) => mine.chunks.push(event.inputBuffer.getChannelData(0).slice());
  mine.context.createMediaStreamSource(mine.stream).connect(node);
  node.connect(mine.context.destination);
  mine.limit = setTimeout(() => release(true), LONGEST * 1000);
}

function release(sending) {
  const mine = recording;
  if (!mine) return;
  recording = null;
  mine.over = true;
  clearTimeout(mine.limit);
  byId("hold").textContent = "按住 说话";
  byId("hold").classList.remove("held");
  if (mine.stream) mine.stream.getTracks().forEach((track) => track.stop());
  if (mine.context) mine.context.close();
  const seconds = (Date.now() - mine.began) / 1000;
  if (!sending || !mine.stream) return;
  if (seconds < 1) return tell("说话时间太短");
  speak(wav(mine.chunks), seconds);
}

byId("hold").addEventListener("pointerdown", (event) => {
  event.currentTarget.setPointerCapture(event.pointerId);
  press();
});
byId("hold").addEventListener("pointerup", () => release(true));
byId("hold").addEventListener("pointercancel", () => release(false));
byId("hold").addEventListener("keydown", (event) => { if (event.key === " " && !event.repeat) press(); });
byId("hold").addEventListener("keyup", (event) => { if (event.key === " ") release(true); });
byId("audio").addEventListener("change", (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  if (!file.size || file.size > 2 * 1024 * 1024) return tell("语音要有内容，最多 2 MB");
  speak(file, file.size / 1600);
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
