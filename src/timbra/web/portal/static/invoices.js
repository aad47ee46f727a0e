// The form of an invoice: live amounts and options, lines without a reload, and the search of keys by words.
const LIVE_MS = 400;
const SEARCH_MS = 250;

const KEPT_FORM = "timbra-invoice";

const form = () => document.getElementById("invoice");
let newest = 0;
let timer = 0;

// Send the fields and return the page of the answer; null when a newer request has been sent.
async function send(action, fields = new URLSearchParams(new FormData(form()))) {
  const number = ++newest;
  clearTimeout(timer);
  fields.set("accion", action);
  const answer = await fetch(form().action, { method: "POST", body: fields });
  const text = await answer.text();
  if (number !== newest) return null;
  const page = new DOMParser().parseFromString(text, "text/html");
  return page.getElementById("invoice") ? page : null;
}

// Amounts, texts of keys and dependent options follow the fields; what is being written stays.
async function refresh() {
  const page = await send("calcular").catch(() => null);
  if (!page) return;
  for (const element of document.querySelectorAll("#invoice [data-live]")) {
    const fresh = page.getElementById(element.id);
    if (!fresh || element === document.activeElement || element.contains(document.activeElement)) continue;
    if (fresh.innerHTML === element.innerHTML) continue;
    if (fresh.tagName !== element.tagName) element.replaceWith(fresh);
    else element.innerHTML = fresh.innerHTML;
  }
  // Fields that are empty get what the account has used before; the name of the issuer follows its RFC.
  for (const input of document.querySelectorAll("#invoice input[type=text], #invoice input[type=datetime-local]")) {
    const fresh = page.getElementById(input.id)?.getAttribute("value");
    if (fresh && (!input.value || input.hasAttribute("data-server")) && input !== document.activeElement) input.value = fresh;
  }
  const isGlobal = page.getElementById("global")?.open;
  if (isGlobal) document.getElementById("global").open = true;
}

// A button that changes the form: the answer takes its place, and the focus goes where the server says.
async function replaceForm(button) {
  const page = await send(button.value).catch(() => null);
  if (page) show(page);
  else form().submit();
}
function show(page) {
  const { scrollX, scrollY } = window;
  const open = document.getElementById("document").open;
  form().replaceWith(page.getElementById("invoice"));
  document.getElementById("document").open = open;
  window.scrollTo(scrollX, scrollY);
  form().querySelector("[autofocus]")?.focus();
  prepare();
}

// The fields are kept in the tab until they are stamped or stored: they survive the end of the session.
function keep() {
  const fields = new URLSearchParams(new FormData(form()));
  fields.delete("csrf_token");
  try {
    sessionStorage.setItem(KEPT_FORM, fields.toString());
  } catch {
    sessionStorage.removeItem(KEPT_FORM); // no room: the fields stay in the page only
  }
}
async function recover() {
  const kept = sessionStorage.getItem(KEPT_FORM);
  if (!kept || !form().hasAttribute("data-new")) return;
  const fields = new URLSearchParams(kept);
  fields.set("csrf_token", form().elements.csrf_token.value);
  const page = await send("calcular", fields).catch(() => null);
  if (!page) return;
  show(page);
  const note = document.getElementById("kept-note");
  note.hidden = false;
  note.querySelector("button").addEventListener("click", () => {
    sessionStorage.removeItem(KEPT_FORM);
    location.reload();
  });
}

// The list of keys below a field; the arrows choose, Enter takes, Escape closes.
let list = null;
function close() {
  if (!list) return;
  const input = document.getElementById(list.dataset.for);
  input?.setAttribute("aria-expanded", "false");
  input?.removeAttribute("aria-activedescendant");
  list.remove();
  list = null;
}
function take(option) {
  const input = document.getElementById(list.dataset.for);
  input.value = option.dataset.value;
  close();
  input.focus();
  refresh();
}
function mark(option) {
  for (const each of list.children) each.setAttribute("aria-selected", String(each === option));
  document.getElementById(list.dataset.for).setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}
async function search(input) {
  const field = input.closest("[data-search]");
  const query = input.value.trim();
  if (!query) return close();
  const address = `${form().dataset.keys}?${new URLSearchParams({ campo: field.dataset.search, q: query })}`;
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok || input.value.trim() !== query || document.activeElement !== input) return;
  const found = await answer.json();
  close();
  if (!found.length || (found.length === 1 && found[0].value === query)) return;
  list = document.createElement("ul");
  list.className = "key-list";
  list.id = `${input.id}-list`;
  list.dataset.for = input.id;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Claves encontradas");
  for (const [index, key] of found.entries()) {
    const option = document.createElement("li");
    option.id = `${list.id}-${index}`;
    option.dataset.value = key.value;
    option.textContent = key.text;
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.addEventListener("mousedown", (event) => {
      event.preventDefault();
      take(option);
    });
    list.append(option);
  }
  input.after(list);
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", list.id);
}
function prepare() {
  for (const input of form().querySelectorAll("[data-search] > input")) {
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-expanded", "false");
    let searching = 0;
    input.addEventListener("input", () => {
      clearTimeout(searching);
      searching = setTimeout(() => search(input), SEARCH_MS);
    });
    input.addEventListener("blur", close);
    // Words that are no key are searched when the field gets the focus, as after a review.
    input.addEventListener("focus", () => {
      if (input.closest("[data-search]").querySelector(".found-keys button")) search(input);
    });
    input.addEventListener("keydown", (event) => {
      if (!list) return;
      const options = [...list.children];
      const at = options.findIndex((each) => each.getAttribute("aria-selected") === "true");
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const step = event.key === "ArrowDown" ? 1 : -1;
        mark(options[(at + step + options.length + (at < 0 && step < 0 ? 1 : 0)) % options.length]);
      } else if (event.key === "Enter" && at >= 0) take(options[at]);
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
    });
  }
}

if (form()) {
  prepare();
  recover();
  document.addEventListener("input", (event) => {
    if (!event.target.closest("#invoice")) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      keep();
      refresh();
    }, LIVE_MS);
  });
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.target === form()) keep();
    if (event.target !== form() || !button?.hasAttribute("data-inside")) return;
    event.preventDefault();
    replaceForm(button);
  });
}
