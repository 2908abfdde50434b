import { describe, expect, test } from 'vitest';
import { newUuid } from '../../src/domain/ids.js';
import { hashRecoveryCode, newRecoveryCodes } from '../../src/domain/recovery-code.js';
import { matchTotp, newTotpNonce, toBase32, totpCode, totpKeyOf, totpStepAt } from '../../src/domain/totp.js';

const key = Buffer.from('12345678901234567890');

describe('a one-time code', () => {
  // RFC 6238, appendix B, in its last six digits.
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('a one-time code at second %d is %s', (seconds, code) => {
    expect(totpCode(key, totpStepAt(seconds * 1_000))).toBe(code);
  });

  test('a one-time code is right one step before and after, and never at a step that was used', () => {
    const nowMs = 59_000_000;
    const step = totpStepAt(nowMs);
    const match = (at: bigint, lastStep = 0n) => matchTotp(key, totpCode(key, at), { nowMs, lastStep });
    expect([-2n, -1n, 0n, 1n, 2n].map((off) => match(step + off))).toEqual([
      undefined,
      step - 1n,
      step,
      step + 1n,
      undefined,
    ]);
    expect([match(step, step - 1n), match(step, step), match(step - 1n, step)]).toEqual([
      step,
      undefined,
      undefined,
    ]);
    for (const text of ['', '28708', 'x'.repeat(6), '１２３４５６']) {
      expect(matchTotp(key, text, { nowMs, lastStep: 0n })).toBeUndefined();
    }
  });
});

test('a key depends on the secret, the operator and the nonce', () => {
  const one = { personId: newUuid(), nonce: newTotpNonce() };
  const keys = [
    totpKeyOf('a', one),
    totpKeyOf('b', one),
    totpKeyOf('a', { ...one, personId: newUuid() }),
    totpKeyOf('a', { ...one, nonce: newTotpNonce() }),
  ].map(toBase32);
  expect(new Set(keys).size).toBe(4);
  expect(toBase32(totpKeyOf('a', one))).toBe(keys[0]);
});

test('base32 is that of RFC 4648', () => {
  expect(toBase32(Buffer.from('foobar1234'))).toBe('MZXW6YTBOIYTEMZU');
});

test('recovery codes are ten, all different, and known however they are typed', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  const [code = ''] = codes;
  for (const typed of [code.toLowerCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')} `]) {
    expect(hashRecoveryCode(typed)).toEqual(hashRecoveryCode(code));
  }
});
