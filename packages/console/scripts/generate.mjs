// Writes the types of the operator API from its OpenAPI document. With --check writes nothing and exits with 1 when the
// committed ones are others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const document = new URL('../../../openapi/operator.json', import.meta.url);
const file = fileURLToPath(new URL('../src/generated/operator.ts', import.meta.url));
const header =
  '/** Types of the operator API. Generated from `openapi/operator.json`: npm run generate -w @karat/console. */\n\n';
const types = `${header}${astToString(await openapiTS(document))}`;
if (!process.argv.includes('--check')) writeFileSync(file, types);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== types) process.exitCode = 1;
