// What every page does: signing out, times that stay true, menus that close, dialogs that open.

import { announce, send } from "./talk.js";

const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

function ago(at) {
  const passed = Date.now() / 1000 + skew - at;
  if (passed < 2) return "just now";
  const [name, length] = units.find(([, seconds]) => passed >= seconds);
  return `${Math.floor(passed / length)} ${name} ago`;
}

// The service's clock may differ from this machine's.
const now = Number(document.querySelector("[data-now]")?.dataset.now);
const skew = now ? now - Date.now() / 1000 : 0;

setInterval(() => {
  for (const time of document.querySelectorAll("time[data-at]")) {
    const text = ago(Number(time.dataset.at));
    if (time.textContent !== text) time.textContent = text;
  }
}, 1000);

document.addEventListener("click", async (event) => {
  if (event.target.closest("[data-logout]")) {
    await send("POST", "/logout").catch((error) => announce(error.message));
    location.assign("/login");
  }
  const opener = event.target.closest("[data-open]");
  if (opener) {
    opener.closest("details")?.removeAttribute("open");
    open(document.getElementById(opener.dataset.open));
  }
  if (event.target.closest("[data-close]")) event.target.closest("dialog")?.close();
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A dialog that goes on when its work is done shows other parts then.
export function turn(dialog, done) {
  for (const part of dialog.querySelectorAll("[data-before]")) part.hidden = done;
  for (const part of dialog.querySelectorAll("[data-after]")) part.hidden = !done;
}

export function open(dialog) {
  for (const form of dialog.querySelectorAll("form")) form.reset();
  for (const part of dialog.querySelectorAll(".result")) part.replaceChildren();
  for (const part of dialog.querySelectorAll(".problem")) part.hidden = true;
  turn(dialog, false);
  dialog.showModal();
  dialog.dispatchEvent(new Event("opened"));
}
