// Stamps one file with the vendor's SDK: node stamp.js HOST USER PASSWORD VERSION FILE [b64]. Prints the answer as JSON.
const fs = require('fs');
const { StampService } = require('sw-sdk-nodejs');

const [host, user, password, version, file, encoding] = process.argv.slice(2);
const service = StampService.Set({ url: `http://${host}`, user, password });
const done = (error, answer) => console.log(JSON.stringify(error || answer));
const content = fs.readFileSync(file, 'utf8');

service[`Stamp${version.toUpperCase()}`](content, done, encoding === 'b64');
