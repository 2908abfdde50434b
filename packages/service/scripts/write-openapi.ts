// Writes the OpenAPI document of the partner API from the schemas of its routes. With --check writes nothing and exits
// with 1 when the committed one is another.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describePartnerApi } from '../src/http/app.js';

const file = fileURLToPath(new URL('../../../openapi/partner.json', import.meta.url));
const text = `${JSON.stringify(await describePartnerApi(), null, 2)}\n`;

if (process.argv.includes('--check')) process.exitCode = text === readFileSync(file, 'utf8') ? 0 : 1;
else writeFileSync(file, text);
