import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { getAddressEncoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { newWallet } from '../../service/test/harness.js';
import { createRandomSigner, createSigner, loadSigner } from '../src/key-file.js';
import { verifySignature } from '../src/signer.js';

const wallet = newWallet();
const message = Buffer.from('a message');

function fileWith(text: string, mode = 0o600): string {
  const path = join(mkdtempSync(join(tmpdir(), 'karat-key-')), 'key.json');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('a signer', () => {
  test('a signer from a key file signs for the address of the key', async () => {
    const signer = loadSigner(fileWith(`${JSON.stringify([...wallet.secretKey])}\n`));
    expect(signer.address).toBe(wallet.address);
    const signature = await signer.sign(message);
    expect(Buffer.from(signature)).toEqual(Buffer.from(wallet.signBytes(message)));
    expect(verifySignature(wallet.secretKey.slice(32), message, signature)).toBe(true);
    expect(verifySignature(wallet.secretKey.slice(32), Buffer.from('another'), signature)).toBe(false);
    expect(verifySignature(newWallet().secretKey.slice(32), message, signature)).toBe(false);
  });

  test('a signer keeps no key bytes where they can be read', () => {
    const bytes = Uint8Array.from(wallet.secretKey);
    const signer = createSigner(bytes);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    expect(inspect(signer, { depth: 9, showHidden: true })).not.toContain('Uint8Array');
  });

  test('a signer with a new key signs for an address of its own', async () => {
    const [one, other] = [createRandomSigner(), createRandomSigner()];
    const keyOf = ({ address }: typeof one) => Uint8Array.from(getAddressEncoder().encode(address));
    const signature = await one.sign(message);
    expect(verifySignature(keyOf(one), message, signature)).toBe(true);
    expect(verifySignature(keyOf(other), message, signature)).toBe(false);
  });

  test.each([
    ['no JSON', 'hello'],
    ['no array', '{"key":1}'],
    ['too few bytes', JSON.stringify([...wallet.secretKey].slice(0, 32))],
    ['a number that is no byte', JSON.stringify([...wallet.secretKey.slice(0, 63), 256])],
    ['text among the bytes', JSON.stringify([...wallet.secretKey.slice(0, 63), '1'])],
    ['nothing', ''],
  ])('a signer is refused for a file with %s, which is not printed', (_, text) => {
    const path = fileWith(text);
    expect(() => loadSigner(path)).toThrow(/^is not a key file: it must be a JSON array of 64 bytes$/);
  });

  test.each([0o644, 0o604, 0o602, 0o601])(
    'a signer is refused for a file of mode %o, which others may use',
    (mode) => {
      const path = fileWith(JSON.stringify([...wallet.secretKey]), mode);
      expect(() => loadSigner(path)).toThrow(
        `may be read by other users of this machine: run chmod 600 ${path}`,
      );
    },
  );

  test.each([0o600, 0o400, 0o640])('a signer takes a file of mode %o', (mode) => {
    expect(loadSigner(fileWith(JSON.stringify([...wallet.secretKey]), mode)).address).toBe(wallet.address);
  });

  test('a signer is refused for a file that does not exist', () => {
    expect(() => loadSigner('/nowhere/at/all')).toThrow(/^cannot be read$/);
  });

  test('a signer is refused for halves that do not belong together', () => {
    const mixed = [...wallet.secretKey.slice(0, 32), ...newWallet().secretKey.slice(32)];
    expect(() => loadSigner(fileWith(JSON.stringify(mixed)))).toThrow('does not match its secret key');
  });
});
