import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkSignature, type Pasted } from '../src/portal/check-signature.js';
import { readSignature } from '../src/portal/signature-text.js';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
const id = 'evt_019ca945-0a00-8000-8000-000000000001';
const body = JSON.stringify({ id, type: 'trade.confirmed', data: { object: { note: 'Köln', usdc: 1.5 } } });
const at = new Date('2026-03-01T12:00:00.000Z');
const seconds = String(at.getTime() / 1_000);

/** The signature of a webhook, as Standard Webhooks 1.0 defines it. */
const signedBy = (secret: string) =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64')}`;

const sent: Pasted = {
  secret,
  id,
  timestamp: seconds,
  signature: signedBy(secret),
  body,
};
const check = (changes: Partial<Pasted> = {}, { nowMs = at.getTime(), known = body as string | null } = {}) =>
  checkSignature({ ...sent, ...changes }, nowMs, async () => known ?? undefined);

describe('the check of a signature', () => {
  test('the check takes what was sent, by either secret of a rotation, with spaces around the headers', async () => {
    expect(await check()).toEqual({ result: 'valid' });
    const both = `${signedBy(other)} ${sent.signature}`;
    expect(await check({ signature: both, id: ` ${id}\n`, timestamp: ` ${seconds}` })).toEqual({
      result: 'valid',
    });
    expect(await check({ signature: both, secret: other })).toEqual({ result: 'valid' });
  });

  test('the check reports how old a signature is, from 5 minutes on, and one from the future', async () => {
    const minute = 60_000;
    expect(await check({}, { nowMs: at.getTime() + 5 * minute })).toEqual({ result: 'valid' });
    expect(await check({}, { nowMs: at.getTime() + 7 * minute })).toEqual({ result: 'old', seconds: 420 });
    expect(await check({}, { nowMs: at.getTime() - 6 * minute })).toEqual({ result: 'future', seconds: 360 });
  });

  test.each<[string, Partial<Pasted>, object]>([
    ['a secret of another endpoint', { secret: other }, { result: 'otherSecret' }],
    ['a text that is no secret', { secret: 'MfKQ9r8GKYqrTwjUPD8I' }, { result: 'secretForm' }],
    ['a time in words', { timestamp: '2026-03-01' }, { result: 'timestampForm' }],
    ['a time in milliseconds', { timestamp: `${seconds}000` }, { result: 'milliseconds' }],
    ['a signature without its version', { signature: sent.signature.slice(3) }, { result: 'signatureForm' }],
    ['the id of another event', { id: `${id.slice(0, -1)}2` }, { result: 'id', id }],
    [
      'a body that was written again',
      { body: JSON.stringify(JSON.parse(body), null, 2) },
      { result: 'serialised' },
    ],
    ['a body with escapes', { body: body.replace('ö', '\\u00f6') }, { result: 'serialised' }],
    ['a body with a line end', { body: `${body}\n` }, { result: 'spaces' }],
    [
      'a body with another amount',
      { body: body.replace('1.5', '2.5') },
      { result: 'changed', at: body.indexOf('1.5') + 1, sent: '1.5}}}', pasted: '2.5}}}' },
    ],
  ])('the check names what is wrong: %s', async (_, changes, finding) => {
    expect(await check(changes)).toEqual(finding);
  });

  test('the check leaves open what is wrong where the body that was sent is not known', async () => {
    expect(await check({ secret: other }, { known: null })).toEqual({ result: 'unknown' });
  });
});

test('a signature is read in base58 and in base64, and nothing else is one', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, index) => (index === 0 ? 0 : index + 100));
  const base64 = Buffer.from(bytes).toString('base64');
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let base58 = '';
  for (; number > 0n; number /= 58n) base58 = `${alphabet[Number(number % 58n)]}${base58}`;
  expect([readSignature(` ${base64} `), readSignature(`1${base58}\n`)]).toEqual([base64, base64]);
  for (const text of ['', 'x', base64.slice(1), `${base58.slice(1)}0`, base58.slice(0, 40)])
    expect(readSignature(text), text).toBeUndefined();
});
