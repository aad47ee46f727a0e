// Cancels with the vendor's SDK: node cancel.js HOST TOKEN FILE. FILE: JSON of a CSD request, or a signed XML.
// Prints the answer as JSON.
const fs = require('fs');
const { CancelationService } = require('sw-sdk-nodejs');

const [host, token, file] = process.argv.slice(2);
const content = fs.readFileSync(file, 'utf8');
const done = (error, answer) => console.log(JSON.stringify(error || answer));
const asked = content.startsWith('{') ? JSON.parse(content) : { xml: content };
const service = CancelationService.Set({ url: `http://${host}`, token, ...asked });

asked.xml ? service.CancelationByXML(done) : service.CancelationByCSD(done);
