import { statSync } from 'node:fs';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
} from '@solana/kit';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import { describe, expect, test } from 'vitest';
import { ONE, PROGRAM_FILE, Scenario, SYSTEM_ADDRESS, signer } from './fixture.js';

// What a trade costs and how large it is: printed, and held to its limits.

const MAX_COMPUTE_UNITS = 12_000;
const MAX_TRANSACTION_BYTES = 1_232;
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;

function report(what: string, value: number | bigint, unit: string): void {
  console.log(`figure: ${what}: ${value.toLocaleString('en')} ${unit}`);
}

/** Prices that make the divisions as different as they can be. */
const prices = [
  { price: 4_100_00000000n, exponent: -8 },
  { price: 4_100n, exponent: 0 },
  { price: 4_100_123456789012n, exponent: -12 },
  { price: 9_999_99999999n, exponent: -8 },
  { price: 1_000_000000000001n, exponent: -12 },
];

describe('compute units of', () => {
  test.each(['buy', 'sell'] as const)('%s, without account creation, stay below 12,000', async (side) => {
    const scenario = await Scenario.create();
    const used = prices.flatMap((price) =>
      [1_000_003n, 4_100n * ONE - 1n].map((amount) => {
        scenario.reset();
        scenario.setPrice({ ...price, confidence: 1n });
        const trade =
          side === 'buy' ? scenario.buy({ usdcIn: amount }) : scenario.sell({ goldIn: amount / 4_099n });
        return Number(scenario.mustSend([trade]).computeUnits);
      }),
    );
    report(`compute units of ${side}, at most`, Math.max(...used), 'CU');
    expect(Math.max(...used)).toBeLessThanOrEqual(MAX_COMPUTE_UNITS);
    expect(Math.min(...used)).toBeGreaterThan(1_000);
  });
});

/** Every instruction of the service's largest trade: compute budget, memo, account creation, trade. */
function largestTrade(scenario: Scenario, side: 'buy' | 'sell'): Instruction[] {
  const { at } = scenario;
  const memo = `karat|1|${side}|trd_01920000-0000-7000-8000-000000000000|${2n ** 64n - 1n}`.padEnd(90, '0');
  const buying = side === 'buy';
  return [
    { programAddress: COMPUTE_BUDGET, data: Uint8Array.of(2, 0x40, 0x0d, 3, 0) },
    { programAddress: COMPUTE_BUDGET, data: Uint8Array.of(3, 0x40, 0x0d, 3, 0, 0, 0, 0, 0) },
    {
      programAddress: MEMO,
      accounts: [{ address: at.serviceSigner, role: AccountRole.READONLY_SIGNER }],
      data: new TextEncoder().encode(memo),
    },
    getCreateAssociatedTokenIdempotentInstruction({
      payer: signer(at.partnerWallet),
      ata: buying ? at.userGold : at.userUsdc,
      owner: at.user,
      mint: buying ? at.goldMint : at.usdcMint,
    }),
    buying ? scenario.buy() : scenario.sell(),
  ];
}

describe('the largest transaction of', () => {
  test.each(['buy', 'sell'] as const)(
    '%s fits into 1,232 bytes and lands, account creation included',
    async (side) => {
      const scenario = await Scenario.create();
      const { at } = scenario;
      scenario.setAccount(side === 'buy' ? at.userGold : at.userUsdc, SYSTEM_ADDRESS, new Uint8Array(), 0n);
      for (const payer of [at.serviceSigner, at.partnerWallet])
        scenario.setAccount(payer, SYSTEM_ADDRESS, new Uint8Array());
      const instructions = largestTrade(scenario, side);
      const compiled = compileTransaction(
        pipe(
          createTransactionMessage({ version: 'legacy' }),
          (empty) => setTransactionMessageFeePayer(at.serviceSigner, empty),
          (paid) => scenario.svm.setTransactionMessageLifetimeUsingLatestBlockhash(paid),
          (living) => appendTransactionMessageInstructions(instructions, living),
        ),
      );
      expect(Object.keys(compiled.signatures)).toHaveLength(3);
      const size = getTransactionEncoder().encode(compiled).length;
      report(`largest ${side} transaction`, size, 'bytes');
      expect(size).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES);
      const landed = scenario.mustSend(instructions, at.serviceSigner);
      report(`${side} with account creation and memo`, landed.computeUnits, 'CU');
      expect(scenario.balance(side === 'buy' ? at.userGold : at.userUsdc)).toBeGreaterThan(0n);
    },
  );
});

test('the program fits into 64 KiB', () => {
  const { size } = statSync(PROGRAM_FILE);
  report('program', size, 'bytes');
  expect(size).toBeLessThanOrEqual(64 * 1024);
});
