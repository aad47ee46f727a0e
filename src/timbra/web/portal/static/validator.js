// The validator: files and options stay in the form while results and errors replace each other below it.
const form = document.getElementById("validador");
const WANTED = /\.(xml|pdf|zip)$/i;
const maxBytes = Number(form.dataset.maxBytes);
const maxFiles = Number(form.dataset.maxFiles);
const zone = form.querySelector("[data-drop]");
const inputs = form.querySelectorAll("input[type=file]");
const problem = document.getElementById("xml-problem");
const chosenText = form.querySelector("[data-chosen]");
const number = new Intl.NumberFormat("es-MX");
const filesWord = (count) => `${number.format(count)} ${count === 1 ? "archivo" : "archivos"}`;

let files = [];      // what was chosen: {name, file, isOfFolder}
let busy = false;

function say(sentence) {
  problem.textContent = sentence;
  problem.hidden = !sentence;
}

function choose(found) {
  const wanted = found.filter(({ name, isOfFolder }) => !isOfFolder || WANTED.test(name));
  const skipped = found.length - wanted.length;
  const bytes = wanted.reduce((sum, { file }) => sum + file.size, 0);
  files = wanted;
  say("");
  if (found.length && !wanted.length) say("La carpeta no tiene archivos XML, PDF ni ZIP.");
  else if (wanted.length > maxFiles) say(`Son ${filesWord(wanted.length)} y se validan hasta ${number.format(maxFiles)} a la vez.`);
  else if (bytes > maxBytes) say(`Los archivos suman ${number.format(Math.ceil(bytes / 1048576))} MiB y el límite es de ${Math.floor(maxBytes / 1048576)} MiB; valídelos en partes.`);
  if (problem.textContent) files = [];
  chosenText.textContent = files.length ? `${filesWord(files.length)} por validar${files.length === 1 ? `: ${files[0].name}` : ""}${skipped ? `; se omiten ${number.format(skipped)} que no son XML, PDF ni ZIP` : ""}.` : "";
  chosenText.hidden = !files.length;
}

for (const input of inputs)
  input.addEventListener("change", () => {
    for (const other of inputs) if (other !== input) other.value = "";
    choose([...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file, isOfFolder: file.webkitRelativePath !== "" })));
  });

watchDrops(zone, {
  isBusy: () => busy,
  reading() {
    chosenText.hidden = false;
    chosenText.textContent = "Leyendo las carpetas…";
  },
  dropped(found) {
    for (const input of inputs) input.value = "";
    choose(found);
  },
  failed() {
    choose([]);
    say("No se pudo leer lo que soltó; intente de nuevo.");
  },
});

function showExports() {
  for (const hidden of document.querySelectorAll("[data-exports]")) hidden.hidden = !files.length;
}

async function save(answer) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition"))[1];
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function send(submitter) {
  const body = new FormData();
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === "string") body.append(name, value);
  for (const { name, file, isOfFolder } of files) body.append(isOfFolder ? "carpeta" : "xml", file, name);
  let answer;
  try {
    answer = await fetch(form.action, { method: "POST", body });
  } catch {
    throw new Error("No hay conexión con el servidor. Los archivos siguen elegidos; intente de nuevo.");
  }
  if (answer.headers.has("Content-Disposition")) {
    await save(answer);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const results = page.querySelector("[data-results]");
  if (answer.status === 403) throw new Error("La página caducó: cárguela otra vez.");
  if (!results) throw new Error(answer.status === 413 ? "El servidor no admite archivos de ese tamaño." : `El servidor contestó ${answer.status}; intente de nuevo.`);
  document.querySelector("[data-results]").replaceWith(results);
  showExports();
  results.scrollIntoView({ block: "start" });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  event.stopPropagation();
  if (busy) return;
  if (!files.length) {
    if (!problem.textContent) say("Elija o suelte uno o varios archivos XML, PDF o ZIP, o una carpeta.");
    return;
  }
  busy = true;
  const text = chosenText.textContent;
  say("");
  chosenText.textContent = `Validando ${filesWord(files.length)}…`;
  zone.setAttribute("aria-busy", "true");
  try {
    await send(event.submitter);
  } catch (error) {
    say(error.message);
  }
  chosenText.textContent = text;
  zone.removeAttribute("aria-busy");
  busy = false;
});
