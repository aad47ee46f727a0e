// Issue an invoice with Node.js 18 or newer, without packages: node issue.mjs invoice.xml
import { readFile, writeFile } from "node:fs/promises";

const url = process.env.TIMBRA_URL ?? "http://127.0.0.1:8080";
const token = process.env.TIMBRA_TOKEN;

const form = new FormData();
form.append("xml", new Blob([await readFile(process.argv[2])]), "invoice.xml");
const response = await fetch(`${url}/cfdi33/issue/v4`, {
  method: "POST",
  headers: { Authorization: `Bearer ${token}` },
  body: form,
});
const answer = await response.json();

// 307: this invoice was stamped before, for instance by a request whose answer was lost. `data` is its stamp.
if (answer.status !== "success" && !answer.message.startsWith("307")) {
  console.error(answer.message, answer.messageDetail ?? "");
  process.exit(1);
}
const stamp = answer.data;
console.log(stamp.uuid, stamp.fechaTimbrado);
await writeFile(`${stamp.uuid}.xml`, stamp.cfdi);
