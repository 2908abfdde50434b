import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWallet } from '../../service/test/harness.js';
import { createSigner } from '../src/key-file.js';
import { openKey } from '../src/open-key.js';

/** Vault's transit engine, as far as signing goes: a Vault server is not to be had from a package registry. */
const wallet = newWallet();
const other = newWallet();
const file = createSigner(Uint8Array.from(wallet.secretKey));
let vault: { url: string; close(): void; keys: Record<string, typeof file>; tokens: unknown[] };

/** A message on which the server waits until it is released. */
const slow = Buffer.from('slow').toString('base64');
let release: () => void;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
let [underWay, maxUnderWay] = [0, 0];

beforeAll(async () => {
  const keys: typeof vault.keys = { karat: file, other: createSigner(Uint8Array.from(other.secretKey)) };
  const tokens: unknown[] = [];
  const server = createServer(async (request, response) => {
    tokens.push(request.headers['x-vault-token']);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = keys[request.url?.replace('/v1/transit/sign/', '') ?? ''];
    if (!key) return response.writeHead(404).end(JSON.stringify({ errors: ['no such key'] }));
    const { input } = JSON.parse(Buffer.concat(chunks).toString());
    underWay += 1;
    maxUnderWay = Math.max(maxUnderWay, underWay);
    if (input === slow) await released;
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    const signature = Buffer.from(await key.sign(Buffer.from(input, 'base64'))).toString('base64');
    return response.end(JSON.stringify({ data: { signature: `vault:v1:${signature}` } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vault = { url, close: () => server.close(), keys, tokens };
});
afterAll(() => vault.close());

const env = { VAULT_TOKEN: 's.token' };
const open = (url: string, given: Record<string, string> = env) =>
  openKey(url, { env: given, withinMs: 30_000 });
const urlOf = (key: string) =>
  `keychain:vault?url=${encodeURIComponent(vault.url)}&key=${key}&address=${wallet.address}`;

test("a key in Vault signs what a key file signs, through keychain's package", async () => {
  const signer = await open(urlOf('karat'));
  expect(signer.address).toBe(wallet.address);
  const messages = Array.from({ length: 20 }, (_, index) => new Uint8Array(index + 1).fill(index));
  expect(await Promise.all(messages.map((each) => signer.sign(each)))).toEqual(
    await Promise.all(messages.map((each) => file.sign(each))),
  );
  expect(new Set(vault.tokens)).toEqual(new Set(['s.token']));
});

test('one message that takes long delays no other, and few are under way at once', async () => {
  const signer = await open(urlOf('karat'));
  const late = signer.sign(Buffer.from('slow'));
  const others = Array.from({ length: 100 }, (_, index) => signer.sign(new Uint8Array([index])));
  expect(await Promise.all(others)).toHaveLength(100);
  release();
  expect(await late).toEqual(await file.sign(Buffer.from('slow')));
  expect(maxUnderWay).toBe(16);
});

test('a signature of another key, and an error of the service, are errors', async () => {
  for (const [key, cause] of [
    ['other', 'the service signed with another key'],
    ['gone', expect.stringContaining('no such key')],
  ]) {
    const refused = (await open(urlOf(String(key)))).sign(new Uint8Array([1]));
    await expect(refused).rejects.toMatchObject({ message: cause });
  }
});

test.each<[string, string, Record<string, string>, string]>([
  [
    'keychain:gcp-kms?key=a',
    'an unknown service',
    env,
    'names a service other than vault, aws-kms, turnkey, fireblocks',
  ],
  ['keychain:vault?key=a&address=b', 'a parameter that is missing', env, 'lacks the parameter url'],
  [
    'keychain:vault?keey=a',
    'a parameter that is misspelt',
    env,
    'has the parameter keey; known are url, key, address',
  ],
  [
    'keychain:vault?url=http://x&key=a&address=b',
    'no secret',
    {},
    'needs the variable VAULT_TOKEN in the environment',
  ],
  [
    'keychain:vault?url=http://x&key=a&address=b',
    'no address',
    env,
    expect.stringContaining('is refused by @solana/keychain-vault: ') as never,
  ],
  [
    'keychain:aws-kms?key=a&address=b',
    'a package that is not installed',
    env,
    'needs the npm package @solana/keychain-aws-kms, which is not installed: npm install @solana/keychain-aws-kms',
  ],
  [
    'ftp://somewhere',
    'an unknown place',
    env,
    'starts with ftp:, where file:, pkcs11: and keychain: are known',
  ],
])('%s is refused: %s', async (url, _, given, message) => {
  await expect(open(url, given)).rejects.toMatchObject({ name: 'SignerError', message });
});

test('a key file may be named by a path or a URL', async () => {
  await expect(open('/nowhere/key.json')).rejects.toThrow(/^cannot be read$/);
  await expect(open('file:nowhere/key.json')).rejects.toThrow(/^cannot be read$/);
  await expect(open(pathToFileURL('/nowhere').href)).rejects.toThrow(/^cannot be read$/);
  await expect(open('file://host/key.json')).rejects.toThrow(/^is not a file: URL of this machine$/);
});
