import { type Address, getAddressEncoder } from '@solana/kit';
import { AccountState, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import {
  addressOf,
  type Scenario,
  SYSTEM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
  type TokenFields,
  tokenBytes,
} from '../fixture.js';
import type { Build, Name } from './accounts.js';
import type { Refusal } from './refusal.js';

/** Length of the third kind of account that a token program owns: its signers are whatever somebody writes. */
export const MULTISIG_BYTES = 355;

/**
 * Every wrong content of the token account at the right address: of another program, gone, uninitialized, a mint, frozen, of another
 * mint, and, unless `owner` is undefined, of another owner.
 */
export function wrongTokenContent(
  build: Build,
  name: Name,
  mint: 'usdcMint' | 'goldMint',
  owner: Name | undefined,
): Refusal[] {
  const right = (scenario: Scenario): TokenFields => ({
    mint: scenario.at[mint],
    owner: scenario.at[owner ?? 'withdrawOwner'],
    amount: 1_000_000_000n,
  });
  const [own, foreign] =
    mint === 'usdcMint'
      ? [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]
      : [TOKEN_2022_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS];
  const write = ({ mint: otherMint, ...change }: Partial<TokenFields>, program: Address = own) => {
    return (scenario: Scenario) => {
      const data = tokenBytes({ ...right(scenario), ...change });
      if (otherMint) data.set(getAddressEncoder().encode(otherMint));
      scenario.setAccount(scenario.at[name], program, data);
    };
  };
  const otherMint = mint === 'usdcMint' ? 'goldMint' : 'usdcMint';
  const cases: Refusal[] = [
    {
      error: 'InvalidAccountOwner',
      when: `${name} is owned by the program of the other token`,
      arrange: write({}, foreign),
      instruction: build,
    },
    {
      error: 'InvalidAccountOwner',
      when: `${name} does not exist`,
      arrange: (scenario) => scenario.setAccount(scenario.at[name], SYSTEM_ADDRESS, new Uint8Array(), 0n),
      instruction: build,
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is uninitialized`,
      arrange: write({ state: AccountState.Uninitialized }),
      instruction: build,
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is a mint`,
      arrange: (scenario) =>
        mint === 'usdcMint' ? scenario.setMint(scenario.at[name]) : scenario.setGoldMint(scenario.at[name]),
      instruction: build,
    },
    {
      error: 'InvalidAccountData',
      when: `${name} is a multisig whose signers look like it`,
      arrange: (scenario) => {
        const data = new Uint8Array(MULTISIG_BYTES);
        data.set(tokenBytes(right(scenario)));
        scenario.setAccount(scenario.at[name], own, data);
      },
      instruction: build,
    },
    {
      error: 'TokenAccountFrozen',
      when: `${name} is frozen`,
      arrange: write({ state: AccountState.Frozen }),
      instruction: build,
    },
    {
      error: 'InvalidMint',
      when: `${name} is of the other mint`,
      arrange: (scenario) => write({ mint: scenario.at[otherMint] })(scenario),
      instruction: build,
    },
    {
      error: 'InvalidMint',
      when: `${name} is of a foreign mint`,
      arrange: write({ mint: addressOf('foreign mint') }),
      instruction: build,
    },
  ];
  if (owner) {
    cases.push({
      error: 'InvalidTokenOwner',
      when: `${name} belongs to somebody else`,
      arrange: write({ owner: addressOf('somebody else') }),
      instruction: build,
    });
  }
  return cases;
}
