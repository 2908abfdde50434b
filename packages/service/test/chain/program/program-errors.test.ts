import * as client from '@karat/program-client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeProgramError } from '../../../src/chain/program/program-errors.js';

afterEach(() => vi.unstubAllEnvs());

/** Every error of the generated client, as `[6018, 'SLIPPAGE_EXCEEDED']`. */
const generated = Object.entries(client).flatMap(([name, value]): [number, string][] =>
  name.startsWith('KARAT_ERROR__') && typeof value === 'number' ? [[value, name.slice(13)]] : [],
);

/** `SLIPPAGE_EXCEEDED` as the program's source writes it. */
const pascalCase = (constant: string) =>
  constant.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

describe('an error of the program', () => {
  test.each([
    [6000, 'Unauthorized: This signer does not have the role that the instruction needs.'],
    [
      6018,
      'SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum.',
    ],
    [6034, 'NotEnoughAccounts: The instruction was given fewer accounts than it needs.'],
  ])('%d is told by name and meaning, whatever NODE_ENV says', (code, text) => {
    expect(describeProgramError(code)).toBe(text);
    vi.stubEnv('NODE_ENV', 'production');
    expect(describeProgramError(code)).toBe(text);
  });

  test('is told as the generated client tells it, every one', () => {
    expect(generated.length).toBeGreaterThanOrEqual(35);
    for (const [code, name] of generated) {
      const meaning = client.getKaratErrorMessage(code as client.KaratError);
      expect(describeProgramError(code)).toBe(`${pascalCase(name)}: ${meaning}`);
    }
  });

  test('is none that the client does not know', () => {
    const known = new Set(generated.map(([code]) => code));
    for (let code = 5_990; code < 6_200; code += 1) {
      if (!known.has(code)) expect(describeProgramError(code)).toBeUndefined();
    }
    for (const code of [0, 1, -1, 6_999]) expect(describeProgramError(code)).toBeUndefined();
  });
});
