import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getAddressEncoder } from '@solana/kit';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { newWallet } from '../../service/test/harness.js';
import { type SoftHsm, softHsmModule, startSoftHsm } from '../../service/test/soft-hsm.js';
import { loadCryptoki } from '../src/cryptoki.js';
import { createSigner } from '../src/key-file.js';
import { openKey } from '../src/open-key.js';
import { type Signer, verifySignature } from '../src/signer.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let hsm: SoftHsm;
const wallet = newWallet();
let uri: string;

beforeAll(() => {
  hsm = startSoftHsm({ tokens: ['karat', 'second'] });
  uri = hsm.put('service', wallet);
});
afterAll(() => hsm.stop());

const open = (url: string) => openKey(url, { env: {}, withinMs: 3_000 });
afterEach(() => {
  vi.restoreAllMocks();
});
const opened: Signer[] = [];
afterAll(() => Promise.all(opened.map((signer) => signer.close())));

async function openUsed(url: string): Promise<Signer> {
  const signer = await open(url);
  opened.push(signer);
  return signer;
}

describe('a key in an HSM', () => {
  test('a key in an HSM signs what a key file signs, many messages at once', async () => {
    const signer = await openUsed(uri);
    const file = createSigner(Uint8Array.from(wallet.secretKey));
    expect(signer.address).toBe(wallet.address);
    // What the module needs must survive it.
    collectGarbage();
    const messages = Array.from({ length: 700 }, (_, index) => randomBytes(index + 1));
    const signatures = await Promise.all(messages.map((message) => signer.sign(message)));
    // Ed25519 has one signature for a key and a message.
    expect(signatures).toEqual(await Promise.all(messages.map((message) => file.sign(message))));
    const publicKey = Uint8Array.from(getAddressEncoder().encode(wallet.address));
    expect(verifySignature(publicKey, messages[3] ?? wallet.secretKey, signatures[4] as never)).toBe(false);
  });

  test('a key in an HSM keeps to its sessions, however many batches come at once', async () => {
    const signer = await openUsed(uri);
    const sessions = vi.spyOn(loadCryptoki(softHsmModule), 'openSession');
    const signed: Promise<unknown>[] = [];
    for (let batch = 0; batch < 10; batch += 1) {
      for (let count = 0; count < 30; count += 1) signed.push(signer.sign(randomBytes(300)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(signed);
    expect(sessions).not.toHaveBeenCalled();
  });

  test('a key in an HSM is refused as a whole, with no session left open, if one cannot be opened', async () => {
    const cryptoki = loadCryptoki(softHsmModule);
    const real = cryptoki.openSession.bind(cryptoki);
    const opening = vi.spyOn(cryptoki, 'openSession');
    // The third is one of a slot that is not there.
    opening
      .mockImplementationOnce(real)
      .mockImplementationOnce(real)
      .mockImplementationOnce(() => real(9e9));
    const closing = vi.spyOn(cryptoki, 'closeSession');
    await expect(open(uri)).rejects.toMatchObject({ name: 'SignerError' });
    expect(closing).toHaveBeenCalledTimes(2);
  });

  test('a key in an HSM signs again after its token ended every session', async () => {
    const signer = await openUsed(uri);
    const message = randomBytes(300);
    const signature = await signer.sign(message);
    const cryptoki = loadCryptoki(softHsmModule);
    for (const slot of await cryptoki.slots()) await cryptoki.closeAllSessions(slot);
    expect(await Promise.all([signer.sign(message), signer.sign(message)])).toEqual([signature, signature]);
  });

  test('a key in an HSM is found by id, serial and label, with the PIN of a file', async () => {
    expect((await openUsed(uri)).address).toBe(wallet.address);
    expect((await openUsed(`${uri}&sessions=1`)).address).toBe(wallet.address);
    const encoded = uri.replace('object=service', 'object=%73ervice;type=private');
    expect((await openUsed(encoded)).address).toBe(wallet.address);
  });

  test.each<[string, (uri: string) => string, string]>([
    [
      'another object',
      (u) => u.replace('object=service', 'object=other'),
      'names an Ed25519 private key that the token does not have',
    ],
    [
      'another token',
      (u) => u.replace('token=karat', 'token=other'),
      'names a token that the module does not have',
    ],
    [
      'another serial number',
      (u) => u.replace('token=karat', 'serial=0'),
      'names a token that the module does not have',
    ],
    ['no key', (u) => u.replace(';object=service', ''), 'has neither object nor id of the key'],
    [
      'no module',
      (u) => u.replace(/module-path=[^&]*&/, ''),
      'has no module-path, the file of the PKCS#11 module',
    ],
    [
      'a module that is not there',
      (u) => u.replace(softHsmModule, '/nowhere.so'),
      'names the module /nowhere.so, which cannot be loaded as a PKCS#11 module',
    ],
    [
      'a library that is none',
      (u) => u.replace(softHsmModule, 'libc.so.6'),
      'names the module libc.so.6, which cannot be loaded as a PKCS#11 module',
    ],
    ['a PIN', (u) => `${u}&pin-value=1234`, 'holds a PIN: name a file of it with pin-source'],
    ['no PIN', (u) => u.replace(/&pin-source.*/, ''), 'needs a PIN: name its file with pin-source'],
    [
      'a file of the PIN that is not there',
      (u) => u.replace(/pin-source=.*/, 'pin-source=/nowhere'),
      'has its PIN in /nowhere, which cannot be read',
    ],
    [
      'a misspelt attribute',
      (u) => u.replace('token=', 'tokne='),
      'has the attribute tokne; known are token, serial, object, id, type, module-path, pin-source, sessions',
    ],
    [
      'an attribute twice',
      (u) => u.replace('object=', 'token=karat;object='),
      'has the attribute token twice',
    ],
    ['too many sessions', (u) => `${u}&sessions=65`, 'must have from 1 to 64 sessions'],
    [
      'half a byte',
      (u) => u.replace('object=service', 'object=service%4'),
      'has a % that no two hexadecimal digits follow',
    ],
  ])('a key in an HSM is refused with %s', async (_, change, message) => {
    await expect(open(change(uri))).rejects.toMatchObject({ name: 'SignerError', message });
  });

  test('a key in an HSM is refused with a wrong PIN, and with one that others may read', async () => {
    const keyInSecond = newWallet();
    const second = hsm.put('key', keyInSecond, 'second');
    const [withoutPin = ''] = second.split('&pin-source');
    const wrong = join(hsm.folder, 'wrong-pin');
    writeFileSync(wrong, 'wrong', { mode: 0o600 });
    const logins = vi.spyOn(loadCryptoki(softHsmModule), 'login');
    // The second time it is refused without the token, which would lock after a few.
    for (let count = 0; count < 2; count += 1) {
      await expect(open(`${withoutPin}&pin-source=file:${wrong}`)).rejects.toMatchObject({
        name: 'SignerError',
        message: expect.stringMatching(
          /^has a PIN that the token refuses \(CKR_PIN_INCORRECT\): correct it and restart/,
        ),
      });
    }
    expect(logins).toHaveBeenCalledTimes(1);
    expect((await openUsed(second)).address).toBe(keyInSecond.address);
    const shared = join(hsm.folder, 'shared-pin');
    copyFileSync(hsm.pinFile, shared);
    chmodSync(shared, 0o644);
    await expect(open(`${withoutPin}&pin-source=file:${shared}`)).rejects.toThrow(
      `has its PIN in ${shared}, which may be read by other users of this machine: run chmod 600 ${shared}`,
    );
  });

  test('fails, and shows nothing of the PIN, once its token is gone', async () => {
    const signer = await openUsed(uri);
    hsm.destroyTokens();
    const cryptoki = loadCryptoki(softHsmModule);
    for (const slot of await cryptoki.slots()) await cryptoki.closeAllSessions(slot);
    const refused = await signer.sign(randomBytes(32)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    expect(inspect(refused)).not.toContain(hsm.pin);
  });
});
