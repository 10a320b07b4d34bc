// Forms that send JSON to a route: each field says where in the body its value belongs.

import { turn } from "./page.js";
import { Refusal, announce, busy, explain, send } from "./talk.js";

// Without a prototype, as a parameter may be called anything.
const empty = () => Object.create(null);

// The body of a form; fields that are empty are left out, or say what that means.
export function bodyOf(form) {
  const body = empty();
  for (const field of form.querySelectorAll("[data-path]")) {
    const text = field.value.trim();
    if (!text && "empty" in field.dataset) put(body, JSON.parse(field.dataset.path), field.dataset.empty);
    if (!text) continue;
    const path = JSON.parse(field.dataset.path);
    if (field.dataset.type === "measured") measure(body, path, text);
    else put(body, path, valueOf(field.dataset.type, text));
  }
  // Of a point that was tried, only what differs is filled in.
  if (body.point) body.point = Object.assign(empty(), JSON.parse(form.dataset.point), body.point);
  return body;
}

// A number, repeats with semicolons between, or a number with its standard error.
function measure(body, path, text) {
  const [told, error, more] = text.split(/±|\+\/?-(?=\s*\d*[.,]?\d+\s*$)/);
  const values = told.split(";").filter((part) => part.trim()).map(number);
  if (!values.length || more !== undefined) throw new Refusal(`“${text}” is no number; write one, as 0.42.`);
  put(body, path, values.length > 1 ? values : values[0]);
  if (error === undefined) return;
  // Beside the value, whose name stands after it.
  const place = path[0] === "data" ? 2 : 0;
  put(body, [...path.slice(0, place), "sd", ...path.slice(place + 1)], number(error));
}

function number(text) {
  const written = text.trim().replace("−", "-");
  const value = Number(/^[-+]?\d*,\d+$/.test(written) ? written.replace(",", ".") : written);
  if (/^[-+]?[1-9]\d{0,2},\d{3}$/.test(written)) {
    throw new Refusal(`“${written}” may be ${written.replace(",", ".")} or ${written.replace(",", "")}; write it without the comma.`);
  }
  if (!written || !Number.isFinite(value)) throw new Refusal(`“${written}” is no number; write one, as 0.42.`);
  return value;
}

function valueOf(type, text) {
  if (type === "number") return Number(text);
  return type === "json" ? JSON.parse(text) : text;
}

function put(body, path, value) {
  path.slice(0, -1).forEach((name, place) => {
    body[name] ??= typeof path[place + 1] === "number" ? [] : empty();
    body = body[name];
  });
  body[path.at(-1)] = value;
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-api]");
  if (!form) return;
  event.preventDefault();
  busy(event.submitter ?? form.querySelector("button"), async () => {
    explain(form, "");
    try {
      const answer = await sent(form);
      if ("goes" in form.dataset) return leave(answer);
      if ("asks" in form.dataset) showAsked(form, answer);
      else done(form);
      document.dispatchEvent(new CustomEvent("changed"));
    } catch (error) {
      explain(form, error.message);
    }
  });
});

function sent(form) {
  const { api, method } = form.dataset;
  const body = bodyOf(form);
  if (method !== "DELETE") return send(method, api, body);
  return send(method, body.reason ? `${api}?reason=${encodeURIComponent(body.reason)}` : api);
}

// To the page of the study that the service names, or to all of them.
function leave({ name }) {
  location.assign(name === undefined ? "/" : `/studies/${encodeURIComponent(name)}`);
}

function done(form) {
  form.closest("dialog").close();
  announce(form.dataset.said);
}

// What is to be tried, or why nothing is.
function showAsked(form, { queries, balk }) {
  const result = form.querySelector(".result");
  if (balk) {
    const text = document.createElement("p");
    text.className = "problem";
    text.textContent = `Nothing is asked now: ${balk.reason.replace(/[.;]?$/, ".")} Ask again in about ${Math.ceil(balk.retry_after)} s.`;
    result.replaceChildren(text);
    return;
  }
  const list = document.createElement("ul");
  list.className = "answerlist";
  for (const query of queries) {
    const entry = document.createElement("li");
    const name = document.createElement("strong");
    name.textContent = `Query ${query.id}: `;
    const point = Object.entries(query.point).map(([key, value]) => `${key} ${short(value)}`).join(", ");
    entry.append(name, point);
    list.append(entry);
  }
  result.replaceChildren(list);
  // Asked again by a second click, there would be as many more.
  turn(form, true);
  const asked = queries.map((query) => `query=${query.id}`).join("&");
  for (const link of form.querySelectorAll("[data-sheet]")) link.href = `${link.dataset.sheet}?${asked}`;
  form.querySelector("[data-after] button").focus();
}

export function short(value) {
  return typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);
}
