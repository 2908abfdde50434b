import { afterEach, describe, expect, test, vi } from 'vitest';
import { describeProgramError } from '../../src/chain/program-errors.js';

afterEach(() => vi.unstubAllEnvs());

describe('an error of the program', () => {
  test.each([
    [6000, 'Unauthorized: This signer does not have the role that the instruction needs.'],
    [6018, 'SlippageExceeded: The output is below the accepted minimum.'],
    [6034, 'NotEnoughAccounts: The instruction was given fewer accounts than it needs.'],
  ])('%d is told by name and meaning', (code, text) => {
    expect(describeProgramError(code)).toBe(text);
  });

  test('is told by name alone where the generated texts are left out', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(describeProgramError(6018)).toBe('SlippageExceeded');
  });

  test.each([0, 1, 5_999, 6_999])('is none of code %d', (code) => {
    expect(describeProgramError(code)).toBeUndefined();
  });
});
