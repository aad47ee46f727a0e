// Issues and validates an invoice with openapi-fetch and the types of openapi-typescript; prints what it got as JSON.
// Arguments: address, user, password, file of the invoice.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

async function main() {
  const [address, user, password, invoice] = process.argv.slice(2);
  const client = createClient<paths>({ baseUrl: address });
  const session = await client.POST("/v2/security/authenticate", { body: { user, password } });
  const headers = { Authorization: `Bearer ${session.data?.data.token}` };

  // A file is a string in the types of openapi-typescript; the serializer sends it as a form.
  const upload = (xml: string) => ({
    body: { xml },
    bodySerializer: () => {
      const form = new FormData();
      form.set("xml", new File([xml], "cfdi.xml", { type: "text/xml" }));
      return form;
    },
  });
  const stamp = (operation: "issue" | "stamp", xml: string) =>
    client.POST("/cfdi33/{operation}/{version}", { params: { path: { operation, version: "v4" } }, headers, ...upload(xml) });

  const issued = (await stamp("issue", readFileSync(invoice, "utf-8"))).data?.data as components["schemas"]["StampV4Answer"];
  const report = await client.POST("/validate/cfdi", { headers, ...upload(issued.cfdi) });
  const repeated = await stamp("stamp", issued.cfdi);
  console.log(
    JSON.stringify({
      uuid: issued.uuid,
      validated: report.data?.uuid,
      status: report.data?.status,
      repeated: repeated.error?.message,
    }),
  );
}

void main();
