// The page of a study: live, with a table to sort and filter, dialogs to act, and a preview of uploads.

import { bodyOf, short } from "./forms.js";
import { watch } from "./figures.js";
import { open } from "./page.js";
import { announce, busy, explain, fragment, send } from "./talk.js";

const study = document.getElementById("study");
const { api, here } = study.dataset;
const redraw = watch(here);

// The table that is wished for is in the address, so that it can be sent to somebody.

const filter = document.getElementById("filter");
const wish = new URLSearchParams(location.search);

function wished(changes) {
  for (const [name, value] of Object.entries({ page: "", ...changes })) {
    if (value) wish.set(name, value);
    else wish.delete(name);
  }
  const text = String(wish);
  history.replaceState(null, "", text ? `?${text}` : location.pathname);
  return refresh(announce);
}

let typing;
filter.addEventListener("submit", (event) => event.preventDefault());
filter.addEventListener("input", (event) => {
  clearTimeout(typing);
  const pause = event.target.type === "search" ? 250 : 0;
  typing = setTimeout(() => wished({ state: filter.elements.state.value, text: filter.elements.text.value.trim() }), pause);
});

document.getElementById("queries").addEventListener("click", (event) => {
  const { sort, page } = event.target.closest("button")?.dataset ?? {};
  if (page) wished({ page });
  if (!sort) return;
  const sorted = event.target.closest("th").getAttribute("aria-sort");
  wished({ sort, order: sorted === "none" || sorted === "descending" ? "up" : "down" });
});

// Live: each event makes the parts that change be fetched again, a little later, as events come in crowds.

const PARTS = ["tiles", "notices", "waiting", "queries", "state"];
let asking = 0;

// Who waits for it is told if it fails; else the next one will do.
async function refresh(tell = () => {}) {
  const number = ++asking;
  const found = await fragment(`${here}/parts?${wish}`).catch((error) => tell(error.message));
  if (!found || number !== asking) return;
  const focused = document.activeElement?.id;
  for (const id of PARTS) {
    const place = document.getElementById(id);
    const scrolled = [place.scrollTop, place.querySelector(".wide")?.scrollLeft ?? 0];
    place.replaceChildren(...found.querySelector(`#${id}`).childNodes);
    place.scrollTop = scrolled[0];
    if (scrolled[1]) place.querySelector(".wide")?.scrollTo({ left: scrolled[1] });
  }
  const { state, empty } = found.querySelector("#parts").dataset;
  for (const part of document.querySelectorAll("[data-when]")) part.hidden = !part.dataset.when.split(" ").includes(state);
  for (const part of document.querySelectorAll("[data-while]")) part.hidden = (part.dataset.while === "empty") !== (empty === "1");
  if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus({ preventScroll: true });
}

let soon;
function changed() {
  if (over) return;
  clearTimeout(soon);
  soon = setTimeout(() => { refresh(); redraw(true); }, 300);
}

const live = document.getElementById("live");
function say(state, text) {
  live.dataset.state = state;
  live.querySelector(".text").textContent = text;
}

// Where the study was deleted or renamed, what is shown stays, and nothing more comes.
let over = false;
function end() {
  over = true;
  stream.close();
  live.hidden = true;
  document.getElementById("gone").hidden = false;
}

// Who is no longer signed in is led to where one does so.
async function again() {
  const answer = await fetch(`${here}/parts`).catch(() => null);
  if (answer?.status === 401) location.reload();
  else if (answer?.status === 404) end();
  else listen();
}

let stream;
function listen() {
  stream = new EventSource(`${api}/events?after=${study.dataset.events}`);
  stream.onopen = () => say("live", "live");
  stream.onerror = () => {
    say("lost", "reconnecting");
    // A stream that was refused does not come back by itself.
    if (stream.readyState === EventSource.CLOSED) setTimeout(again, 2000);
  };
  stream.addEventListener("gone", end);
  for (const kind of [...study.dataset.kinds.split(" "), "message"]) {
    stream.addEventListener(kind, (event) => {
      if (event.lastEventId) study.dataset.events = event.lastEventId;
      changed();
    });
  }
}
listen();
document.addEventListener("changed", changed);
// A browser has few connections to a service, and all its tabs share them: one that nobody looks at lets go of its own.
document.addEventListener("visibilitychange", () => {
  if (over) return;
  stream.close();
  if (document.hidden) return say("waiting", "paused");
  listen();
  changed();
});
// What becomes overdue makes no event.
setInterval(() => { if (!document.hidden && !over) { refresh(); redraw(false); } }, 30000);

// Dialogs.

const dialog = document.getElementById("query");
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-query]");
  if (!button) return;
  busy(button, async () => {
    try {
      const found = await fragment(`${here}/queries/${button.dataset.query}`);
      dialog.querySelector(".content").replaceChildren(...found.childNodes);
      dialog.dataset.opener = button.id;
      open(dialog);
    } catch (error) {
      announce(error.message);
    }
  });
});
// The button that opened the dialog may have been replaced meanwhile.
dialog.addEventListener("close", () => {
  const back = document.getElementById(dialog.dataset.opener) ?? document.getElementById("main");
  back.focus({ preventScroll: true });
});

// What is opened at the foot of a dialog comes into view.
document.addEventListener("toggle", (event) => {
  if (event.target.matches("dialog details[open]")) event.target.scrollIntoView({ block: "nearest" });
}, true);

// What to use now: looked for when the dialog opens, or once it is known in which context.

const advice = document.getElementById("recommend-form");

function advise() {
  return busy(advice, async () => {
    const result = advice.querySelector(".result");
    explain(advice, "");
    result.textContent = "Computing …";
    try {
      const { context } = bodyOf(advice);
      const where = context ? `?context=${encodeURIComponent(JSON.stringify(context))}` : "";
      const { point, mean, deviation, chance } = await send("GET", `${api}/recommendation${where}`);
      const best = chance === null ? [] : [["chance that none tried is better", `${Math.round(100 * chance)}%`]];
      const expected = ["expected there", `${short(mean)} ± ${short(deviation)}`];
      result.replaceChildren(facts([...Object.entries(point), expected, ...best]));
    } catch (error) {
      result.replaceChildren();
      explain(advice, error.message);
    }
  });
}

function facts(pairs) {
  const list = document.createElement("dl");
  list.className = "facts";
  for (const [name, value] of pairs) {
    const row = document.createElement("div");
    row.append(document.createElement("dt"), document.createElement("dd"));
    row.firstChild.textContent = name;
    row.lastChild.textContent = short(value);
    list.append(row);
  }
  return list;
}

advice.addEventListener("submit", (event) => {
  event.preventDefault();
  advise();
});
advice.closest("dialog").addEventListener("opened", () => { if (!advice.querySelector("[data-path]")) advise(); });

// Uploads: first what is in the file, then, if all of it is good, the answers.

const upload = document.getElementById("upload-form");
if (upload) {
  const file = document.getElementById("upload-file");
  const confirm = document.getElementById("upload-confirm");
  const result = upload.querySelector(".result");
  const revise = document.getElementById("upload-revise");
  let whole = false;

  const show = (found) => {
    whole = found?.whole ?? false;
    confirm.hidden = !whole;
    if (found) result.replaceChildren(...new DOMParser().parseFromString(found.preview, "text/html").body.childNodes);
    else result.replaceChildren();
  };

  upload.closest("dialog").addEventListener("opened", () => show(null));
  // A file that was mended is chosen again under the same name, which would be no change.
  file.addEventListener("click", () => { file.value = ""; });
  const sheet = () => {
    const body = new FormData();
    body.append("file", file.files[0]);
    body.append("manner", revise.checked ? "revise" : "tell");
    return body;
  };
  const preview = async () => {
    explain(upload, "");
    show(null);
    if (!file.files.length) return;
    try {
      show(await send("POST", `${here}/upload`, sheet()));
    } catch (error) {
      explain(upload, error.message);
    }
  };
  file.addEventListener("change", preview);
  revise.addEventListener("change", preview);
  upload.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!whole) return;
    busy(confirm, async () => {
      try {
        const { taken } = await send("POST", `${here}/upload/taken`, sheet());
        upload.closest("dialog").close();
        announce(taken === 1 ? "1 row is taken." : `${taken} rows are taken.`);
        changed();
      } catch (error) {
        explain(upload, error.message);
      }
    });
  });
}
