import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from './stack.js';

/** The package as partners get it: packed, and installed into an empty folder. */

const home = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'karat-sdk-'));
const installed = join(folder, 'node_modules/@karat/sdk');
const run = async (command: string, args: string[], cwd = folder): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, args, { cwd });
  return stdout;
};

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  const [packed] = JSON.parse(await run('npm', ['pack', '--json', '--pack-destination', folder], home));
  mkdirSync(installed, { recursive: true });
  await run('tar', ['xzf', join(folder, packed.filename), '--strip-components=1', '-C', installed]);
  // What the registry would bring.
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    const source = dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
    cpSync(source, join(folder, 'node_modules', name), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
}, 120_000);
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the package has its code, types, licence and guide, and depends on what it has', () => {
  const { dependencies, exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(Object.keys(dependencies)).toEqual(['openapi-fetch']);
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src']);
  for (const file of Object.values<string>(exports['.']))
    expect(readFileSync(join(installed, file), 'utf8')).toContain("from './karat.js'");
});

test('the package makes a first quote', async () => {
  const script = `
    import { Karat } from '@karat/sdk';
    const karat = new Karat({ apiKey: process.argv[1], baseUrl: process.argv[2] });
    const { trade_id, quote } = await karat.buys.quote({ service_user_id: process.argv[3], usdc_amount: 100 });
    console.log(trade_id, quote.price_per_troy_oz);`;
  const { partner, baseUrl, user } = stack;
  const args = ['--input-type=module', '--eval', script, partner.apiKey, baseUrl, user.id];
  expect(await run(process.execPath, args)).toMatch(/^trd_\S+ 4100.12\n$/);
});

test('the package has types that know the fields, and a guide whose code compiles', {
  timeout: 120_000,
}, async () => {
  const program = (field: string) => `
    import { Karat, KaratError, type KaratEvent, verifyWebhook } from '@karat/sdk';
    const karat = new Karat({ apiKey: 'k', baseUrl: 'https://karat.example' });
    const { quote } = await karat.buys.quote({ service_user_id: 'gu_1', ${field}: 100 });
    const price: number = quote.price_per_troy_oz;
    for await (const trade of karat.trades.list({ status: 'confirmed', limit: 10 })) console.log(trade.trade_id, price);
    for await (const event of karat.events.stream({ types: ['trade.confirmed'] }))
      if (event.data.object_type === 'trade') console.log(event.data.object.gold_amount);
    export const type: KaratEvent['type'] | 'webhook.test' = (await verifyWebhook('', {}, 'whsec_')).type;
    export const reasonOf = (error: unknown) => (error instanceof KaratError ? error.reason : undefined);`;
  const blocks = readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms);
  const given = `
    declare const partnerId: string, service_user_id: string, body: string, secret: string, transaction: string;
    declare const customer: import('@karat/sdk').PartialSigner;
    declare const partner: typeof customer & { keyPair: CryptoKeyPair };
    declare const signBytes: (key: CryptoKey, message: Uint8Array) => Promise<Uint8Array>;
    declare const headers: Headers;
    declare const apiKey: string, baseUrl: string, wallet_address: string;
    declare const network: import('@karat/sdk').Network;
    declare let lastHandled: string | undefined;`;
  const files = {
    'right.ts': program('usdc_amount'),
    'wrong.ts': program('usdc_amuont'),
    'guide.ts': [given, ...Array.from(blocks, ([, code]) => code)].join('\n'),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const typescript = fileURLToPath(import.meta.resolve('typescript/package.json'));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
  const args = [join(dirname(typescript), 'bin/tsc'), ...flags, ...Object.keys(files)];
  const errors = await run(process.execPath, args).catch(({ stdout }) => stdout);
  expect(errors).toMatch(/^wrong\.ts\(4,\d+\): error [^\n]*'usdc_amuont' does not exist[^\n]*\n$/);
});
