import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  getAnnounceBurnInstruction,
  getCancelBurnInstruction,
  getCancelSettingsInstruction,
  getCloseReceiptInstruction,
  getCreateIntegratorInstruction,
  getFreezeAccountInstruction,
  getPauseInstructionAsync,
  getProposeSettingsInstruction,
  getReplaceKeyInstruction,
  getResumeInstructionAsync,
  getSetMarketInstructionAsync,
  getSettleRedemptionInstruction,
  getSuspendIntegratorInstruction,
  getThawAccountInstruction,
  getTreasuryWithdrawInstruction,
  HotKeyRole,
  IntegratorStatus,
  MarketState,
  SettlementMode,
} from '@karat/program-client';
import { readLegacyTransaction } from '@karat/wire';
import {
  AccountRole,
  type Address,
  address,
  createAddressWithSeed,
  createNoopSigner,
  type Instruction,
} from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import {
  getAssignInstruction,
  getCreateAccountInstruction,
  getCreateAccountWithSeedInstruction,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import {
  getApproveInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeAccount3Instruction,
  getInitializeMint2Instruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goldMintBytesWith, goldMintInstructions } from '../../service/src/chain/admin/gold-mint.js';
import { buildRedemption } from '../../service/src/chain/build/build-redemption.js';
import { type TradeTerms, tradeInstructions } from '../../service/src/chain/build/build-trade.js';
import { compileLegacyMessage } from '../../service/src/chain/build/compile-message.js';
import { executivePlaces } from '../../service/src/chain/program/executives.js';
import { newId, newUuid } from '../../service/src/domain/ids.js';
import { goldUnits } from '../../service/src/domain/money.js';
import {
  addressOf,
  givenConfig,
  givenIntegrator,
  givenSettings,
  programAddress,
} from '../../service/test/chain/fixtures.js';
import {
  assertAccountInfo,
  guard as guardInstruction,
  memoryWrite,
} from '../../service/test/chain/guarded.js';
import { newWallet } from '../../service/test/harness.js';
import { guard } from '../src/guard.js';
import { createSigner } from '../src/key-file.js';
import { type PolicyRule, type PolicySettings, SigningPolicy, type SigningRole } from '../src/policy.js';
import { memoProgram, token2022Program } from '../src/programs.js';

const wallet = newWallet();
const key = createSigner(Uint8Array.from(wallet.secretKey));
const nowMs = Date.UTC(2026, 10, 23);
const nowSeconds = BigInt(nowMs / 1_000);
const folder = mkdtempSync(join(tmpdir(), 'karat-policy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let tick = 0;
const settings: PolicySettings = {
  programAddress,
  maxUsdc: 1_000_000n,
  maxGold: 5_000n,
  maxComputeUnitPrice: 100_000n,
  signaturesPerMinute: 100,
  lamportsPerHour: 1_000_000_000n,
  killFile: undefined,
  nowMs: () => nowMs,
  tickMs: () => tick,
};
const policyOf = (role: SigningRole, changes: Partial<PolicySettings> = {}) =>
  new SigningPolicy(role, key.address, { ...settings, ...changes });

/** The rule by which a message is refused; undefined when it may be signed. */
function ruleOf(message: Uint8Array, role: SigningRole = 'service', changes: Partial<PolicySettings> = {}) {
  try {
    policyOf(role, changes).admit(message);
    return undefined;
  } catch (error) {
    return (error as { rule?: PolicyRule }).rule;
  }
}

const blockhash = addressOf(99) as string as TradeTerms['blockhash'];
const service = createNoopSigner(key.address);
const compile = (instructions: Instruction[], payer: Address = key.address) =>
  compileLegacyMessage(payer, blockhash, instructions);

function terms(changes: Partial<TradeTerms> = {}): TradeTerms {
  return {
    side: 'buy',
    userPaysRent: false,
    tradeId: newId('trd'),
    amountIn: 1_000_000n,
    minAmountOut: 1n,
    maxAmountOut: 10n,
    maxFeeBps: 50,
    expireAtSeconds: nowSeconds + 90n,
    user: addressOf(30),
    integrator: { address: addressOf(31), data: givenIntegrator() },
    config: givenConfig(),
    blockhash,
    ...changes,
  };
}
const frame = {
  programAddress: programAddress as Address,
  configAddress: addressOf(40),
  serviceSigner: key.address,
  computeUnitPrice: 100_000n,
};
const own = { user: addressOf(30), userUsdc: addressOf(32), userGold: addressOf(33) };
const trade = (changes: Partial<TradeTerms> = {}, changed: Partial<typeof frame & typeof own> = {}) =>
  tradeInstructions({ ...frame, ...changed }, terms(changes), { ...own, ...changed });

async function redemption(amount = 5_000n): Promise<Uint8Array> {
  const payment = {
    redemptionId: newId('red'),
    partnerId: newUuid(),
    amount: goldUnits(amount),
    blockhash,
    user: addressOf(30),
    goldMint: addressOf(11),
    escrowGold: addressOf(41),
  };
  const { transaction } = await buildRedemption(
    { programAddress, signer: key, computeUnitPrice: 100_000n },
    payment,
  );
  return readLegacyTransaction(transaction).message;
}

const replaced = (position: number, instruction: Instruction) => {
  const instructions = trade();
  instructions[position] = instruction;
  return instructions;
};
const withData = (position: number, change: (data: Buffer) => Buffer) => {
  const instructions = trade();
  const changed = instructions[position] as Instruction;
  instructions[position] = { ...changed, data: change(Buffer.from(changed.data ?? [])) };
  return instructions;
};

describe('the service key', () => {
  test('the service key signs quotes: buys, sells and redemptions, with guards of wallets', async () => {
    const guards = [guardInstruction(assertAccountInfo, [own.user]), guardInstruction(assertAccountInfo)];
    for (const message of [
      compile(trade()),
      compile(trade({ side: 'sell', amountIn: 5_000n })),
      compile([...trade(), ...guards, ...guards]),
      compile([...guards, ...trade()]),
      await redemption(),
    ]) {
      expect(ruleOf(message)).toBeUndefined();
    }
  });

  const spare = addressOf(50);
  const sol = getTransferSolInstruction({ source: service, destination: spare, amount: 1n });
  test.each<[string, () => Instruction[] | Promise<Uint8Array>, PolicyRule]>([
    ['nothing at all', () => [], 'instruction'],
    ['a transfer of its SOL', () => [sol], 'instruction'],
    ['a transfer behind a quote', () => [...trade(), sol], 'instruction'],
    ['a transfer before a quote', () => [sol, ...trade()], 'instruction'],
    ['a transfer in place of the trade', () => replaced(4, sol), 'instruction'],
    ['two trades', () => [...trade(), ...trade().slice(3)], 'instruction'],
    ['a trade without its memo', () => trade().toSpliced(2, 1), 'instruction'],
    ['a trade in another order', () => trade().toReversed(), 'instruction'],
    ['another memo', () => withData(2, () => Buffer.from('karat|1|buy|trd_other|1')), 'instruction'],
    [
      'a memo of another amount',
      () => withData(2, (data) => Buffer.concat([data, Buffer.from('0')])),
      'instruction',
    ],
    ['a trade of another program', () => trade({}, { programAddress: spare }), 'instruction'],
    [
      'a trade with more data',
      () => withData(4, (data) => Buffer.concat([data, Buffer.of(0)])),
      'instruction',
    ],
    [
      'another instruction of the program',
      () => withData(4, (data) => Buffer.concat([Buffer.of(23), data.subarray(1)])),
      'instruction',
    ],
    [
      'five guards',
      () => [...trade(), ...Array.from({ length: 5 }, () => guardInstruction(assertAccountInfo))],
      'instruction',
    ],
    ['a guard that writes', () => [...trade(), guardInstruction(memoryWrite)], 'instruction'],
    [
      'a guard that is given its key',
      () => [...trade(), guardInstruction(assertAccountInfo, [key.address])],
      'key_use',
    ],
    ['a trade of its own', () => trade({ user: key.address }, { user: key.address }), 'key_use'],
    [
      'a trade as the partner',
      () =>
        trade({
          integrator: { address: addressOf(31), data: givenIntegrator({ partnerWallet: key.address }) },
        }),
      'key_use',
    ],
    ['a trade from its token account', () => trade({}, { userUsdc: key.address }), 'key_use'],
    ['a buy of too much', () => trade({ amountIn: 1_000_001n }), 'amount'],
    ['a sell of too much', () => trade({ side: 'sell', amountIn: 5_001n }), 'amount'],
    ['a redemption of too much', () => redemption(5_001n), 'amount'],
    ['a trade that lives too long', () => trade({ expireAtSeconds: nowSeconds + 151n }), 'expiry'],
    ['a trade that lives for ever', () => trade({ expireAtSeconds: 2n ** 62n }), 'expiry'],
    ['a higher price for compute units', () => trade({}, { computeUnitPrice: 100_001n }), 'fee'],
    [
      'an endless limit of compute units',
      () => replaced(0, getSetComputeUnitLimitInstruction({ units: 1_400_001 })),
      'fee',
    ],
    ['a compute budget that is malformed', () => withData(1, (data) => data.subarray(0, 5)), 'fee'],
  ])('the service key does not sign %s', async (_, make, rule) => {
    const made = await make();
    expect(ruleOf(made instanceof Uint8Array ? made : compile(made))).toBe(rule);
  });

  test('the service key signs as the fee payer only, and nothing that it need not sign', () => {
    expect(ruleOf(compile(trade(), spare))).toBe('fee_payer');
    expect(ruleOf(compile(trade({}, { serviceSigner: addressOf(51) }), spare))).toBe('malformed');
  });

  test('the service key does not sign other bytes than those of a legacy message', () => {
    const message = compile(trade());
    const versioned = Buffer.concat([Buffer.of(0x80), message, Buffer.of(0)]);
    for (const bytes of [
      new Uint8Array(),
      versioned,
      Buffer.concat([message, Buffer.of(0)]),
      message.subarray(1),
    ]) {
      expect(ruleOf(bytes)).toBe('malformed');
    }
    expect(ruleOf(Buffer.from('Sign this message to generate an API key for Karat: ch_1'))).toBe('malformed');
  });

  test('the service key signs no message in which anything but data of the quote was changed', () => {
    const message = compile(trade());
    const {
      instructions,
      accounts,
      blockhash: hash,
    } = readLegacyTransaction(
      Buffer.concat([Buffer.of(message[0] ?? 0), Buffer.alloc(64 * (message[0] ?? 0)), message]),
    );
    // Whatever a bit of the message says, what is signed still is a quote within the limits.
    fc.assert(
      fc.property(fc.nat(message.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(message);
        changed[at] = (changed[at] ?? 0) ^ flip;
        if (ruleOf(changed) !== undefined) return true;
        const read = readLegacyTransaction(
          Buffer.concat([Buffer.of(changed[0] ?? 0), Buffer.alloc(64 * (changed[0] ?? 0)), changed]),
        );
        expect(read.instructions.map(({ data }) => data.length)).toEqual(
          instructions.map(({ data }) => data.length),
        );
        expect(read.accounts).toHaveLength(accounts.length);
        expect(read.blockhash).toHaveLength(hash.length);
        expect(read.accounts[0]).toEqual(accounts[0]);
        const trading = Buffer.from(read.instructions[4]?.data ?? []);
        expect(trading.readBigUInt64LE(1)).toBeLessThanOrEqual(settings.maxUsdc);
        expect(trading.readBigInt64LE(27)).toBeLessThanOrEqual(nowSeconds + 150n);
        return true;
      }),
      { numRuns: 2_000 },
    );
  });

  test('the service key never throws anything but a refusal, whatever the bytes are', () => {
    const message = compile(trade());
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 1_300 }),
      fc.tuple(fc.nat(message.length), fc.uint8Array({ maxLength: 40 })).map(([at, bytes]) => {
        const changed = Uint8Array.from(message);
        changed.set(bytes.subarray(0, Math.max(0, changed.length - at)), Math.min(at, changed.length));
        return changed;
      }),
    );
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        try {
          policyOf('service').admit(bytes);
        } catch (error) {
          expect(error).toMatchObject({ name: 'PolicyRefusal' });
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the other keys', () => {
  const program = { programAddress };
  const authority = service;
  const [ata, spare] = [addressOf(60), addressOf(61)];
  const create = (tokenProgram: Address) =>
    getCreateAssociatedTokenIdempotentInstruction({
      payer: service,
      ata,
      owner: spare,
      mint: addressOf(11),
      tokenProgram,
    });
  const freezable = { account: ata, goldMint: addressOf(11), treasuryAuthority: addressOf(12) };
  const setMarket = getSetMarketInstructionAsync({ authority, marketState: MarketState.Open }, program);
  const pause = getPauseInstructionAsync({ authority, mask: 1 }, program);
  const resume = getResumeInstructionAsync({ admin: service, mask: 1, expectedPauseSeq: 0n }, program);
  const resumeOfOther = getResumeInstructionAsync(
    { admin: createNoopSigner(addressOf(63)), mask: 1, expectedPauseSeq: 0n },
    program,
  );
  const resumeTogether = getResumeInstructionAsync(
    { admin: createNoopSigner(addressOf(63)), guardian: service, mask: 32, expectedPauseSeq: 0n },
    program,
  );
  const id = new Uint8Array(16).fill(1);
  const [config, other] = [addressOf(40), createNoopSigner(addressOf(63))];
  const burnOf = { redemption: spare, id };
  const announceBurn = getAnnounceBurnInstruction({ ...burnOf, config, operations: service }, program);
  const cancelBurn = getCancelBurnInstruction({ ...burnOf, config, authority: service }, program);
  const suspend = getSuspendIntegratorInstruction({ authority: service, config, integrator: spare }, program);
  const proposal = { config, settingsProposal: spare };
  const propose = getProposeSettingsInstruction(
    { ...proposal, payer: service, admin: other, expectedSettingsSeq: 0n, settings: givenSettings() },
    program,
  );
  const cancelSettings = getCancelSettingsInstruction(
    { ...proposal, authority: service, rentPayer: addressOf(64) },
    program,
  );
  const replaceKey = getReplaceKeyInstruction(
    { config, admin: service, role: HotKeyRole.Market, old: spare, new: ata },
    program,
  );
  const freeze = getFreezeAccountInstruction(
    { ...freezable, config, compliance: service, owner: spare, reasonHash: new Uint8Array(32) },
    program,
  );
  const thaw = getThawAccountInstruction({ ...freezable, config, authority: service }, program);
  const closeReceipt = getCloseReceiptInstruction({ receipt: spare, payer: spare }, program);
  const token = (tokenProgram: Address) =>
    getTransferCheckedInstruction(
      {
        source: ata,
        mint: spare,
        destination: addressOf(62),
        authority: service,
        amount: 1n,
        decimals: 6,
      },
      { programAddress: tokenProgram },
    );
  const approve = (tokenProgram: Address) =>
    getApproveInstruction(
      { source: ata, delegate: spare, owner: service, amount: 1n },
      { programAddress: tokenProgram },
    );
  const transfer = getTransferSolInstruction({ source: service, destination: spare, amount: 1n });
  const assign = getAssignInstruction({ account: service, programAddress: spare });
  const account = (amount: bigint) =>
    getCreateAccountWithSeedInstruction({
      payer: service,
      newAccount: ata,
      base: key.address,
      baseAccount: service,
      seed: 'seed',
      amount,
      space: 165n,
      programAddress: spare,
    });

  const roles = ['market', 'guardian', 'operations', 'admin'] as const;
  test.each<[string, () => Instruction | Promise<Instruction>, (PolicyRule | undefined)[]]>([
    ['set the market', () => setMarket, [undefined, 'key_use', 'key_use', undefined]],
    ['pause', () => pause, ['key_use', undefined, 'key_use', undefined]],
    ['close a receipt', () => closeReceipt, [undefined, 'instruction', 'instruction', 'instruction']],
    ['resume', () => resume, ['key_use', undefined, 'key_use', undefined]],
    ['resume with the admin', () => resumeTogether, ['key_use', undefined, 'key_use', undefined]],
    ['announce a burn', () => announceBurn, ['instruction', 'instruction', undefined, undefined]],
    ['cancel a burn', () => cancelBurn, ['instruction', undefined, 'key_use', undefined]],
    ['suspend a partner', () => suspend, ['instruction', undefined, undefined, undefined]],
    ['pay for proposed settings', () => propose, ['instruction', 'instruction', undefined, undefined]],
    ['cancel settings', () => cancelSettings, ['instruction', undefined, undefined, undefined]],
    ['replace a key', () => replaceKey, ['instruction', 'instruction', 'key_use', undefined]],
    ['freeze an account', () => freeze, ['instruction', 'instruction', 'instruction', 'instruction']],
    ['thaw an account', () => thaw, ['instruction', 'instruction', 'key_use', undefined]],
    ['pay for a resumption', () => resumeOfOther, [undefined, undefined, undefined, undefined]],
    [
      'make a token account of USDC',
      () => create(TOKEN_PROGRAM_ADDRESS),
      ['instruction', 'instruction', 'instruction', undefined],
    ],
    [
      'make a token account of GOLD',
      () => create(token2022Program),
      ['instruction', 'instruction', 'instruction', undefined],
    ],
    [
      'make an account at a seed',
      () => account(2_039_280n),
      ['instruction', 'instruction', 'instruction', 'instruction'],
    ],
    [
      'transfer USDC of its own',
      () => token(TOKEN_PROGRAM_ADDRESS),
      ['instruction', 'instruction', 'key_use', undefined],
    ],
    [
      'transfer GOLD of its own',
      () => token(token2022Program),
      ['instruction', 'instruction', 'key_use', undefined],
    ],
    [
      'approve a delegate of USDC',
      () => approve(TOKEN_PROGRAM_ADDRESS),
      ['instruction', 'instruction', 'instruction', 'instruction'],
    ],
    [
      'approve a delegate of GOLD',
      () => approve(token2022Program),
      ['instruction', 'instruction', 'instruction', 'instruction'],
    ],
    ['transfer SOL', () => transfer, ['instruction', 'instruction', 'instruction', 'instruction']],
    ['give its account away', () => assign, ['instruction', 'instruction', 'instruction', 'instruction']],
    ['trade', () => trade()[4] as Instruction, ['instruction', 'instruction', 'instruction', 'instruction']],
    [
      'anchor the audit log',
      () => ({ programAddress: memoProgram, data: Buffer.from(`karat audit 12 ${'ab'.repeat(32)}`) }),
      [undefined, 'instruction', 'instruction', 'instruction'],
    ],
    [
      'write a memo',
      () => ({
        programAddress: memoProgram,
        accounts: [{ address: key.address, role: AccountRole.READONLY_SIGNER }],
        data: randomBytes(9),
      }),
      ['instruction', 'instruction', 'instruction', 'instruction'],
    ],
  ])('another key that %s', async (_, make, rules) => {
    const instruction = await make();
    const budget = getSetComputeUnitPriceInstruction({ microLamports: 100_000n });
    expect(roles.map((role) => ruleOf(compile([budget, instruction]), role))).toEqual(rules);
  });
});

describe('accounts that the operations key pays for', () => {
  const [user, mint, thief] = [addressOf(30), addressOf(11), addressOf(66)];
  const redemption = addressOf(61);
  const seed = redemption.slice(0, 32);
  let refunded: Address;
  beforeAll(async () => {
    refunded = await createAddressWithSeed({
      baseAddress: key.address,
      programAddress: token2022Program,
      seed,
    });
  });
  const settle = (destination: Address, mode = SettlementMode.Refund) =>
    getSettleRedemptionInstruction(
      {
        ...{ config: addressOf(40), operations: service, redemption, rentPayer: key.address },
        ...{ escrowAuthority: addressOf(41), escrowGold: addressOf(42), goldMint: mint, destination },
        ...{ id: new Uint8Array(16).fill(1), mode },
      },
      { programAddress },
    );
  const create = (changes: Partial<Parameters<typeof getCreateAccountWithSeedInstruction>[0]> = {}) =>
    getCreateAccountWithSeedInstruction({
      ...{ payer: service, newAccount: refunded, base: key.address, baseAccount: service, seed },
      ...{ amount: 2_039_280n, space: 165n, programAddress: token2022Program },
      ...changes,
    });
  const initialize = (account: Address = refunded) =>
    getInitializeAccount3Instruction({ account, mint, owner: user }, { programAddress: token2022Program });
  const associated = (ata: Address, owner = user, tokenProgram: Address = token2022Program) =>
    getCreateAssociatedTokenIdempotentInstruction({ payer: service, ata, owner, mint, tokenProgram });
  const partner = (vaultUsdc: Address, vaultGold: Address) =>
    getCreateIntegratorInstruction(
      {
        ...{ payer: service, authority: service, config: addressOf(40), integrator: addressOf(43) },
        ...{ vaultUsdc, vaultGold, partnerId: new Uint8Array(16), status: IntegratorStatus.Active },
        ...{ openFeeBps: 1, closedFeeBps: 1, dailyLimitUsdc: 1n, partnerWallet: user, updateAuthority: user },
        ...{ withdrawalAuthority: user, executiveCount: 1, executives: executivePlaces([user]) },
      },
      { programAddress },
    );
  const withdraw = (destination: Address) =>
    getTreasuryWithdrawInstruction(
      {
        ...{ config: addressOf(40), admin: createNoopSigner(addressOf(63)), amount: 1n, mint },
        ...{ treasuryAuthority: addressOf(41), treasuryToken: addressOf(42), destination },
        tokenProgram: token2022Program,
      },
      { programAddress },
    );
  const [usdc, gold] = [addressOf(44), addressOf(45)];

  test('the operations key pays for the accounts that the service makes', () => {
    for (const instructions of [
      [create(), initialize(), settle(refunded)],
      [create({ amount: 1_000_000n }), initialize(), settle(refunded)],
      [associated(gold), settle(gold)],
      [associated(usdc, user, TOKEN_PROGRAM_ADDRESS), associated(gold), partner(usdc, gold)],
      [associated(gold), withdraw(gold)],
    ]) {
      expect(ruleOf(compile(instructions), 'operations')).toBeUndefined();
    }
  });

  test.each<[string, () => Instruction[], PolicyRule]>([
    // What was found: SOL of the key, in an account of which the thief is the owner.
    ['an account for a program of a thief', () => [create({ programAddress: thief })], 'instruction'],
    [
      'an account of the System program at an address of a thief',
      () => [
        getCreateAccountInstruction({
          ...{ payer: service, newAccount: createNoopSigner(thief), lamports: 16_000_000n, space: 0n },
          programAddress: SYSTEM_PROGRAM_ADDRESS,
        }),
      ],
      'instruction',
    ],
    ['an account that nothing is refunded to', () => [create(), initialize()], 'instruction'],
    [
      'a token account of a thief behind a refund',
      () => [create(), initialize(), associated(gold), settle(gold)],
      'instruction',
    ],
    [
      'an account for a burn',
      () => [create(), initialize(), settle(refunded, SettlementMode.Burn)],
      'instruction',
    ],
    ['an account that is not initialized', () => [create(), settle(refunded)], 'instruction'],
    ['an account that is initialized later', () => [create(), settle(refunded), initialize()], 'instruction'],
    [
      'another seed than that of the redemption',
      () => [create({ seed: 'seed' }), initialize(), settle(refunded)],
      'instruction',
    ],
    [
      'an account of another base',
      () => [create({ base: thief, baseAccount: createNoopSigner(thief) }), initialize(), settle(refunded)],
      'instruction',
    ],
    [
      'a larger account',
      () => [create({ space: 166n, amount: 2_046_240n }), initialize(), settle(refunded)],
      'instruction',
    ],
    ['more than its rent', () => [create({ amount: 2_039_281n }), initialize(), settle(refunded)], 'fee'],
    ['an associated account of a thief', () => [associated(gold, thief)], 'instruction'],
    [
      'an associated account of a thief behind a refund',
      () => [associated(gold, thief), settle(usdc)],
      'instruction',
    ],
    [
      'an associated account that a change of the program names in passing',
      () => {
        const suspend = getSuspendIntegratorInstruction(
          { authority: service, config: addressOf(40), integrator: addressOf(43) },
          { programAddress },
        );
        const named = { address: gold, role: AccountRole.READONLY };
        const places = Array.from({ length: 6 }, () => named);
        return [associated(gold, thief), { ...suspend, accounts: [...suspend.accounts, ...places] }];
      },
      'instruction',
    ],
  ])('the operations key does not pay for %s', (_, make, rule) => {
    expect(ruleOf(compile(make()), 'operations')).toBe(rule);
  });

  test('the admin makes mints alone, of their size and rent', () => {
    const account = createNoopSigner(addressOf(70));
    const usdcMint = (space: bigint, lamports: bigint) => [
      getCreateAccountInstruction({
        ...{ payer: service, newAccount: account, lamports, space, programAddress: TOKEN_PROGRAM_ADDRESS },
      }),
      getInitializeMint2Instruction({ mint: account.address, decimals: 6, mintAuthority: key.address }),
    ];
    expect(ruleOf(compile(usdcMint(82n, 1_461_600n)), 'admin')).toBeUndefined();
    expect(ruleOf(compile(usdcMint(82n, 1_461_601n)), 'admin')).toBe('fee');
    expect(ruleOf(compile(usdcMint(83n, 1_461_600n)), 'admin')).toBe('instruction');
    expect(ruleOf(compile(usdcMint(82n, 1_461_600n).slice(0, 1)), 'admin')).toBe('instruction');
    expect(ruleOf(compile(usdcMint(82n, 1_461_600n)), 'operations')).toBe('instruction');
  });
});

describe('the mint of GOLD', () => {
  const mint = createNoopSigner(addressOf(70));
  const metadata = {
    name: 'Karat Gold',
    symbol: 'GOLD',
    uri: 'https://gold.example/gold.json',
    issuer: 'Karat',
  };
  const [treasury, admin] = [addressOf(71), addressOf(72)];
  const rent = BigInt(128 + goldMintBytesWith(metadata)) * 6_960n;
  const made = (lamports = rent) =>
    goldMintInstructions({ payer: service, mint, metadata, treasury, admin, lamports });

  test('the mint of GOLD is made by the admin alone, in one message', () => {
    expect(ruleOf(compile(made()), 'admin')).toBeUndefined();
    for (const role of ['operations', 'guardian', 'market'] as const)
      expect(ruleOf(compile(made()), role)).toBe('instruction');
    expect(ruleOf(compile(made(rent + 1n)), 'admin')).toBe('fee');
  });

  test.each(
    made()
      .slice(1)
      .map((instruction, index) => [index + 1, instruction] as const),
  )(
    'the mint of GOLD is not changed by instruction %i of a message that does not make it',
    (_, instruction) => {
      expect(ruleOf(compile([instruction]), 'admin')).toBe('instruction');
      const another = goldMintInstructions({
        ...{ payer: service, metadata, treasury, admin, lamports: rent },
        mint: createNoopSigner(addressOf(73)),
      });
      expect(ruleOf(compile([...another.slice(0, 1), instruction]), 'admin')).toBe('instruction');
    },
  );
});

describe('limits', () => {
  const message = () => compile(trade());

  let pause: Instruction;
  beforeAll(async () => {
    pause = await getPauseInstructionAsync({ authority: service, mask: 1 }, { programAddress });
  });
  const pausing = () => compile([pause]);

  test('limits: at most so many signatures a minute', () => {
    const policy = policyOf('guardian', { signaturesPerMinute: 3 });
    tick = 0;
    for (let count = 0; count < 3; count += 1) policy.admit(pausing());
    expect(() => policy.admit(pausing())).toThrow('The signing policy refuses this transaction (rate).');
    tick = 59_000;
    expect(() => policy.admit(pausing())).toThrow('(rate)');
    tick = 61_000;
    policy.admit(pausing());
  });

  test('limits: at most so much SOL an hour, if everything lands', async () => {
    tick = 0;
    // One signature, and no price for the 1,400,000 units of a transaction.
    const policy = policyOf('guardian', { lamportsPerHour: 2n * 5_000n });
    policy.admit(pausing());
    policy.admit(pausing());
    expect(() => policy.admit(pausing())).toThrow('(sol)');
    tick = 3_600_001 + 60_000;
    policy.admit(pausing());
    // A redemption pays rent, which the service's key loses with it.
    const paying = await redemption();
    // As most of them never land, each counts a hundredth of its rent and its fee.
    const small = policyOf('service', { lamportsPerHour: 20_000n });
    small.admit(paying);
    expect(() => small.admit(paying)).toThrow('(sol)');
  });

  test('limits: no limit for quotes of trades, of which a machine makes thousands a second', () => {
    const policy = policyOf('service', { signaturesPerMinute: 1, lamportsPerHour: 1n });
    for (let count = 0; count < 3; count += 1) policy.admit(message());
  });

  test('limits: nothing is signed while the file of the kill switch exists, and everything is reported', async () => {
    const killFile = join(folder, 'kill');
    const reported: unknown[] = [];
    const guarded = guard(key, 'service', policyOf('service', { killFile }), (refused) =>
      reported.push(refused),
    );
    tick = 10_000_000;
    expect(await guarded.sign(message())).toHaveLength(64);
    writeFileSync(killFile, '');
    await expect(guarded.sign(message())).rejects.toMatchObject({
      name: 'PolicyRefusal',
      message: 'The signing policy refuses this transaction (kill_switch).',
    });
    rmSync(killFile);
    expect(await guarded.sign(message())).toHaveLength(64);
    const refused = {
      role: 'service',
      key: key.address,
      rule: 'kill_switch',
      detail: `${killFile} exists`,
      messageHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    };
    expect(reported).toEqual([refused]);
  });
});

test('the addresses of the test are not those of real programs', () => {
  expect(programAddress).not.toBe(address('11111111111111111111111111111111'));
});
