// Writes the types of the APIs that packages call, from their OpenAPI documents. With --check writes nothing and exits with 1
// when the committed ones are others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../scripts/install-once.mjs';

installOnce(import.meta.dirname);
const { default: openapiTS, astToString } = await import('openapi-typescript');

const targets = [
  ['partner', 'packages/sdk'],
  ['operator', 'packages/console'],
];

for (const [api, folder] of targets) {
  const document = new URL(`${api}.json`, import.meta.url);
  const file = fileURLToPath(new URL(`../${folder}/src/generated/${api}.ts`, import.meta.url));
  const header = `/** Types of the ${api} API. Generated from \`openapi/${api}.json\`: npm run generate:openapi. */\n\n`;
  const types = `${header}${astToString(await openapiTS(document))}`;
  if (!process.argv.includes('--check')) writeFileSync(file, types);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== types) process.exitCode = 1;
}
