import { expect, test } from 'vitest';
import { newId } from '../../src/domain/ids.js';
import { codeOf, isCode, isCodeText, issueCode } from '../../src/domain/pickup-code.js';
import { wrongCodeFor } from '../redeeming.js';

test('a pickup code is eight digits, as likely as any other, which the secret alone leads to', () => {
  const id = newId('red');
  const secret = 'a secret of at least 32 characters';
  const firstDigits = new Map<string, number>();
  for (let count = 0; count < 2_000; count += 1) {
    const issued = issueCode(secret, id);
    const code = codeOf(secret, issued) ?? '';
    expect(code).toMatch(/^\d{8}$/);
    expect(isCodeText(code)).toBe(true);
    expect(isCode(secret, issued, code)).toBe(true);
    expect(isCode(secret, issued, wrongCodeFor(code))).toBe(false);
    expect(isCode(`${secret}!`, issued, code)).toBe(false);
    expect(codeOf(`${secret}!`, issued)).toBeUndefined();
    expect(isCode(secret, { ...issued, redemptionId: newId('red') }, code)).toBe(false);
    firstDigits.set(code.charAt(0), (firstDigits.get(code.charAt(0)) ?? 0) + 1);
  }
  expect(firstDigits.size).toBe(10);
  for (const times of firstDigits.values()) expect(times).toBeGreaterThan(120);
});

test('a text of seven or nine digits, or with anything but the digits 0 to 9, does not have the form of a pickup code', () => {
  for (const text of ['', '0471133', '047113380', '0471133a', '0471 338', '٠٤٧١١٣٣٨', '04711338\n']) {
    expect(isCodeText(text)).toBe(false);
  }
});
