import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AuthorityRole, HotKeyRole, MarketState } from '@karat/program-client';
import { AccountRole, type Address, getProgramDerivedAddress, type Instruction } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { addressOf, DAY, NOW, PROGRAM_ADDRESS, Scenario, signer } from './fixture.js';

// The admin is an account of a multisig program: it has no key and no SOL, and signs by CPI. `multisig/` is such a program.

const multisig = addressOf('multisig');
const program = readFileSync(fileURLToPath(new URL('./multisig.so', import.meta.url)));
let scenario: Scenario;
let vault: Address;

/** The instruction with the vault in the place of the admin, which nobody signs for. */
function ofVault(instruction: Instruction): Instruction {
  const { admin } = scenario.at;
  const accounts = (instruction.accounts ?? []).map((account) =>
    account.address === admin ? { address: vault, role: AccountRole.READONLY } : account,
  );
  return { ...instruction, accounts };
}

/** A call of the multisig program, which makes the instruction with the vault's signature. */
function byCpi(instruction: Instruction): Instruction {
  const { accounts = [], data } = ofVault(instruction);
  const called = [vault, PROGRAM_ADDRESS].map((address) => ({ address, role: AccountRole.READONLY }));
  return { programAddress: multisig, accounts: [...called, ...accounts], ...(data && { data }) };
}

beforeAll(async () => {
  scenario = await Scenario.create();
  scenario.svm.addProgram(multisig, program);
  [vault] = await getProgramDerivedAddress({ programAddress: multisig, seeds: ['multisig'] });
  scenario.mustSend([scenario.proposeAdmin(vault)]);
  scenario.setTime(NOW + BigInt(DAY));
  scenario.mustSend([scenario.attest()]);
  const accept = { ...scenario.acceptAdmin(scenario.at.admin) };
  expect(scenario.send([ofVault(accept)]).error).toBe('MissingSignature');
  scenario.mustSend([byCpi(accept)]);
  expect(scenario.config().admin).toBe(vault);
});

const lost = addressOf('key in the place of a lost one');
/** Everything that the admin may do, in an order in which it can be done. */
const acts: [string, () => Instruction][] = [
  ['pause', () => scenario.pause(31, scenario.at.admin)],
  ['resume', () => scenario.resume()],
  ['setMarket', () => scenario.setMarket(MarketState.Closed, scenario.at.admin)],
  ['proposeSettings', () => scenario.proposeSettings({ maxTradeUsdc: 1_000_000_000n })],
  ['cancelSettings', () => scenario.cancelSettings(scenario.at.admin)],
  ['replaceKey', () => scenario.replaceKey(HotKeyRole.Market, scenario.at.market, lost)],
  ['rotateAccounts', () => scenario.rotateAccounts()],
  ['treasuryWithdraw', () => scenario.treasuryWithdraw('Usdc')],
  ['sweepEscrow', () => scenario.sweepEscrow()],
  ['mintGold', () => scenario.mintGold()],
  ['proposeAuthority', () => scenario.proposeAuthority(AuthorityRole.Update, lost)],
  ['applyAuthority', () => scenario.applyAuthority(AuthorityRole.Update, lost)],
  ['proposeAuthority once more', () => scenario.proposeAuthority(AuthorityRole.Wallet, lost)],
  [
    'cancelAuthority',
    () => scenario.cancelAuthority(AuthorityRole.Wallet, lost, { authority: signer(scenario.at.admin) }),
  ],
  ['suspendIntegrator', () => scenario.suspendIntegrator(scenario.at.admin)],
  ['proposeAdmin', () => scenario.proposeAdmin(scenario.at.admin)],
  ['cancelAdmin', () => scenario.cancelAdmin(scenario.at.admin)],
];

describe('an account that signs by CPI alone, and pays nothing', () => {
  test.each(acts)('an account that signs by CPI alone, and pays nothing, can %s', (name, act) => {
    if (name === 'applyAuthority') scenario.setTime(NOW + 2n * BigInt(DAY));
    expect(scenario.send([ofVault(act())]).error).toBe('MissingSignature');
    scenario.mustSend([byCpi(act())]);
    expect(scenario.svm.getAccount(vault).exists).toBe(false);
  });
});
