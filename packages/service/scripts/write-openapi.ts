// Writes the OpenAPI documents of the partner, the tradebook and the operator API from the schemas of their routes. With --check
// writes nothing and exits with 1 when a committed one is another.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describePartnerApi, describeTradebookApi } from '../src/http/app.js';
import { describeOperatorApi } from '../src/http/operator/app.js';

const documents: Record<string, () => Promise<object>> = {
  partner: describePartnerApi,
  tradebook: describeTradebookApi,
  operator: describeOperatorApi,
};

for (const [name, describe] of Object.entries(documents)) {
  const file = fileURLToPath(new URL(`../../../openapi/${name}.json`, import.meta.url));
  const text = `${JSON.stringify(await describe(), null, 2)}\n`;
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) process.exitCode = 1;
}
