// The form of a new study: rows of parameters, and what the service says to them.

import { busy, explain, send } from "./talk.js";

const form = document.getElementById("create");
const template = document.getElementById("row");
const part = (row, name) => row.querySelector(`[data-part="${name}"]`);

function addRow(list) {
  const row = template.content.firstElementChild.cloneNode(true);
  row.setAttribute("aria-label", list.id === "context" ? "Part of the context" : "Parameter");
  part(row, "kind").addEventListener("change", () => show(row));
  row.querySelector("[data-remove]").addEventListener("click", () => {
    row.remove();
    arrange();
    form.querySelector(`[data-add="${list.id}"]`).focus();
  });
  list.append(row);
  arrange();
  return row;
}

function addOutcome(list) {
  const row = document.getElementById("outcome-row").content.firstElementChild.cloneNode(true);
  part(row, "kind").addEventListener("change", () => {
    const kind = part(row, "kind").value;
    const limited = kind.startsWith("at-");
    row.querySelector("[data-for=limit]").hidden = !limited;
    part(row, "limit").required = limited;
    row.querySelector("[data-for=silence]").hidden = !kind.endsWith("imize");
  });
  row.querySelector("[data-remove]").addEventListener("click", () => {
    row.remove();
    arrange();
    form.querySelector('[data-add="outcomes"]').focus();
  });
  list.append(row);
  arrange();
  return row;
}

function outcomes() {
  return [...document.querySelectorAll("#outcomes .row")].map((row) => {
    const found = { name: part(row, "name").value.trim(), kind: part(row, "kind").value };
    if (found.kind.startsWith("at-")) return { ...found, limit: Number(part(row, "limit").value) };
    const silence = found.kind === "signal" ? "" : part(row, "silence").value;
    return silence ? { ...found, silence: Number(silence) } : found;
  });
}

// A choice has options, a number has bounds.
function show(row) {
  const choice = part(row, "kind").value === "choice";
  for (const field of row.querySelectorAll("[data-for]")) field.hidden = (field.dataset.for === "options") !== choice;
  for (const name of ["low", "high"]) {
    part(row, name).required = !choice;
    part(row, name).step = part(row, "kind").value === "int" ? "1" : "any";
  }
  part(row, "options").required = choice;
}

function arrange() {
  document.getElementById("seen").hidden = !document.querySelector("#context .row");
  // Each outcome says itself what it is for.
  document.getElementById("one").hidden = Boolean(document.querySelector("#outcomes .row"));
}

function written(list) {
  const found = Object.create(null); // a parameter may be called anything
  for (const row of document.querySelectorAll(`#${list} .row`)) found[part(row, "name").value.trim()] = parameter(row);
  return found;
}

function parameter(row) {
  const kind = part(row, "kind").value;
  if (kind === "choice") return optionsOf(part(row, "options").value);
  const bounds = { [kind]: [Number(part(row, "low").value), Number(part(row, "high").value)] };
  return part(row, "log").checked ? { ...bounds, log: true } : bounds;
}

// Options are texts, unless all of them are numbers.
function optionsOf(text) {
  const options = text.split(",").map((option) => option.trim()).filter(Boolean);
  return options.every((option) => Number.isFinite(Number(option))) ? options.map(Number) : options;
}

function twice(list) {
  const names = [...document.querySelectorAll(`#${list} [data-part="name"]`)].map((input) => input.value.trim());
  return names.find((name, place) => names.indexOf(name) !== place);
}

const policy = document.getElementById("policy");
const describe = () => {
  document.getElementById("policy-text").textContent = policy.selectedOptions[0].dataset.text;
};
policy.addEventListener("change", describe);
describe();

for (const button of form.querySelectorAll("[data-add]")) {
  const add = button.dataset.add === "outcomes" ? addOutcome : addRow;
  button.addEventListener("click", () => part(add(document.getElementById(button.dataset.add)), "name").focus());
}
addRow(document.getElementById("parameters"));

form.addEventListener("submit", (event) => {
  event.preventDefault();
  busy(event.submitter, async () => {
    explain(form, "");
    const repeated = twice("parameters") ?? twice("context") ?? twice("outcomes");
    if (repeated !== undefined) return explain(form, `The name ${repeated} comes twice; rename one of them.`);
    if ("seen" in written("context")) return explain(form, "A part of the context cannot be called seen here; rename it.");
    const name = document.getElementById("name").value.trim();
    const body = { name, space: written("parameters"), policy: policy.value, seek: form.elements.seek.value };
    const silence = document.getElementById("silence").value;
    if (document.querySelector("#outcomes .row")) body.outcomes = outcomes();
    else body.goal = form.elements.goal.value;
    if (silence && !body.outcomes) body.silence = Number(silence);
    const seed = document.getElementById("seed").value;
    if (seed) body.seed = Number(seed);
    if (document.querySelector("#context .row")) body.context = { ...written("context"), seen: form.elements.seen.value };
    try {
      await send("POST", "/v1/studies", body);
      location.assign(`/studies/${encodeURIComponent(name)}`);
    } catch (error) {
      explain(form, error.message);
    }
  });
});
