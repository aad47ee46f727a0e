// Upload of received documents: folders and many files go to the server in parts, one after the other.
const form = document.getElementById("received");
const PART_FILES = 200;
const PART_BYTES = 4 * 1024 * 1024;
const WANTED = /\.(xml|pdf|zip|txt)$/i;
const maxBytes = Number(form.dataset.maxBytes);
const maxDocuments = Number(form.dataset.maxDocuments);
const zone = form.querySelector("[data-drop]");
const input = document.getElementById("archivos");
const problem = document.getElementById("archivos-problem");
const chosenText = form.querySelector("[data-chosen]");
const panel = form.querySelector(".upload-progress");
const bar = document.getElementById("avance");
const text = document.getElementById("avance-text");
const again = form.querySelector("[data-continue]");
const results = form.querySelector("[data-results]");
const number = new Intl.NumberFormat("es-MX");

let files = [];      // what was chosen: {name, file}
let parts = [];      // what was not sent yet
let run = null;
let busy = false;
let sent = 0;
let counts = { done: 0, wrong: 0, ignored: 0, stored: 0 };

function say(sentence) {
  problem.textContent = sentence;
  problem.hidden = !sentence;
}

function choose(found) {
  const wanted = withoutPrints(found.filter(({ name }) => WANTED.test(name)));
  const large = wanted.filter(({ file }) => file.size > maxBytes);
  files = wanted.filter(({ file }) => file.size <= maxBytes);
  const sentences = [];
  if (large.length)
    sentences.push(`${large[0].name} mide ${number.format(Math.ceil(large[0].file.size / 1048576))} MiB y el límite es de ${Math.floor(maxBytes / 1048576)} MiB: descomprímalo y suelte la carpeta.${large.length > 1 ? ` Y otros ${large.length - 1}.` : ""}`);
  if (files.length > maxDocuments) {
    sentences.push(`Son ${number.format(files.length)} archivos y una revisión admite ${number.format(maxDocuments)}: suéltelos en varias.`);
    files = [];
  }
  if (found.length && !wanted.length) sentences.push("Ninguno es un archivo XML, PDF, ZIP o TXT.");
  say(sentences.join(" "));
  const skipped = found.length - wanted.length;
  chosenText.textContent = files.length ? `${number.format(files.length)} ${files.length === 1 ? "archivo" : "archivos"} por revisar${skipped ? `; se omiten ${number.format(skipped)} que no son documentos, o son el PDF de un XML` : ""}.` : "";
  chosenText.hidden = !files.length;
}

input.addEventListener("change", () => choose([...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file }))));

watchDrops(zone, {
  isBusy: () => busy,
  reading() {
    chosenText.hidden = false;
    chosenText.textContent = "Leyendo las carpetas…";
  },
  dropped(found) {
    choose(found);
    if (files.length && !problem.textContent) form.requestSubmit();
  },
  failed() {
    choose([]);
    say("No se pudo leer lo que soltó; intente de nuevo.");
  },
});

function split(all) {
  const made = [];
  let part = [];
  let size = 0;
  for (const each of all) {
    if (part.length && (part.length >= PART_FILES || size + each.file.size > PART_BYTES)) {
      made.push(part);
      part = [];
      size = 0;
    }
    part.push(each);
    size += each.file.size;
  }
  if (part.length) made.push(part);
  return made;
}

const token = () => document.querySelector('meta[name="csrf-token"]').content;

// A failed request stops the upload; what was not sent yet is kept, and "Continuar" goes on.
class Interrupted extends Error {}

async function post(address, body) {
  let answer;
  try {
    answer = await fetch(address, { method: "POST", body, headers: { "X-CSRF-Token": token(), Accept: "application/json" } });
  } catch {
    throw new Interrupted("Se cortó la conexión. Lo revisado está guardado; pulse Continuar para seguir.");
  }
  if (answer.redirected || answer.status === 401 || answer.status === 403)
    throw new Interrupted("La sesión terminó. Entre otra vez en otra pestaña y pulse Continuar: lo revisado está guardado y los archivos siguen aquí.");
  if (answer.status === 404) throw new Error("La revisión ya no existe: se eliminó en otra pestaña.");
  if (!answer.ok) {
    const content = await answer.json().catch(() => null);
    const sentence = content?.error ?? (answer.status === 413 ? "El servidor no admite archivos de ese tamaño." : `El servidor contestó ${answer.status}.`);
    throw answer.status >= 500 ? new Interrupted(`${sentence} Pulse Continuar para seguir.`) : new Error(sentence);
  }
  return answer;
}

async function sendPart(part, options) {
  const body = new FormData();
  for (const [name, value] of options) body.append(name, value);
  for (const { name, file } of part) body.append("archivos", file, name);
  const answer = await post(`/portal/proveedores/${run}/archivos`, body);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = null;
  for (;;) {
    let piece;
    try {
      piece = await reader.read();
    } catch {
      throw new Interrupted("Se cortó la conexión. Lo revisado está guardado; pulse Continuar para seguir.");
    }
    if (piece.done) break;
    const lines = (rest + piece.value).split("\n");
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      last = JSON.parse(line);
      if (last.error) throw new Error(last.error);
      show(part, last);
    }
  }
  if (!last || last.done < last.total) throw new Interrupted("Se cortó la conexión. Lo revisado está guardado; pulse Continuar para seguir.");
  for (const name in counts) counts[name] += last[name];
  sent += part.length;
}

function show(part, step) {
  const share = step && step.total ? step.done / step.total : 0;
  bar.max = files.length;
  bar.value = sent + share * part.length;
  const done = counts.done + (step?.done ?? 0);
  const wrong = counts.wrong + (step?.wrong ?? 0);
  text.textContent = `${number.format(done)} documentos revisados, ${number.format(wrong)} con errores.`;
}

async function refreshToken() {
  const answer = await fetch("/portal/proveedores");
  if (answer.redirected) throw new Interrupted("La sesión sigue cerrada. Entre en otra pestaña y pulse Continuar.");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.querySelector('meta[name="csrf-token"]').content = page.querySelector('meta[name="csrf-token"]').content;
}

async function upload() {
  if (busy) return;
  busy = true;
  const button = form.querySelector("button:not([type])");
  button.disabled = true;
  input.disabled = true;
  panel.hidden = false;
  again.hidden = true;
  say("");
  const options = [...new FormData(form)].filter(([, value]) => typeof value === "string");
  try {
    if (run === null) {
      const body = new FormData();
      for (const [name, value] of options) body.append(name, value);
      body.append("nombre", files[0].name);
      run = (await (await post("/portal/proveedores", body)).json()).run;
      parts = split(files);
      results.href = `/portal/proveedores/${run}`;
    }
    while (parts.length) {
      show(parts[0], null);
      await sendPart(parts[0], options);
      parts.shift();
    }
    window.onbeforeunload = null;
    location.assign(`/portal/proveedores/${run}${counts.stored ? `?guardados=${counts.stored}` : ""}`);
  } catch (error) {
    say(error.message);
    again.hidden = !(error instanceof Interrupted);
    results.hidden = run === null;
    busy = false;
    input.disabled = run !== null;
    button.disabled = run !== null;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  event.stopPropagation();
  if (!files.length) {
    if (!problem.textContent) say("Elija o suelte uno o varios archivos XML, ZIP o TXT.");
    return;
  }
  upload();
});
again.addEventListener("click", async () => {
  again.hidden = true;
  try {
    await refreshToken();
  } catch (error) {
    say(error instanceof Interrupted ? error.message : "No hay conexión con el servidor. Pulse Continuar para seguir.");
    again.hidden = false;
    return;
  }
  upload();
});
