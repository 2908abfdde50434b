import { readFileSync, statSync } from 'node:fs';
import { SettlementMode } from '@karat/program-client';
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
import {
  addressOf,
  eight,
  NOW,
  ONE,
  PROGRAM_FILE,
  Scenario,
  SYSTEM_ADDRESS,
  signer,
  tokenProgramOf,
} from './fixture.js';

// What instructions cost and how large they are: printed, and held to their limits.

const MAX_COMPUTE_UNITS = 20_000;
/** Of a redemption. */
const MAX_REDEMPTION_UNITS = 15_000;
const MAX_TRANSACTION_BYTES = 1_232;
/** Of a trade of a user, which wallets may add to. */
const MAX_TRADE_BYTES = 1_200;
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

/** Every trade, of about `amount` base units of USDC. */
const trades = {
  buy: (scenario: Scenario, amount: bigint) => scenario.buy({ usdcIn: amount }),
  sell: (scenario: Scenario, amount: bigint) => scenario.sell({ goldIn: amount / 4_099n }),
  partnerPurchase: (scenario: Scenario, amount: bigint) =>
    scenario.partnerPurchase({ goldOut: amount / 4_099n }),
  partnerSale: (scenario: Scenario, amount: bigint) => scenario.partnerSale({ goldIn: amount / 4_099n }),
};

describe('compute units of', () => {
  test.each(Object.keys(trades) as (keyof typeof trades)[])(
    '%s, without account creation, stay below 20,000',
    async (name) => {
      const scenario = await Scenario.create();
      const used = prices.flatMap((price) =>
        [1_000_003n, 4_100n * ONE - 1n].map((amount) => {
          scenario.reset();
          scenario.setPrice({ ...price, confidence: 1n });
          return Number(scenario.mustSend([trades[name](scenario, amount)]).computeUnits);
        }),
      );
      report(`compute units of ${name}, at most`, Math.max(...used), 'CU');
      expect(Math.max(...used)).toBeLessThanOrEqual(MAX_COMPUTE_UNITS);
      expect(Math.min(...used)).toBeGreaterThan(1_000);
    },
  );

  test('redemptions stay below 15,000', async () => {
    const scenario = await Scenario.create();
    const settle = (mode: SettlementMode) => scenario.settleRedemption(mode);
    const instructions = {
      redeem: scenario.redeem(),
      'settleRedemption, burn': settle(SettlementMode.Burn),
      'settleRedemption, refund': settle(SettlementMode.Refund),
      reclaimRedemption: scenario.reclaimRedemption(),
      sweepEscrow: scenario.sweepEscrow(),
    };
    for (const [name, instruction] of Object.entries(instructions)) {
      scenario.reset();
      if (name !== 'redeem') scenario.mustSend([scenario.redeem()]);
      if (name.endsWith('burn')) scenario.setRedemption({ burnReadyAt: NOW });
      if (name === 'reclaimRedemption') scenario.setRedemption({ reclaimableAt: NOW });
      const used = Number(scenario.mustSend([instruction]).computeUnits);
      report(`compute units of ${name}`, used, 'CU');
      expect(used).toBeLessThanOrEqual(MAX_REDEMPTION_UNITS);
      expect(used).toBeGreaterThan(1_000);
    }
  });

  test("the other instructions of partners and admin stay below 20,000, but for the search of the authority's account", async () => {
    const scenario = await Scenario.create();
    const full = { remove: eight([]).map((_, index) => addressOf(`${index}`)), add: [scenario.at.executive] };
    const instructions = {
      'updateExecutives, eight for one': scenario.updateExecutives(full),
      'partnerWithdraw of USDC': scenario.partnerWithdraw('Usdc'),
      'partnerWithdraw of GOLD': scenario.partnerWithdraw('Gold'),
      treasuryWithdraw: scenario.treasuryWithdraw('Gold'),
      'treasuryWithdraw of fees': scenario.treasuryWithdraw('Fees'),
    };
    for (const [name, instruction] of Object.entries(instructions)) {
      scenario.reset();
      scenario.setIntegrator({ executiveCount: 8, executives: full.remove });
      const used = Number(scenario.mustSend([instruction]).computeUnits);
      report(`compute units of ${name}`, used, 'CU');
      // Each bump below 255 costs another hash of 1,500.
      expect(used).toBeLessThanOrEqual(MAX_COMPUTE_UNITS + (name.startsWith('partnerWithdraw') ? 15_000 : 0));
    }
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
      tokenProgram: tokenProgramOf(buying ? at.goldMint : at.usdcMint),
    }),
    buying ? scenario.buy() : scenario.sell(),
  ];
}

describe('the largest transaction of', () => {
  test.each(['buy', 'sell'] as const)(
    '%s fits into 1,200 bytes and lands, account creation included',
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
      expect(size).toBeLessThanOrEqual(MAX_TRADE_BYTES);
      const landed = scenario.mustSend(instructions, at.serviceSigner);
      report(`${side} with account creation and memo`, landed.computeUnits, 'CU');
      expect(scenario.balance(side === 'buy' ? at.userGold : at.userUsdc)).toBeGreaterThan(0n);
    },
  );
});

/** What the tradebook builds around an instruction of a partner: compute budget, memo, perhaps an account, one signer. */
function partnerTransaction(scenario: Scenario, name: keyof typeof partnerSigners): Instruction[] {
  const { at } = scenario;
  const memo = 'karat|1|withdrawal|01920000-0000-7000-8000-000000000000|18446744073709551615'.padEnd(90, '0');
  const signedBy = partnerSigners[name];
  const instructions = {
    partnerPurchase: [scenario.partnerPurchase({ payer: signer(at.executive) })],
    partnerSale: [scenario.partnerSale({ payer: signer(at.executive) })],
    updateExecutives: [
      scenario.updateExecutives({
        remove: [at.executive],
        add: eight([]).map((_, index) => addressOf(`new executive ${index}`)),
      }),
    ],
    partnerWithdraw: [
      getCreateAssociatedTokenIdempotentInstruction({
        payer: signer(at.withdrawalAuthority),
        ata: at.withdrawalGold,
        owner: at.withdrawalAuthority,
        mint: at.goldMint,
        tokenProgram: tokenProgramOf(at.goldMint),
      }),
      scenario.partnerWithdraw('Gold', ONE, { payer: signer(at.withdrawalAuthority) }),
    ],
  };
  return [
    { programAddress: COMPUTE_BUDGET, data: Uint8Array.of(2, 0x40, 0x0d, 3, 0) },
    { programAddress: COMPUTE_BUDGET, data: Uint8Array.of(3, 0x40, 0x0d, 3, 0, 0, 0, 0, 0) },
    {
      programAddress: MEMO,
      accounts: [{ address: at[signedBy], role: AccountRole.READONLY_SIGNER }],
      data: new TextEncoder().encode(memo),
    },
    ...instructions[name],
  ];
}

const partnerSigners = {
  partnerPurchase: 'executive',
  partnerSale: 'executive',
  updateExecutives: 'updateAuthority',
  partnerWithdraw: 'withdrawalAuthority',
} as const;

describe('the largest transaction of', () => {
  test.each(Object.keys(partnerSigners) as (keyof typeof partnerSigners)[])(
    '%s fits into 1,232 bytes and lands on one signature',
    async (name) => {
      const scenario = await Scenario.create();
      const { at } = scenario;
      scenario.setAccount(at.withdrawalGold, SYSTEM_ADDRESS, new Uint8Array(), 0n);
      const payer = at[partnerSigners[name]];
      scenario.setAccount(payer, SYSTEM_ADDRESS, new Uint8Array());
      const compiled = scenario.compile(partnerTransaction(scenario, name), payer);
      expect(Object.keys(compiled.signatures)).toEqual([payer]);
      const size = 1 + 64 + compiled.messageBytes.length;
      report(`largest ${name} transaction`, size, 'bytes');
      expect(size).toBeLessThanOrEqual(MAX_TRANSACTION_BYTES);
      const landed = scenario.sendCompiled(compiled);
      expect(landed.error, landed.logs.join('\n')).toBe(undefined);
      report(`${name} with memo`, landed.computeUnits, 'CU');
    },
  );
});

test('the program reports where a fault is', () => {
  const binary = readFileSync(PROGRAM_FILE, 'latin1');
  const text = /=======BEGIN SECURITY\.TXT V1=======\0(.*?)=======END SECURITY\.TXT V1=======\0/s.exec(
    binary,
  )?.[1];
  const parts = text?.split('\0').slice(0, -1) ?? [];
  const fields = Object.fromEntries(
    parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1]]] : [])),
  );

  const policy = 'SECURITY.md of the source code';
  expect(fields).toMatchObject({ name: 'Karat', contacts: `other:${policy}`, policy });
  expect(fields).toHaveProperty('project_url');
  expect(fields).toHaveProperty('source_code');
});

test('the program fits into 140,000 bytes', () => {
  const { size } = statSync(PROGRAM_FILE);
  report('program', size, 'bytes');
  expect(size).toBeLessThanOrEqual(140_000);
});
