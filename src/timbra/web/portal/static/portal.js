// Enhancements of pages that work without JavaScript.
document.documentElement.classList.add("js");

// Requests of htmx carry the CSRF token of the page in a header.
document.addEventListener("htmx:config:request", (event) => {
  const token = document.querySelector('meta[name="csrf-token"]');
  if (token) event.detail.ctx.request.headers["X-CSRF-Token"] = token.content;
});

// A button with data-copy copies the value of the element that it names, or the text of data-text.
async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
function enhance(root) {
  for (const button of root.querySelectorAll("[data-copy], [data-text]")) {
    if (!button.hidden) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = button.dataset.copy && document.getElementById(button.dataset.copy);
      if (source && source.select) source.select();
      await copyText(source ? source.value ?? source.textContent : button.dataset.text);
      const label = button.querySelector("[data-label]") ?? button;
      label.textContent = "Copiado";
    });
  }
  for (const toast of root.querySelectorAll(".toast")) {
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", "Cerrar el aviso");
    close.addEventListener("click", () => toast.remove());
    toast.append(close);
    const leave = () => toast.matches(":hover, :focus-within") ? setTimeout(leave, 4000) : toast.remove();
    setTimeout(leave, 8000);
  }
}
enhance(document);
document.addEventListener("htmx:after:swap", () => enhance(document.getElementById("found") ?? document));

// The theme changes at once; the server keeps it in a cookie.
document.addEventListener("submit", (event) => {
  const form = event.target.closest(".theme");
  if (!form || !event.submitter) return;
  event.preventDefault();
  const theme = event.submitter.value;
  document.documentElement.dataset.theme = theme;
  for (const form of document.querySelectorAll(".theme"))
    for (const button of form.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.value === theme));
  const fields = new URLSearchParams(new FormData(form));
  fields.set("theme", theme);
  fetch(form.action, { method: "POST", body: fields, redirect: "manual" });
});

// Keyboard shortcuts: `/` search, `?` help, `g` and a letter for a page. They can be switched off in the help.
const KEY = "timbra-shortcuts";
const help = document.getElementById("shortcuts");
if (help) {
  const enabled = document.getElementById("shortcuts-enabled");
  enabled.checked = localStorage.getItem(KEY) !== "off";
  enabled.addEventListener("change", () => localStorage.setItem(KEY, enabled.checked ? "on" : "off"));
  const open = document.querySelector(".shortcut-help");
  open.hidden = false;
  open.addEventListener("click", () => help.showModal());
  let prefix = 0;
  document.addEventListener("keydown", (event) => {
    if (!enabled.checked || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("find")?.focus();
    } else if (event.key === "?") help.showModal();
    else if ("jkx".includes(event.key) && !(Date.now() - prefix < 1500)) moveInList(event.key);
    else if (event.key === "g") prefix = Date.now();
    else if (Date.now() - prefix < 1500) {
      prefix = 0;
      document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`)?.click();
    }
  });
}

// The list of documents: `j` and `k` go through the rows, Enter opens, `x` ticks.
function moveInList(key) {
  const links = [...document.querySelectorAll(".documents tbody th a")];
  const now = links.indexOf(document.activeElement.closest("tr")?.querySelector("th a"));
  if (key === "x") links[now]?.closest("tr").querySelector("[name=documento]")?.click();
  else links[key === "j" ? Math.min(now + 1, links.length - 1) : Math.max(now - 1, 0)]?.focus();
}

// The list says what its buttons apply to: what is ticked, else all that was found.
document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-choosing]");
  const count = form?.querySelectorAll("[name=documento]:checked").length;
  if (form) form.querySelector("[data-chosen]").textContent = count
    ? `${count} ${count === 1 ? "elegido" : "elegidos"}: se suman y exportan solo esos`
    : "sin elegir ninguno, se suman y exportan todos";
});

// An export comes in parts, each behind its number of documents and of bytes, and is saved when it is complete. A very
// large one, an error and what the page cannot show are left to the browser.
const MOST_SHOWN = 1000000;
const PART_HEAD = 8;
const JOINED_BYTES = 8 * 1024 * 1024;
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const panel = form.querySelector?.(".download-progress");
  if (!panel || !submitter?.matches("[data-progress]")) return;
  const chosen = form.querySelectorAll("[name=documento]:checked").length;
  const found = chosen || Number(form.dataset.choosing);
  if (found > MOST_SHOWN) return;
  event.preventDefault();
  submitter.closest("details").open = false;
  if (panel.hidden) download(form, submitter, panel, found);
});
async function download(form, button, panel, found) {
  const { aborting, say, fail } = begun(panel);
  say(0, found);
  try {
    const answer = await fetch(button.formAction, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      headers: { "X-Progress": "parts" },
      signal: aborting.signal,
    });
    const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition"))?.[1];
    if (!answer.ok || !name) {
      panel.hidden = true;
      form.action = button.formAction; // the browser shows the page of the error
      form.submit();
      return;
    }
    const file = new Blob([await joined(answer.body.getReader(), (documents) => say(documents, found))], { type: answer.headers.get("Content-Type") });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    panel.hidden = true;
  } catch (error) {
    fail(error, "La descarga");
  }
}

// Show the panel of a task: a bar, a text and a button that stops it.
function begun(panel) {
  const [bar, text, stop] = panel.children;
  const aborting = new AbortController();
  const format = new Intl.NumberFormat("es-MX");
  bar.hidden = false;
  bar.removeAttribute("value");
  stop.textContent = "Detener";
  stop.onclick = () => aborting.abort();
  panel.hidden = false;
  const say = (documents, found) => {
    text.textContent = `${format.format(documents)}${found ? ` de ${format.format(found)}` : ""} documentos`;
    if (found) Object.assign(bar, { max: found, value: documents });
  };
  const fail = (error, task) => {
    bar.hidden = true;
    text.textContent = error.name === "AbortError" ? `${task} se detuvo.` : `${task} se interrumpió; inténtelo de nuevo.`;
    stop.textContent = "Cerrar";
    stop.onclick = () => { panel.hidden = true; };
  };
  return { aborting, say, fail };
}

// Sums of many documents come in parts: the page shows those so far and asks for the next part.
document.addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  const panel = form.querySelector?.(".sum-progress");
  if (!panel || !submitter?.matches("[data-sum]")) return;
  event.preventDefault();
  if (panel.dataset.running === undefined) addUp(form, submitter, panel);
});
async function addUp(form, button, panel) {
  const sums = document.getElementById("sums");
  const { aborting, say, fail } = begun(panel);
  say(0, Number(form.dataset.choosing));
  panel.dataset.running = "";
  sums.setAttribute("aria-busy", "true");
  const fields = new URLSearchParams(new FormData(form));
  try {
    for (;;) {
      const answer = await fetch(button.formAction, {
        method: "POST",
        body: fields,
        headers: { "X-Progress": "parts" },
        signal: aborting.signal,
      });
      if (!answer.ok || answer.redirected) {
        form.action = button.formAction; // the browser shows the page of the error
        form.submit();
        return;
      }
      sums.innerHTML = await answer.text();
      const rest = sums.querySelector("[data-rest]");
      if (!rest) break;
      if (!sums.isConnected) return; // another search has replaced the list
      say(Number(rest.dataset.done), Number(rest.dataset.number));
      fields.set("avance", rest.value);
    }
    panel.hidden = true;
    sums.scrollIntoView({ block: "nearest" });
  } catch (error) {
    fail(error, "La suma");
  } finally {
    delete panel.dataset.running;
    sums.removeAttribute("aria-busy");
  }
}
async function joined(reader, say) {
  let whole = new Blob();
  let kept = [];
  let size = 0;
  let documents = 0;
  let head = new Uint8Array();
  let left = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    let at = 0;
    while (at < value.length) {
      if (!left) {
        const begun = head.length;
        const missing = value.subarray(at, at + PART_HEAD - begun);
        head = Uint8Array.from([...head, ...missing]);
        at += missing.length;
        if (head.length < PART_HEAD) break;
        const view = new DataView(head.buffer);
        documents += view.getUint32(0);
        left = view.getUint32(4);
        head = new Uint8Array();
        continue;
      }
      const piece = value.subarray(at, at + left);
      kept.push(piece);
      size += piece.length;
      at += piece.length;
      left -= piece.length;
    }
    if (size > JOINED_BYTES) {
      whole = new Blob([whole, ...kept]); // the browser may keep it on disk
      kept = [];
      size = 0;
    }
    say(documents);
  }
  if (left || head.length) throw new Error("incomplete");
  return new Blob([whole, ...kept]);
}

// The document in the editor, kept in the tab.
const DRAFT = "timbra-draft";
function storeDraft(text) {
  try {
    sessionStorage.setItem(DRAFT, text);
  } catch {
    sessionStorage.removeItem(DRAFT); // no room: the text stays in the page only
  }
}

// The editor: numbers of lines, marks at lines and attributes of findings, and files that are dropped on it. Below the
// text lies a copy of it, line by line, which has the marks and the heights of wrapped lines.
const editor = document.querySelector("[data-editor]");
if (editor) {
  const PDF = "25504446"; // %PDF
  const MAX_BYTES = 2 * 1024 * 1024;
  const MOST_LINES = 20000;
  const MOST_WRAPPED = 3000;
  const area = editor.querySelector("textarea");
  const gutter = editor.querySelector(".gutter");
  const copy = editor.querySelector(".backdrop");
  const wrap = document.getElementById("wrap");
  const marks = new Map();
  let attributes = [];
  for (const mark of area.dataset.marks.split(" ").filter(Boolean)) {
    const [line, kind, attribute] = mark.split(":");
    if (marks.get(line) !== "error") marks.set(line, kind);
    if (attribute) attributes.push({ line: Number(line), kind, attribute });
  }
  let count = 0;
  let drawn = "";
  // Line and columns of an attribute, in the start tag that begins at a line; null when it is not there.
  const placeOf = (lines, { line, attribute }) => {
    for (let at = line - 1; at < Math.min(lines.length, line + 60); at += 1) {
      const found = new RegExp(`(?:^|\\s)(${attribute}\\s*=\\s*("[^"]*"|'[^']*'))`).exec(lines[at]);
      if (found) {
        const start = found.index + found[0].indexOf(found[1]);
        return { at, start, end: start + found[1].length };
      }
      if (lines[at].includes(">")) return null;
    }
    return null;
  };
  const drawCopy = (lines) => {
    const places = attributes.map((each) => ({ ...placeOf(lines, each), kind: each.kind })).filter((each) => each.end);
    copy.replaceChildren(...lines.map((text, at) => {
      const row = document.createElement("div");
      let end = 0;
      for (const place of places.filter((each) => each.at === at && each.start >= 0).sort((a, b) => a.start - b.start)) {
        if (place.start < end) continue;
        const mark = document.createElement("mark");
        mark.className = place.kind;
        mark.textContent = text.slice(place.start, place.end);
        row.append(text.slice(end, place.start), mark);
        end = place.end;
      }
      row.append(text.slice(end) || (end ? "" : " "));
      return row;
    }));
  };
  const draw = () => {
    const lines = area.value.split("\n");
    const isCopied = lines.length <= MOST_WRAPPED;
    area.classList.toggle("wrapped", isCopied && wrap.checked);
    copy.classList.toggle("wrapped", isCopied && wrap.checked);
    copy.hidden = !isCopied;
    if (count !== Math.min(lines.length, MOST_LINES)) {
      count = Math.min(lines.length, MOST_LINES);
      gutter.replaceChildren(...Array.from({ length: count }, (_, index) => {
        const number = document.createElement("span");
        number.textContent = index + 1;
        number.className = marks.get(String(index + 1)) ?? "";
        return number;
      }));
    }
    copy.style.width = `${area.clientWidth}px`;
    const state = `${area.clientWidth} ${wrap.checked} ${attributes.length} ${area.value}`;
    if (isCopied && state !== drawn) {
      drawn = state;
      drawCopy(lines);
      const heights = Array.from(copy.children, (row) => row.getBoundingClientRect().height);
      heights.forEach((height, index) => { gutter.children[index].style.height = `${height}px`; });
    }
    gutter.style.setProperty("--editor-height", `${area.clientHeight}px`);
    follow();
  };
  const follow = () => {
    gutter.scrollTop = area.scrollTop;
    copy.scrollTop = area.scrollTop;
    copy.scrollLeft = area.scrollLeft;
  };
  gutter.hidden = false;
  wrap.closest("label").hidden = false;
  wrap.addEventListener("change", draw);
  let timer = 0;
  const keep = () => storeDraft(area.value);
  area.addEventListener("input", () => {
    draw();
    clearTimeout(timer);
    timer = setTimeout(keep, 500);
  });
  area.addEventListener("scroll", follow);
  new ResizeObserver(draw).observe(area);
  draw();
  const goTo = (line, attribute) => {
    const lines = area.value.split("\n");
    const place = (attribute && placeOf(lines, { line, attribute })) || { at: line - 1, start: 0, end: lines[line - 1].length };
    const start = lines.slice(0, place.at).reduce((sum, text) => sum + text.length + 1, 0);
    area.focus();
    area.setSelectionRange(start + place.start, start + place.end);
    const row = copy.hidden ? null : copy.children[Math.max(0, place.at - 5)];
    area.scrollTop = row ? row.offsetTop : Math.max(0, (place.at - 5) * (area.scrollHeight / lines.length));
    if (area.classList.contains("wrapped")) area.scrollLeft = 0;
  };
  for (const link of document.querySelectorAll("[data-line]"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      goTo(Number(link.dataset.line), link.dataset.attribute);
    });
  const problem = document.getElementById("archivo-problem");
  const startOf = async (file) => Array.from(new Uint8Array(await file.slice(0, 8).arrayBuffer()), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const load = async (file) => {
    if (!file) return false;
    const isLarge = file.size > MAX_BYTES;
    problem.hidden = !isLarge;
    problem.textContent = isLarge ? `${file.name} mide ${(file.size / 1048576).toFixed(1)} MiB y el editor admite 2 MiB; tímbrelo por la API.` : "";
    if (isLarge) return false;
    // What is no text is named instead of shown; the server has the sentences, by the first bytes.
    const start = await startOf(file);
    const kinds = JSON.parse(area.dataset.kinds);
    const kind = Object.keys(kinds).find((each) => start.startsWith(each));
    problem.hidden = !kind;
    problem.textContent = kind ? `${file.name}: ${kinds[kind]}` : "";
    if (kind) return false;
    area.value = await file.text();
    marks.clear();
    attributes = [];
    count = 0;
    draw();
    return true;
  };
  const chosen = document.getElementById("archivo");
  const form = editor.closest("form");
  const take = async (file) => {
    if (file && file.size <= MAX_BYTES && (await startOf(file)).startsWith(PDF)) {
      // The server reads the CFDI that a PDF has attached, and shows it in the editor.
      const sent = new DataTransfer();
      sent.items.add(file);
      chosen.files = sent.files;
      form.requestSubmit(form.querySelector("button[value=revisar]"));
      return;
    }
    await load(file);
    chosen.value = ""; // a file that is too large is not sent either
    keep();
  };
  chosen.addEventListener("change", () => take(chosen.files[0]));
  for (const name of ["dragover", "dragleave", "drop"])
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("over", name === "dragover");
      if (name === "drop") take(event.dataTransfer.files[0]);
    });
  // The text is kept in the tab until it is stamped: it survives the end of the session and a reload.
  const note = document.getElementById("kept-note");
  const kept = sessionStorage.getItem(DRAFT);
  if (!area.value.trim() && kept) {
    area.value = kept;
    count = 0;
    draw();
    note.hidden = false;
    note.querySelector("button").addEventListener("click", () => {
      sessionStorage.removeItem(DRAFT);
      area.value = "";
      count = 0;
      draw();
      note.hidden = true;
      area.focus();
    });
  }
  form.addEventListener("submit", keep);
}
const notice = new URLSearchParams(location.search).get("aviso");
if (notice === "timbrada") sessionStorage.removeItem(DRAFT);
// The form of an invoice is kept in the same way, by invoices.js.
if (["timbrada", "guardado", "sustituida"].includes(notice)) sessionStorage.removeItem("timbra-invoice");
const sentText = document.querySelector("[data-kept]");
if (sentText?.value) storeDraft(sentText.value);

// A form is sent once: while the answer is on its way, its buttons do nothing.
document.addEventListener("submit", (event) => {
  const form = event.target;
  const isDownload = event.submitter?.matches("[data-download]") || form.matches("[data-download]");
  if (event.defaultPrevented || form.method !== "post" || form.matches(".theme") || isDownload) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  form.setAttribute("aria-busy", "true");
  for (const button of form.querySelectorAll("button:not([type=button])")) button.setAttribute("aria-disabled", "true");
});
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.removeAttribute("aria-busy");
    for (const button of form.querySelectorAll("[aria-disabled]")) button.removeAttribute("aria-disabled");
  }
});
