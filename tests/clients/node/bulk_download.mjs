// Downloads with the library of nodecfdi: node bulk_download.mjs ADDRESS CONTROL FOLDER RFC SINCE UNTIL.
// ADDRESS is the base of the services of CFDI, CONTROL that of the control endpoints, FOLDER has the e.firma.
// Prints JSON: what each step of a download returned, a third equal request, and a verification with an expired token.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import {
  CfdiPackageReader,
  DateTimePeriod,
  DocumentStatus,
  DownloadType,
  Fiel,
  FielRequestBuilder,
  HttpsWebClient,
  MetadataPackageReader,
  QueryParameters,
  RequestType,
  Service,
  ServiceEndpoints,
  ServiceType,
} from '@nodecfdi/sat-ws-descarga-masiva';

const [address, control, folder, rfc, since, until] = process.argv.slice(2);
// The library has a client for HTTPS only; the emulator of the test serves HTTP.
https.request = http.request;
const read = (suffix, encoding) => readFileSync(`${folder}/${rfc}.${suffix}`, encoding);
const fiel = Fiel.create(read('cer', 'binary'), read('key', 'binary'), read('txt', 'utf8'));

function newService() {
  const endpoints = new ServiceEndpoints(
    `${address}/Autenticacion/Autenticacion.svc`,
    `${address}/SolicitaDescargaService.svc`,
    `${address}/VerificaSolicitudDescargaService.svc`,
    `${address}/DescargaMasivaService.svc`,
    new ServiceType('cfdi'),
  );
  return new Service(new FielRequestBuilder(fiel), new HttpsWebClient(), undefined, endpoints);
}

const service = newService();
const query = (download, request) =>
  QueryParameters.create(DateTimePeriod.createFromValues(since, until))
    .withDownloadType(new DownloadType(download))
    .withRequestType(new RequestType(request))
    .withDocumentStatus(new DocumentStatus(request === 'xml' ? 'active' : 'undefined'));

async function finished(requestId) {
  for (;;) {
    const verified = await service.verify(requestId);
    const state = verified.getStatusRequest();
    if (!state.isTypeOf('Accepted') && !state.isTypeOf('InProgress')) return verified;
  }
}

async function documents(download, request) {
  const accepted = await service.query(query(download, request));
  const verified = await finished(accepted.getRequestId());
  const found = [];
  for (const packageId of verified.getPackageIds()) {
    const downloaded = await service.download(packageId);
    const content = Buffer.from(downloaded.getPackageContent(), 'base64').toString('binary');
    if (request === 'xml') {
      const reader = await CfdiPackageReader.createFromContents(content);
      for await (const files of reader.cfdis()) for (const uuid of files.keys()) found.push(uuid);
    } else {
      const reader = await MetadataPackageReader.createFromContents(content);
      for await (const item of reader.metadata()) found.push(item.get('uuid'));
    }
  }
  return { code: accepted.getStatus().getCode(), count: verified.getNumberCfdis(), found };
}

const results = {
  issued: await documents('issued', 'xml'),
  received: await documents('received', 'metadata'),
};
results.second = (await finished((await service.query(query('issued', 'xml'))).getRequestId())).getStatus().getCode();
const third = await service.query(query('issued', 'xml'));
results.third = third.getStatus().getCode();
await fetch(`${control}/tokens/expire`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } });
const requestId = third.getRequestId();
results.expired = (await service.verify(requestId)).getStatus().getCode();
results.renewed = (await newService().verify(requestId)).getStatus().getCode();
console.log(JSON.stringify(results));
