import * as client from '@karat/program-client';
import { token2022Program } from '@karat/signer';
import { address } from '@solana/kit';
import * as system from '@solana-program/system';
import * as token from '@solana-program/token';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { nameError } from '../../../src/chain/failure/error-names.js';
import { describeProgramError } from '../../../src/chain/program/program-errors.js';

afterEach(() => vi.unstubAllEnvs());

/** Every error of the generated client, as `[6018, 'SLIPPAGE_EXCEEDED']`. */
const generated = Object.entries(client).flatMap(([name, value]): [number, string][] =>
  name.startsWith('KARAT_ERROR__') && typeof value === 'number' ? [[value, name.slice(13)]] : [],
);

/** `SLIPPAGE_EXCEEDED` as the program's source writes it. */
const pascalCase = (constant: string) =>
  constant.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, deadLetter: string) => deadLetter.toUpperCase());

describe('an error of the program', () => {
  test.each([
    [6000, 'Unauthorized: This signer does not have the role that the instruction needs.'],
    [
      6036,
      'SlippageExceeded: The output is below the accepted minimum, or the input above the accepted maximum.',
    ],
    [6015, 'NotEnoughAccounts: The instruction was given fewer accounts than it needs.'],
  ])('an error of the program, %d, is reported by name and meaning, whatever NODE_ENV is', (code, text) => {
    expect(describeProgramError(code)).toBe(text);
    vi.stubEnv('NODE_ENV', 'production');
    expect(describeProgramError(code)).toBe(text);
  });

  test('an error of the program is reported as the generated client has it, every one', () => {
    expect(generated.length).toBeGreaterThanOrEqual(35);
    for (const [code, name] of generated) {
      const meaning = client.getKaratErrorMessage(code as client.KaratError);
      expect(describeProgramError(code)).toBe(`${pascalCase(name)}: ${meaning}`);
    }
  });

  test('an error of the program is unknown where the client does not know it', () => {
    const known = new Set(generated.map(([code]) => code));
    for (let code = 5_990; code < 6_200; code += 1) {
      if (!known.has(code)) expect(describeProgramError(code)).toBeUndefined();
    }
    for (const code of [0, 1, -1, 6_999]) expect(describeProgramError(code)).toBeUndefined();
  });
});

describe('an error of another program', () => {
  const own = address('11111111111111111111111111111112');
  const constants = (module: object, prefix: string) =>
    Object.entries(module).flatMap(([name, value]): [number, string][] =>
      name.startsWith(prefix) && typeof value === 'number'
        ? [[value, pascalCase(name.slice(prefix.length))]]
        : [],
    );

  test.each([
    ['SPL Token', token.TOKEN_PROGRAM_ADDRESS, constants(token, 'TOKEN_ERROR__')],
    ['Token-2022', token2022Program, constants(token, 'TOKEN_ERROR__')],
    [
      'associated token',
      token.ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
      constants(token, 'ASSOCIATED_TOKEN_ERROR__'),
    ],
    ['system', system.SYSTEM_PROGRAM_ADDRESS, constants(system, 'SYSTEM_ERROR__')],
  ])(
    'an error of another program has the name that the client of the program gives it: %s',
    (_, program, errors) => {
      expect(errors.length).toBeGreaterThan(0);
      for (const [code, name] of errors) expect(nameError(program, code, own)?.name).toBe(name);
      expect(nameError(program, errors.length, own)).toBeUndefined();
    },
  );
});
