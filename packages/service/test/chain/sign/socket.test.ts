import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandomSigner, proofText } from '@karat/signer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSigner, proveSigner } from '../../../src/chain/sign/open-signer.js';

/** A process at a socket that responds as the test wants, where `karat-signer` would not. */
const key = createRandomSigner();
let folder: string;
let url: string;
let server: Server;
let respond: (incoming: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'karat-socket-'));
  const path = join(folder, 'sign.sock');
  url = `socket:${path}`;
  server = createServer((incoming, response) => {
    if (incoming.url === '/keys') response.end(JSON.stringify({ service: key.address }));
    else respond(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

test('socket: a quote that gets no signature fails, and its connection is closed', async () => {
  const signer = await openSigner(url, 'service');
  const closed = new Promise<void>((resolve) => {
    respond = (_, response) => response.on('close', resolve);
  });
  await expect(signer.sign(new Uint8Array([1]))).rejects.toMatchObject({
    code: 'service_unavailable',
    cause: { message: 'no response within 3500 ms' },
  });
  await closed;
  await signer.close();
});

test('socket: a key is proven by its own signature of the text, and by nothing else', async () => {
  const prove = (result: unknown) => {
    respond = (incoming, response) => {
      expect(incoming.url).toBe('/keys/service/proof');
      response.end(JSON.stringify(result));
    };
    return proveSigner(url, 'service', key.address);
  };
  const signed = async (signer: typeof key, message: Uint8Array) => ({
    signature: Buffer.from(await signer.sign(message)).toString('base64'),
  });
  await prove(await signed(key, proofText));
  for (const result of [
    await signed(key, Buffer.from('another text')),
    await signed(createRandomSigner(), proofText),
  ]) {
    await expect(prove(result)).rejects.toThrow('signs with another key');
  }
  await expect(prove({ failed: true })).rejects.toThrow(
    'does not sign (the process that signs cannot use its key)',
  );
  await expect(prove({ refused: 'kill_switch', detail: 'stop exists' })).rejects.toThrow(
    'is of a process that refuses to sign (kill_switch: stop exists)',
  );
});
