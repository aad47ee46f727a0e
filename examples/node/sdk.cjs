// Stamp a sealed invoice with the vendor's SDK, sw-sdk-nodejs 1.1.4: node sdk.cjs sealed.xml
const { readFileSync, writeFileSync } = require("node:fs");
const { StampService } = require("sw-sdk-nodejs");

// The SDK drops the port of an address: the server must listen on port 80.
const url = process.env.TIMBRA_URL ?? "http://127.0.0.1";
const service = StampService.Set({ url, token: process.env.TIMBRA_TOKEN });

service.StampV4(readFileSync(process.argv[2], "utf8"), (error, success) => {
  const answer = error ?? success;
  // 307: this invoice was stamped before, for instance by a request whose answer was lost. `data` is its stamp.
  if (answer.status !== "success" && !answer.message.startsWith("307")) {
    console.error(answer.message, answer.messageDetail ?? "");
    process.exit(1);
  }
  const stamp = answer.data;
  console.log(stamp.uuid, stamp.fechaTimbrado);
  writeFileSync(`${stamp.uuid}.xml`, stamp.cfdi);
});
