// The live view of the request inspector: new rows by server-sent events, above the rows of the page.
const MAX_ROWS = 200;
const state = document.getElementById("live-state");
const pause = document.getElementById("live-pause");
let source = null;
let paused = false;

function show(text, name, link) {
  state.hidden = false;
  state.dataset.state = name;
  state.replaceChildren(text);
  if (link) {
    const anchor = document.createElement("a");
    anchor.href = link.href;
    anchor.textContent = link.text;
    state.append(" ", anchor);
  }
}
function sessionEnded() {
  pause.hidden = true;
  show("La sesión terminó.", "ended", { href: "/portal/entrar", text: "Entre de nuevo" });
}
function close() {
  if (source) source.close();
  source = null;
}
function addRows(section, html) {
  const body = section.querySelector("tbody");
  const rows = document.createElement("template");
  rows.innerHTML = html;
  for (const row of [...rows.content.querySelectorAll("tr")].reverse())
    if (!body.querySelector(`[data-call="${CSS.escape(row.dataset.call)}"]`)) body.prepend(row);
  while (body.rows.length > MAX_ROWS) body.rows[body.rows.length - 1].remove();
  section.querySelector("[data-calls]").hidden = false;
  section.querySelector("[data-empty]")?.remove();
}
function connect() {
  close();
  const section = document.querySelector("[data-live]");
  pause.hidden = !section;
  if (!section) {
    state.hidden = true;
    return;
  }
  if (paused || document.hidden) return;
  const address = new URL(section.dataset.live, location.href);
  if (section.dataset.last) address.searchParams.set("desde", section.dataset.last);
  const opened = source = new EventSource(address);
  opened.addEventListener("open", () => show("En vivo", "open"));
  opened.addEventListener("calls", (event) => {
    section.dataset.last = event.lastEventId;
    addRows(section, event.data);
  });
  opened.addEventListener("end", (event) => {
    opened.close();
    if (event.data === "session") sessionEnded();
    else show("En pausa: hay otras vistas en vivo abiertas.", "ended");
  });
  opened.addEventListener("error", () => {
    if (opened.readyState !== EventSource.CLOSED) show("Sin conexión; se intenta de nuevo.", "waiting");
    else show("La vista en vivo terminó.", "ended", { href: location.href, text: "Volver a cargar" });
  });
}
pause.addEventListener("click", () => {
  paused = !paused;
  pause.setAttribute("aria-pressed", String(paused));
  if (paused) {
    close();
    show("En pausa", "paused");
  } else connect();
});
// A hidden tab has no connection: browsers allow a few for each server.
document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else connect(); });
document.addEventListener("htmx:after:swap", connect);
connect();
