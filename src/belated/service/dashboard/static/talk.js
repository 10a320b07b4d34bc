// Talking to the service: every change carries the page's word, and every refusal comes back in words.

const word = document.querySelector('meta[name="belated-word"]').content;

export class Refusal extends Error {}

// What the service answers, as JSON; a Refusal with its words where it refuses.
export async function send(method, url, body) {
  const headers = { accept: "application/json", "x-belated-word": word };
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(url, { method, headers, body: form || body === undefined ? body : JSON.stringify(body) });
  } catch {
    throw new Refusal("The service cannot be reached. Nothing is lost: try again in a moment.");
  }
  if (response.ok) return response.status === 204 ? null : response.json();
  throw new Refusal(await reason(response));
}

// A part of a page.
export async function fragment(url) {
  const response = await fetch(url, { headers: { accept: "text/html" } }).catch(() => null);
  if (response === null) throw new Refusal("The service cannot be reached.");
  if (!response.ok) throw new Refusal(await reason(response));
  return new DOMParser().parseFromString(await response.text(), "text/html").body;
}

async function reason(response) {
  const said = await response.json().catch(() => null);
  if (response.status === 401) return "You are no longer signed in. Load the page again.";
  return said?.error?.message ?? `The service answered ${response.status}.`;
}

// Say what was done, to eyes and to screen readers.
let fading;
export function announce(text) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => said.classList.remove("shown"), 5000);
}

// Show what is wrong where the action was; without words, hide it.
export function explain(form, text) {
  const problem = form.querySelector(".problem");
  problem.textContent = text;
  problem.hidden = !text;
}

// Do something while a button waits.
export async function busy(button, work) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}
