// An area that takes dropped files and folders.

// A folder is read entry by entry; browsers give at most 100 entries at once.
async function readEntry(entry, path, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ name: path + entry.name, file, isOfFolder: path !== "" });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!entries.length) return;
    for (const each of entries) await readEntry(each, `${path}${entry.name}/`, found);
  }
}

// A PDF beside an XML of its name is the print of that document.
function withoutPrints(found) {
  const documents = new Set(found.filter(({ name }) => /\.xml$/i.test(name)).map(({ name }) => name.slice(0, -4)));
  return found.filter(({ name }) => !/\.pdf$/i.test(name) || !documents.has(name.slice(0, -4)));
}

// isBusy: whether drops are ignored; reading: called before folders are read; dropped: takes what was found; failed: called when a folder cannot be read.
function watchDrops(zone, { isBusy, reading, dropped, failed }) {
  for (const name of ["dragover", "dragleave", "drop"])
    zone.addEventListener(name, async (event) => {
      event.preventDefault();
      zone.classList.toggle("over", name === "dragover");
      if (name !== "drop" || isBusy()) return;
      // The list of items is empty after the first pause, so that the entries are taken at once.
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
      const plain = [...event.dataTransfer.files].map((file) => ({ name: file.name, file, isOfFolder: false }));
      const found = [];
      reading();
      try {
        for (const entry of entries) await readEntry(entry, "", found);
      } catch {
        failed();
        return;
      }
      dropped(entries.length ? found : plain);
    });
}
