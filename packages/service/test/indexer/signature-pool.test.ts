import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import {
  findInvalidSignature,
  SignaturePool,
  type SignedMessage,
  verifyHere,
} from '../../src/indexer/decode/signature-pool.js';
import { newWallet } from '../harness.js';

const wallets = Array.from({ length: 4 }, () => newWallet());

/** A message that some wallets sign; the place of one whose signature is of another message may be given. */
function signedBy(count: number, text: string, wrong?: number): SignedMessage {
  const signers = wallets.slice(0, count);
  const message = Buffer.concat([...signers.map(({ secretKey }) => secretKey.slice(32)), Buffer.from(text)]);
  const signatures = signers.map((wallet, place) =>
    wallet.signBytes(place === wrong ? Buffer.concat([message, Buffer.of(1)]) : message),
  );
  const signaturesAt = 3;
  const messageAt = signaturesAt + 64 * count;
  const bytes = Buffer.concat([Buffer.alloc(signaturesAt), ...signatures, message]);
  return { bytes, count, signaturesAt, messageAt, keysAt: messageAt };
}

/** Transactions of one to four signers, any of which may be wrong. */
const anySigned = fc
  .record({ count: fc.integer({ min: 1, max: 4 }), text: fc.string(), wrong: fc.option(fc.nat({ max: 3 })) })
  .map(({ count, text, wrong }) => signedBy(count, text, wrong ?? undefined));

const many = Array.from({ length: 40 }, (_, index) =>
  signedBy(3, `${index}`, index % 5 === 0 ? index % 3 : 9),
);
const expected = many.map((each) => findInvalidSignature(each));

test('what is expected has all of it: none wrong, and each place', () => {
  expect(new Set(expected)).toEqual(new Set([undefined, 0, 1, 2]));
});

describe('with workers', () => {
  const pool = new SignaturePool(2);
  const sent = vi.spyOn(Worker.prototype, 'postMessage');
  afterEach(() => sent.mockClear());
  afterAll(async () => {
    sent.mockRestore();
    await pool.close();
  });

  test('they find what the caller would find itself, in any transactions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anySigned, { minLength: 8, maxLength: 20 }), async (signed) => {
        expect(await pool.verify(signed)).toEqual(signed.map((each) => findInvalidSignature(each)));
      }),
      { numRuns: 30 },
    );
    expect(sent.mock.calls.length).toBe(30);
  });

  test('of many calls at once each gets its own, whichever thread verifies it', async () => {
    const found = await Promise.all(
      many.map((_, at) => pool.verify([...many.slice(at), ...many.slice(0, at)])),
    );
    for (const [at, own] of found.entries())
      expect(own).toEqual([...expected.slice(at), ...expected.slice(0, at)]);
    // Sixteen jobs for each of two workers; no more wait than that.
    expect(sent.mock.calls.length).toBe(32);
  });

  test('a few are not sent to another thread', async () => {
    expect(await pool.verify(many.slice(0, 7))).toEqual(expected.slice(0, 7));
    expect(sent).not.toHaveBeenCalled();
  });
});

test('what a worker leaves behind is verified by the caller', async () => {
  const pool = new SignaturePool(1);
  const found = pool.verify(many);
  await pool.close();
  expect(await found).toEqual(expected);
  expect(await pool.verify(many)).toEqual(expected);
});

test('without workers all is verified by the caller', async () => {
  const pool = new SignaturePool(0);
  expect(await pool.verify(many)).toEqual(expected);
  expect(await verifyHere(many)).toEqual(expected);
  await pool.close();
});
