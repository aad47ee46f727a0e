// Issues and validates an invoice with the client of openapi-generator for axios; prints what it got as JSON.
// Arguments: address, user, password, file of the invoice.
import { readFileSync } from "node:fs";
import { isAxiosError } from "axios";
import { Configuration, SecurityApi, StampingApi, ValidationApi } from "./axios-client";
import type { StampV4Answer } from "./axios-client";

async function main() {
  const [address, user, password, invoice] = process.argv.slice(2);
  const session = await new SecurityApi(new Configuration({ basePath: address })).authenticate(undefined, undefined, {
    user,
    password,
  });
  const configuration = new Configuration({ basePath: address, accessToken: session.data.data.token });
  const stamping = new StampingApi(configuration);
  const upload = (xml: string) => new File([xml], "cfdi.xml", { type: "text/xml" });

  const answer = await stamping.stampDocument("issue", "v4", upload(readFileSync(invoice, "utf-8")));
  const issued = answer.data.data as StampV4Answer;
  const report = (await new ValidationApi(configuration).validate(upload(issued.cfdi))).data;
  let repeated = "stamped";
  try {
    await stamping.stampDocument("stamp", "v4", upload(issued.cfdi));
  } catch (error) {
    repeated = isAxiosError(error) ? error.response?.data.message : String(error);
  }
  console.log(JSON.stringify({ uuid: issued.uuid, validated: report.uuid, status: report.status, repeated }));
}

void main();
