// Figures: fetched when they are looked at, in the colours of the page, stacked on a phone, and growing with the time.

const root = document.documentElement;
const narrow = matchMedia("(max-width: 40rem)");
const touched = matchMedia("(pointer: coarse)");
const dark = matchMedia("(prefers-color-scheme: dark)");
const config = { responsive: true, displayModeBar: false, displaylogo: false, scrollZoom: false };
const MODEL_PAUSE = 4000;
const PANEL = 230;
const HEAD = 120;

// Watch over all figures; what is returned lets them be drawn anew: all, or those that need no model.
export function watch(here) {
  const figures = [...document.querySelectorAll(".figure")].map((place) => new Figure(here, place));
  const eye = new IntersectionObserver((entries) => {
    for (const entry of entries) figures.find((figure) => figure.place === entry.target).look(entry.isIntersecting);
  }, { rootMargin: "200px" });
  for (const figure of figures) eye.observe(figure.place);
  for (const query of [narrow, dark]) query.addEventListener("change", () => figures.forEach((figure) => figure.draw()));
  setInterval(() => figures.forEach((figure) => figure.grow()), 1000);
  return (all) => figures.forEach((figure) => (all || !figure.pause) && figure.stale());
}

class Figure {
  constructor(here, place) {
    this.place = place;
    this.url = `${here}/figures/${place.dataset.kind}`;
    this.notes = document.getElementById(`notes-${place.dataset.kind}`);
    this.title = document.getElementById(`title-${place.dataset.kind}`).textContent;
    this.pause = "modelled" in place.dataset ? MODEL_PAUSE : 0;
    this.old = true;
    this.seen = false;
    this.fetched = -Infinity;
  }

  look(seen) {
    this.seen = seen;
    this.refresh();
  }

  stale() {
    this.old = true;
    const lacking = this.place.querySelector(".lacking");
    if (lacking && !this.seen) lacking.textContent = "Drawing …";
    this.refresh();
  }

  // Fetch the figure if it is old and looked at; what needs a model, not more than every few seconds.
  async refresh() {
    if (!this.old || !this.seen || this.fetching || this.waiting) return;
    const wait = this.fetched + this.pause - performance.now();
    if (wait > 0) {
      this.waiting = setTimeout(() => { this.waiting = null; this.refresh(); }, wait);
      return;
    }
    this.fetching = true;
    this.old = false;
    this.place.setAttribute("aria-busy", "true");
    const response = await fetch(this.url).catch(() => null);
    const found = await response?.json().catch(() => null);
    this.fetched = performance.now();
    this.fetching = false;
    this.place.removeAttribute("aria-busy");
    if (found && response.ok) {
      this.drawing = found;
      this.loaded = Date.now() / 1000;
    } else if (!this.drawing) this.drawing = { lacking: found?.error?.message ?? "The service cannot be reached.", notes: "" };
    this.draw();
    this.refresh();
  }

  draw() {
    if (!this.drawing) return;
    const { lacking, notes, figure } = this.drawing;
    this.notes.textContent = notes;
    if (lacking) {
      Plotly.purge(this.place);
      const text = document.createElement("p");
      text.className = "lacking soft";
      text.textContent = lacking;
      this.place.replaceChildren(text);
      this.place.removeAttribute("role");
      this.place.removeAttribute("aria-label");
      return;
    }
    this.place.querySelector(".lacking")?.remove();
    const layout = fitted(figure);
    for (const name of ["--height", "--stacked"]) this.place.style.setProperty(name, `${layout.height}px`);
    this.place.setAttribute("role", "img");
    this.place.setAttribute("aria-label", `${this.title}. ${notes}`.trim());
    this.grown = figure.layout.meta?.now ?? 0;
    Plotly.react(this.place, figure.data, layout, config);
    // What is drawn again, as in other colours, may have been fetched a while ago.
    this.grow();
  }

  // Bars of queries that wait reach to the present, whenever that has moved by a pixel or so.
  grow() {
    const meta = this.place.layout?.meta;
    if (!this.seen || !meta || document.hidden) return;
    const growing = this.place.data.filter((trace) => trace.meta?.grows);
    const now = this.drawing.figure.layout.meta.now + Date.now() / 1000 - this.loaded;
    const [low, high] = this.place._fullLayout.xaxis.range;
    const at = (now - meta.began) / meta.length;
    if (!growing.length || (at - (this.grown - meta.began) / meta.length) < (high - low) / 500) return;
    this.grown = now;
    for (const trace of growing) {
      const step = trace.meta.grows === "spans" ? 3 : 1;
      trace.x = Array.from(trace.x, (x, place) => (place % step === Math.min(step - 1, 1) ? at : x));
    }
    const shapes = (this.place.layout.shapes ?? []).map((shape) => ({ ...shape, x0: at, x1: at }));
    Plotly.react(this.place, this.place.data, { ...this.place.layout, shapes, datarevision: now }, config);
  }
}

// The layout in the page's ink, with one panel below the other where there is no room for two.
function fitted(figure) {
  const style = getComputedStyle(root);
  const layout = structuredClone(figure.layout);
  const value = (name) => style.getPropertyValue(name).trim();
  layout.font = { ...layout.font, color: value("--soft") };
  layout.hoverlabel = { ...layout.hoverlabel, bgcolor: value("--card"), bordercolor: value("--edge"), font: { ...layout.hoverlabel?.font, color: value("--ink") } };
  layout.autosize = true;
  // What the reader has zoomed into or hidden stays so when new answers come.
  layout.uirevision = "the reader's";
  // A finger scrolls the page.
  if (touched.matches) layout.dragmode = false;
  delete layout.width;
  if (!narrow.matches) return layout;
  layout.margin = { ...layout.margin, l: 44, r: 10 };
  const axes = [...new Set(figure.data.map((trace) => (trace.xaxis ?? "x").slice(1)))];
  if (axes.length > 1) stack(layout, axes);
  return layout;
}

function stack(layout, axes) {
  layout.height = HEAD + PANEL * axes.length;
  const gap = 70 / layout.height;
  const share = (1 - gap * (axes.length - 1)) / axes.length;
  const title = layout.yaxis.title;
  axes.forEach((axis, place) => {
    const top = 1 - place * (share + gap);
    layout[`xaxis${axis}`].domain = [0, 1];
    layout[`yaxis${axis}`].domain = [Math.max(0, top - share), top];
    layout[`yaxis${axis}`].showticklabels = true;
    layout[`yaxis${axis}`].title = title;
  });
}
