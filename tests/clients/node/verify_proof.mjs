// Verifies a proof of a transparency log with Node.js alone: node verify_proof.mjs PROOF VKEY XML
// Formats: c2sp.org/tlog-proof, c2sp.org/tlog-checkpoint, c2sp.org/signed-note; hashes of RFC 6962.
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const leafHash = (content) => sha256(Buffer.from([0]), content);
const nodeHash = (left, right) => sha256(Buffer.from([1]), left, right);
const base64 = (text) => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw new Error(`not base64: ${text}`);
  return bytes;
};

function readKey(text) {
  const [, name, id, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim());
  const typed = base64(encoded);
  if (typed.length !== 33 || typed[0] !== 1) throw new Error("not an Ed25519 key");
  if (sha256(Buffer.from(`${name}\n`), typed).toString("hex", 0, 4) !== id) throw new Error("wrong key id");
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), typed.subarray(1)]);
  return { name, id, key: createPublicKey({ key: spki, format: "der", type: "spki" }) };
}

function readCheckpoint(note, { name, id, key }) {
  const end = note.indexOf("\n\n") + 1;
  const text = note.slice(0, end);
  const isSigned = note
    .slice(end + 1)
    .split("\n")
    .filter((line) => line.startsWith(`\u2014 ${name} `))
    .map((line) => base64(line.split(" ")[2]))
    .some((bytes) => bytes.toString("hex", 0, 4) === id && verify(null, Buffer.from(text), key, bytes.subarray(4)));
  if (!isSigned) throw new Error("no signature of the key");
  const [origin, size, root] = text.split("\n");
  if (origin !== name) throw new Error("the checkpoint is of another log");
  return { size: BigInt(size), root: base64(root) };
}

function rootOf(leaf, index, size, proof) {
  if (index >= size) throw new Error("the leaf is behind the end");
  let [node, last, hash] = [index, size - 1n, leaf];
  for (const sibling of proof) {
    if (last === 0n) throw new Error("the proof is too long");
    if (node & 1n || node === last) {
      hash = nodeHash(sibling, hash);
      while (node && !(node & 1n)) [node, last] = [node >> 1n, last >> 1n];
    } else {
      hash = nodeHash(hash, sibling);
    }
    [node, last] = [node >> 1n, last >> 1n];
  }
  if (last !== 0n) throw new Error("the proof is too short");
  return hash;
}

const [proofFile, keyText, documentFile] = process.argv.slice(2);
const proof = readFileSync(proofFile, "utf8");
const middle = proof.indexOf("\n\n");
const [format, extra, index, ...hashes] = proof.slice(0, middle).split("\n");
if (format !== "c2sp.org/tlog-proof@v1" || !extra.startsWith("extra ") || !/^index (0|[1-9]\d*)$/.test(index)) {
  throw new Error("not a proof");
}
const content = base64(extra.slice(6));
const checkpoint = readCheckpoint(proof.slice(middle + 2), readKey(keyText));
const root = rootOf(leafHash(content), BigInt(index.slice(6)), checkpoint.size, hashes.map(base64));
if (!root.equals(checkpoint.root)) throw new Error("the leaf is not in the log");
const leaf = JSON.parse(content);
if (leaf.sha256 !== sha256(readFileSync(documentFile)).toString("hex")) throw new Error("another document");
console.log(`${leaf.kind} ${leaf.uuid} ${index} of ${checkpoint.size}`);
