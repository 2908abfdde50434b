import type { Address } from '@solana/kit';
import { getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { type Scenario, TOKEN_2022_PROGRAM_ADDRESS } from '../fixture.js';

const MEMO_V1 = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo' as Address;
const LOADER_V1 = 'BPFLoader1111111111111111111111111111111111' as Address;

/** Sets the balance of a token account of the scenario. */
export function mintOf(name: Exclude<keyof Scenario['at'], 'partnerId'>, amount: bigint) {
  return (scenario: Scenario): void => {
    const { mint, owner } = getTokenDecoder().decode(scenario.account(scenario.at[name]).data);
    scenario.setToken(scenario.at[name], { mint, owner, amount });
  };
}

/**
 * Puts a program at the addresses of both token programs that accepts a transfer and does nothing: the first Memo program, which succeeds
 * whenever its data is UTF-8. With a price of 4,096 and no fee, a trade of 65,536 base units of GOLD for 2^28 of USDC is.
 */
export function silentTokenProgram(scenario: Scenario): void {
  const memo = scenario.account(MEMO_V1);
  for (const program of [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS])
    scenario.svm.addProgramWithLoader(program, new Uint8Array(memo.data), LOADER_V1);
  scenario.setIntegrator({ openFeeBps: 0 });
  scenario.setPrice({ price: 4_096n, exponent: 0, confidence: 0n });
}
