import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { SignatureBytes } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signEach } from '../src/each.js';
import { createRandomSigner } from '../src/key-file.js';
import { PolicyRefusal } from '../src/policy.js';
import { serveKeys } from '../src/sign-server.js';
import { proofText } from '../src/signer.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'karat-server-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Messages that a slow key service of one lane has begun to sign; it ends each when the test lets it. */
let begun: { text: string; end(): void }[] = [];
beforeEach(() => {
  begun = [];
});

function slowKey() {
  const { address, close } = createRandomSigner();
  const sign = (message: Uint8Array) =>
    new Promise<SignatureBytes>((resolve) => {
      begun.push({
        text: Buffer.from(message).toString(),
        end: () => resolve(Uint8Array.from(message) as SignatureBytes),
      });
    });
  return signEach({ address, sign, close }, 1, 60_000);
}

/** Sends a request; `hangUp` closes its connection. */
function send(socketPath: string, path: string, body?: unknown) {
  const sent = request({ socketPath, path, method: body ? 'POST' : 'GET', agent: false });
  const response = new Promise<unknown>((resolve, reject) => {
    sent.on('response', (incoming) => resolve(json(incoming)));
    sent.on('error', reject);
  });
  sent.end(body && JSON.stringify(body));
  return { response, hangUp: () => sent.destroy(new Error('hung up')) };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

test('sign server: what waits for a caller that hung up is not signed, and others have its turn', async () => {
  const path = join(folder, 'slow.sock');
  const failures: unknown[] = [];
  const service = { ...slowKey(), prove: () => Promise.reject(new Error('is not called')) };
  const server = await serveKeys(path, { service }, (_, error) => failures.push(error));
  const batch = (...texts: string[]) => send(path, '/sign', { key: 'service', messages: texts.map(base64) });
  const abandoned = batch('a', 'b', 'c');
  await expect.poll(() => begun.length).toBe(1);
  const live = batch('d');
  abandoned.hangUp();
  await expect(abandoned.response).rejects.toThrow('hung up');
  // A round trip later the server has seen that, too.
  await send(path, '/keys').response;
  begun[0]?.end();
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.end();
  expect(await live.response).toEqual({ results: [{ signature: base64('d') }] });
  expect(begun.map(({ text }) => text)).toEqual(['a', 'd']);
  expect(failures).toEqual([]);
  await server.stop();
});

test('sign server: a proof is a signature of that key over a fixed text, or why there is none', async () => {
  const path = join(folder, 'proof.sock');
  const key = createRandomSigner();
  const other = createRandomSigner();
  const server = await serveKeys(
    path,
    {
      service: { ...key, prove: () => key.sign(proofText) },
      market: { ...other, prove: () => Promise.reject(new PolicyRefusal('kill_switch', 'stop exists')) },
      admin: { ...other, prove: () => Promise.reject(new Error('gone')) },
    },
    () => {},
  );
  const prove = (name: string) => send(path, `/keys/${name}/proof`).response;
  const signature = Buffer.from(await key.sign(proofText)).toString('base64');
  expect(await prove('service')).toEqual({ signature });
  expect(await prove('market')).toEqual({ refused: 'kill_switch', detail: 'stop exists' });
  expect(await prove('admin')).toEqual({ failed: true });
  for (const name of ['reserves', '__proto__']) expect(await prove(name)).toEqual({ error: 'not_found' });
  await server.stop();
});

test('sign server: a path of anything but a socket is refused and stays as it is', async () => {
  const [file, directory, link] = ['file', 'directory', 'link'].map((name) => join(folder, name));
  if (!file || !directory || !link) throw new Error('unreachable');
  writeFileSync(file, 'precious');
  mkdirSync(directory);
  symlinkSync(file, link);
  for (const path of [file, directory, link]) {
    await expect(serveKeys(path, {}, () => {})).rejects.toThrow(`${path} is not a socket`);
  }
  expect(readFileSync(link, 'utf8')).toBe('precious');
});
