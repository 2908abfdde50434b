import { memoProgram } from '@karat/signer';
import { readLegacyTransaction } from '@karat/wire';
import { type Address, getAddressDecoder, type Instruction } from '@solana/kit';
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getRequestHeapFrameInstruction,
} from '@solana-program/compute-budget';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  getApproveInstruction,
  getCloseAccountInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { newId } from '../../../src/domain/ids.js';
import { addressOf } from '../../chain/fixtures.js';
import { mutationsOf, textMutations, with64 } from '../../chain/mutations.js';
import { cosign, instructionsOf } from '../../chain/signed-trade.js';
import {
  type ApiResponse,
  expectStatus,
  type GivenPartner,
  kitSigner,
  newWallet,
  type Wallet,
} from '../../harness.js';
import { type GivenUser, type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';

const sides = ['buy', 'sell'] as const;
const flips = process.env.KARAT_THOROUGH ? 1_000 : 300;
type Side = (typeof sides)[number];

interface Quoted {
  tradeId: string;
  transaction: Uint8Array;
  signed: Uint8Array;
}

let t: Karat;
let globex: { partner: GivenPartner; integrator: Address; user: GivenUser };
const stranger = newWallet();
const quotes = {} as Record<Side, Quoted>;
/** The same for another trade of the same partner. */
const others = {} as Record<Side, Quoted>;
let quotedAtMs = Number.NEGATIVE_INFINITY;
/** Instructions that touch the user's tokens, with the user's own signer. */
let theft: Record<'transfer' | 'approve' | 'close' | 'sol', Instruction>;
/** Everything that everyone holds, from before the first submit. */
let before: unknown;

beforeAll(async () => {
  t = await startKarat();
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 50_000_000n);
  const partner = await t.service.givenPartner({ name: 'Globex' });
  const integrator = await t.chain.addPartner({
    partnerId: partner.partnerId,
    wallet: partner.wallet.address,
  });
  globex = { partner, integrator, user: await t.given.user(partner) };
  await t.chain.node.setTokenBalance(globex.user.wallet.address, t.chain.goldMint, 50_000_000n);
  t.chain.node.airdrop(stranger.address, 1_000_000_000n);
  await renew();
  theft = await thefts();
  before = await holdings();
});
beforeEach(renew);
afterAll(() => t.stop());

/** Quotes anew long before a quote can no longer land: a busy machine takes longer for this file than that. */
async function renew(): Promise<void> {
  if (performance.now() - quotedAtMs < 20_000) return;
  for (const side of sides) {
    quotes[side] = await eventually(() => signedQuote(side), 10_000);
    others[side] = await signedQuote(side);
  }
  quotedAtMs = performance.now();
}

async function signedQuote(side: Side): Promise<Quoted> {
  const { tradeId, transaction } = await t[side].quoted();
  return { tradeId, transaction, signed: t.signed(transaction) };
}

/** A quote of the other partner for its own user, signed by both. */
async function foreignQuote(side: Side): Promise<Quoted> {
  const amount = side === 'buy' ? { usdc_amount: 100 } : { gold_amount: 0.1 };
  const { body } = await eventually(async () => {
    const requested = { service_user_id: globex.user.id, ...amount };
    return expectStatus(await globex.partner.client.post(`/v1/${side}`, requested), 200);
  }, 10_000);
  const transaction = Buffer.from(body.partially_signed_transaction, 'base64');
  const wallets = [globex.partner.wallet, globex.user.wallet];
  return { tradeId: body.trade_id, transaction, signed: cosign(transaction, wallets) };
}

async function thefts() {
  const [user, strange] = await Promise.all([kitSigner(t.user.wallet), kitSigner(stranger)]);
  const list = instructionsOf(quotes.buy.transaction, (key) => getAddressDecoder().decode(key));
  const [usdc, gold] = (list[4]?.accounts ?? []).slice(5, 7).map(({ address }) => address);
  if (!usdc || !gold) throw new Error('the quote names no token accounts');
  return {
    transfer: getTransferCheckedInstruction({
      source: gold,
      mint: t.chain.goldMint,
      destination: t.chain.addresses.treasuryGold,
      authority: user,
      amount: 1n,
      decimals: 6,
    }),
    approve: getApproveInstruction({ source: usdc, delegate: strange.address, owner: user, amount: 1n }),
    close: getCloseAccountInstruction({ account: gold, destination: strange.address, owner: user }),
    sol: getTransferSolInstruction({
      source: { ...strange, address: t.chain.service.address } as typeof strange,
      destination: strange.address,
      amount: 1n,
    }),
  };
}

/** Base units and lamports of everyone whom a trade could touch. */
async function holdings() {
  const { usdcMint, goldMint, addresses, service, node } = t.chain;
  const owners: [string, Address][] = [
    ['user', t.user.wallet.address],
    ['partner', t.partner.wallet.address],
    ['foreign user', globex.user.wallet.address],
    ['foreign partner', globex.partner.wallet.address],
    ['stranger', stranger.address],
    ['treasury', addresses.treasuryAuthority],
    ['escrow', addresses.escrowAuthority],
    ['service', service.address],
  ];
  const held = await Promise.all(
    owners.map(async ([name, owner]) => [
      name,
      await t.chain.balance(owner, usdcMint),
      await t.chain.balance(owner, goldMint),
      node.getAccount(owner)?.lamports ?? 0n,
    ]),
  );
  const fees = Buffer.from(node.getAccount(addresses.feeUsdc)?.data ?? []).readBigUInt64LE(64);
  return [...held, ['fees', fees]];
}

const [limitAt, priceAt, memoAt, accountAt, tradeAt] = [0, 1, 2, 3, 4];
/** In the data of `buy` and `sell`: number, amount, floor, highest fee, end. */
const [amountAt, floorAt, feeAt, expiryAt] = [1, 9, 17, 19];
const accountNames = [
  'configuration',
  'integrator',
  'service signer',
  'partner wallet',
  'user',
  'USDC account',
  'GOLD account',
  'treasury authority',
  'treasury USDC',
  'treasury GOLD',
  'fee account',
  'USDC mint',
  'GOLD mint',
  'price account',
  'token program',
];

const service = 'The signature of the service';
const partnerWords = 'The signature of the partner wallet';
const userWords = 'The signature of the user wallet';
const wire = 'It is not a transaction of a quote';
const foreign: Instruction = { programAddress: addressOf(66), data: new Uint8Array([1]) };

type Mutation = [name: string, make: () => Uint8Array | Promise<Uint8Array>, words: string];

const changesOf = (side: Side) =>
  mutationsOf(() => ({
    ...quotes[side],
    feePayer: t.chain.service.address,
    wallets: [t.partner.wallet, t.user.wallet, stranger],
  }));

function tradeMutations(side: Side): Mutation[] {
  const { forged, withData } = changesOf(side);
  const trade = (edit: (data: Buffer) => Uint8Array) => withData(tradeAt, edit);
  const numbered = (number: number) =>
    trade((data) => {
      data[0] = number;
      return data;
    });
  const other = side === 'buy' ? 9 : 8;
  return [
    ['an amount of one', () => trade(with64(1n, amountAt)), 'The amount was changed'],
    ['an amount of nothing', () => trade(with64(0n, amountAt)), 'The amount was changed'],
    ['the largest amount', () => trade(with64(2n ** 64n - 1n, amountAt)), 'The amount was changed'],
    [
      'an amount lowered in trade and memo alike',
      () =>
        forged((all) =>
          all.map((each, at) => {
            const data = Buffer.from(each.data ?? []);
            if (at === memoAt) return { ...each, data: memoText(side, quotes[side].tradeId, 1n) };
            return at === tradeAt ? { ...each, data: with64(1n, amountAt)(data) } : each;
          }),
        ),
      service,
    ],
    ['no floor', () => trade(with64(0n, floorAt)), service],
    ['a higher floor', () => trade(with64(2n ** 40n, floorAt)), service],
    [
      'a higher fee',
      () =>
        trade((data) => {
          data.writeUInt16LE(10_000, feeAt);
          return data;
        }),
      service,
    ],
    [
      'a lower fee',
      () =>
        trade((data) => {
          data.writeUInt16LE(0, feeAt);
          return data;
        }),
      service,
    ],
    ['a later end', () => trade(with64(2n ** 62n, expiryAt)), service],
    ['an end in the past', () => trade(with64(0n, expiryAt)), service],
    ['the number of the other side', () => numbered(other), `The trade instruction is not a ${side}.`],
    ['the number of a withdrawal', () => numbered(12), `The trade instruction is not a ${side}.`],
    ['the number of a change of the configuration', () => numbered(1), 'The trade instruction is not'],
    ['a number that nobody knows', () => numbered(255), 'The trade instruction is not'],
    ['a trade without data', () => trade(() => Buffer.alloc(0)), 'The trade instruction is not'],
    ['a trade that is a byte too short', () => trade((data) => data.subarray(0, -1)), service],
    [
      'a trade that is a byte too long',
      () => trade((data) => Buffer.concat([data, Buffer.alloc(1)])),
      service,
    ],
    ['a trade of nothing but its number', () => trade((data) => data.subarray(0, 1)), 'is not a'],
    ['a dropped trade', () => forged((all) => all.slice(0, tradeAt)), `The ${side} instruction is missing.`],
    ['the trade twice', () => forged((all) => [...all, ...all.slice(tradeAt)]), 'Instruction 6 was added'],
  ];
}

function memoMutations(side: Side): Mutation[] {
  const { forged, replaced, withData, withAccount, withFurther } = changesOf(side);
  const memo = (text: string) => withData(memoAt, () => Buffer.from(text));
  const own = (amount: bigint) => memoText(side, quotes[side].tradeId, amount);
  const other = side === 'buy' ? 'sell' : 'buy';
  const none = 'Its memo is not one of the service';
  return [
    ['a memo of another amount', () => withData(memoAt, () => own(1n)), 'The amount was changed'],
    [
      'a memo of another trade',
      () => memo(`karat|1|${side}|${newId('trd')}|100000000`),
      'It belongs to trd_',
    ],
    [
      'a memo of the other side',
      () => withData(memoAt, () => memoText(other, quotes[side].tradeId, 1n)),
      `It is a ${other}, not a ${side}.`,
    ],
    ['a memo of a redemption', () => memo(`karat|1|redeem|${newId('red')}|100000`), 'It belongs to red_'],
    ['a memo of another version', () => memo(`karat|2|${side}|${newId('trd')}|1`), none],
    ['a memo with a blank', () => withData(memoAt, (data) => Buffer.concat([data, Buffer.from(' ')])), none],
    ['an empty memo', () => memo(''), none],
    ['a memo of something else', () => memo('hello'), none],
    ['a memo in capitals', () => withData(memoAt, (data) => Buffer.from(String(data).toUpperCase())), none],
    ['a memo that nobody signs', () => replaced(memoAt, (one) => ({ ...one, accounts: [] })), service],
    ['a memo that the user signs', () => withAccount(memoAt, 0, t.user.wallet.address), service],
    ['a memo that the user signs as well', () => withFurther(memoAt, t.user.wallet.address, 2), service],
    [
      'a memo of another program',
      () => replaced(memoAt, (one) => ({ ...one, programAddress: addressOf(66) })),
      'The memo of the service is missing',
    ],
    [
      'a dropped memo',
      () => forged((all) => all.filter((_, at) => at !== memoAt)),
      'The memo of the service is missing',
    ],
    [
      'the memo twice',
      () => forged((all) => [...all, ...all.slice(memoAt, memoAt + 1)]),
      'Instruction 6 was added',
    ],
    [
      'a memo of a stranger in front',
      () => forged((all) => [{ programAddress: memoProgram, data: Buffer.from('x') }, ...all]),
      'Instruction 1 was added',
    ],
  ];
}

function accountMutations(side: Side): Mutation[] {
  const { withAccount, withFurther, replaced, forged } = changesOf(side);
  const replacedAt: Mutation[] = accountNames.map((name, position) => [
    `another ${name}`,
    () => withAccount(tradeAt, position, addressOf(100 + position)),
    position === 1 ? 'It is a trade of another partner' : service,
  ]);
  return [
    ...replacedAt,
    [
      "the other partner's integrator",
      () => withAccount(tradeAt, 1, globex.integrator),
      'It is a trade of another partner',
    ],
    ['the service as the user', () => withAccount(tradeAt, 4, t.chain.service.address), service],
    ['the partner as the user', () => withAccount(tradeAt, 4, t.partner.wallet.address), service],
    ['the user as the partner', () => withAccount(tradeAt, 3, t.user.wallet.address), service],
    ['the treasury as receiver', () => withAccount(tradeAt, 6, t.chain.addresses.treasuryGold), service],
    ['the mints changed over', () => withAccount(tradeAt, 11, t.chain.goldMint), service],
    [
      "the user's accounts changed over",
      () =>
        replaced(tradeAt, (one) => {
          const accounts = [...(one.accounts ?? [])];
          const [usdc, gold] = accounts.splice(5, 2);
          if (usdc && gold) accounts.splice(5, 0, gold, usdc);
          return { ...one, accounts };
        }),
      service,
    ],
    [
      'an account less',
      () => replaced(tradeAt, (one) => ({ ...one, accounts: (one.accounts ?? []).slice(0, -1) })),
      service,
    ],
    ['an account more', () => withFurther(tradeAt, addressOf(60), 0), service],
    ['a further signer', () => withFurther(tradeAt, stranger.address, 2), service],
    ['a writable configuration', () => withFurther(tradeAt, t.chain.addresses.config, 1), service],
    ['a writable price account', () => withFurther(tradeAt, t.chain.settings.priceAccount, 1), service],
    ['the user as a writable signer', () => withFurther(tradeAt, t.user.wallet.address, 3), service],
    [
      'the service as the payer of the token account',
      () => withAccount(accountAt, 0, t.chain.service.address),
      service,
    ],
    [
      'the user as the payer of the token account',
      () => withAccount(accountAt, 0, t.user.wallet.address),
      service,
    ],
    ['the token account of another owner', () => withAccount(accountAt, 2, stranger.address), service],
    ['the token account of another mint', () => withAccount(accountAt, 3, addressOf(61)), service],
    ['another token account', () => withAccount(accountAt, 1, addressOf(62)), service],
    [
      'a token account that must not be there yet',
      () => replaced(accountAt, (one) => ({ ...one, data: Uint8Array.of(0) })),
      service,
    ],
    [
      'a dropped token account',
      () => forged((all) => all.filter((_, at) => at !== accountAt)),
      'Instruction 4 was removed: the token account',
    ],
    [
      'a transfer in its place',
      () => replaced(accountAt, () => theft.transfer),
      'Instruction 4 was replaced',
    ],
  ];
}

function shapeMutations(side: Side): Mutation[] {
  const { forged, withData } = changesOf(side);
  const behind = (instruction: () => Instruction) => forged((all) => [...all, instruction()]);
  return [
    [
      'an instruction at the end',
      () => behind(() => foreign),
      `Instruction 6 was added: it calls ${addressOf(66)}`,
    ],
    ['an instruction in front', () => forged((all) => [foreign, ...all]), 'Instruction 1 was added'],
    [
      'an instruction in the middle',
      () => forged((all) => [...all.slice(0, 3), foreign, ...all.slice(3)]),
      'Instruction 4 was added',
    ],
    [
      'five more instructions',
      () => forged((all) => [...all, ...Array.from({ length: 5 }, () => foreign)]),
      'Instruction 6 was added',
    ],
    ["a transfer of the user's gold", () => behind(() => theft.transfer), 'Instruction 6 was added'],
    ["an approval of the user's dollars", () => behind(() => theft.approve), 'Instruction 6 was added'],
    ["the user's account closed", () => behind(() => theft.close), 'Instruction 6 was added'],
    [
      "a transfer of the service's lamports",
      () => behind(() => theft.sol),
      `Instruction 6 was added: it calls ${SYSTEM_PROGRAM_ADDRESS}`,
    ],
    [
      'trade and token account changed over',
      () => forged(([a, b, c, d, e]) => present(a, b, c, e, d)),
      'Instruction 4 was replaced',
    ],
    [
      'memo and trade changed over',
      () => forged(([a, b, c, d, e]) => present(a, b, e, d, c)),
      'Instruction 3 was replaced',
    ],
    ['the compute budget changed over', () => forged(([a, b, ...rest]) => present(b, a, ...rest)), service],
    [
      'no compute limit',
      () => forged((all) => all.slice(1)),
      'Instruction 2 was removed: the compute unit price',
    ],
    ['no compute budget at all', () => forged((all) => all.slice(2)), 'Instruction 1 was removed'],
    [
      'a higher compute limit',
      () =>
        withData(limitAt, (data) => {
          data.writeUInt32LE(1_400_000, 1);
          return data;
        }),
      service,
    ],
    ['a higher compute price', () => withData(priceAt, with64(10n ** 12n, 1)), service],
    [
      'a third compute instruction',
      () => forged((all) => [getRequestHeapFrameInstruction({ bytes: 65_536 }), ...all]),
      `Instruction 3 was added: it calls ${COMPUTE_BUDGET_PROGRAM_ADDRESS}`,
    ],
    ['nothing but the memo', () => forged((all) => all.slice(memoAt, memoAt + 1)), 'instruction is missing'],
    ['no instruction', () => forged(() => []), 'The memo of the service is missing'],
    ['another blockhash', () => forged((all) => all, { blockhash: addressOf(98) }), service],
    ['no blockhash', () => forged((all) => all, { blockhash: addressOf(0) }), service],
    [
      'the blockhash of another quote',
      () => {
        const { blockhash } = readLegacyTransaction(others[side].transaction);
        return forged((all) => all, { blockhash: getAddressDecoder().decode(flip(blockhash)) });
      },
      service,
    ],
    [
      'the partner as fee payer',
      () => forged((all) => all, { feePayer: t.partner.wallet.address }),
      'Its fee payer is',
    ],
    [
      'the user as fee payer',
      () => forged((all) => all, { feePayer: t.user.wallet.address }),
      'Its fee payer is',
    ],
    [
      'a stranger as fee payer',
      () => forged((all) => all, { feePayer: stranger.address }),
      `Its fee payer is ${stranger.address}`,
    ],
    ['a version 0 message', () => forged((all) => all, { version: 0 }), 'a version 0 transaction'],
  ];
}

function signatureMutations(side: Side): Mutation[] {
  const { bytes } = changesOf(side);
  const only = (...wallets: Wallet[]) => cosign(quotes[side].transaction, wallets);
  /** Puts a signature where that of a key is. */
  const inPlaceOf = (key: () => Address, signature: (message: Uint8Array) => Uint8Array) =>
    bytes((copy) => {
      const { accounts, message } = readLegacyTransaction(copy);
      const at = accounts.findIndex((account) => getAddressDecoder().decode(account) === key());
      copy.set(signature(message), 1 + 64 * at);
      return undefined;
    });
  const partner = () => t.partner.wallet.address;
  const user = () => t.user.wallet.address;
  const own = () => t.chain.service.address;
  const zeros = () => new Uint8Array(64);
  const ofOther = (place: number) => others[side].signed.slice(1 + 64 * place, 65 + 64 * place);
  return [
    ['no signature of the partner', () => only(t.user.wallet), `${partnerWords} (`],
    ['no signature of the user', () => only(t.partner.wallet), `${userWords} (`],
    ['no signatures but that of the service', () => quotes[side].transaction, 'is missing'],
    ['no signature of the service', () => inPlaceOf(own, zeros), `${service} is missing`],
    ['no signature at all', () => bytes((copy) => copy.fill(0, 1, 193)), `${service} is missing`],
    [
      "a stranger's signature for the partner",
      () => inPlaceOf(partner, (m) => stranger.signBytes(m)),
      partnerWords,
    ],
    ["a stranger's signature for the user", () => inPlaceOf(user, (m) => stranger.signBytes(m)), userWords],
    [
      "a stranger's signature for the service",
      () => inPlaceOf(own, (m) => stranger.signBytes(m)),
      `${service} does not match`,
    ],
    [
      "the user's signature for the partner",
      () => inPlaceOf(partner, (m) => t.user.wallet.signBytes(m)),
      partnerWords,
    ],
    [
      "the user's signature for the service",
      () => inPlaceOf(own, (m) => t.user.wallet.signBytes(m)),
      service,
    ],
    [
      "the user's signature of something else",
      () => inPlaceOf(user, () => t.user.wallet.signBytes(Buffer.from('hello'))),
      userWords,
    ],
    [
      "the partner's signature of something else",
      () => inPlaceOf(partner, () => t.partner.wallet.signBytes(Buffer.from('x'))),
      partnerWords,
    ],
    [
      "the service's signature of another trade",
      () => inPlaceOf(own, () => ofOther(0)),
      `${service} does not match`,
    ],
    [
      'the signatures of another trade',
      () => bytes((copy) => Buffer.concat([others[side].signed.subarray(0, 193), copy.subarray(193)])),
      service,
    ],
    [
      'the signatures changed over',
      () =>
        bytes((copy) =>
          Buffer.concat([
            copy.subarray(0, 1),
            copy.subarray(129, 193),
            copy.subarray(65, 129),
            copy.subarray(1, 65),
            copy.subarray(193),
          ]),
        ),
      service,
    ],
    [
      'a signature too many',
      () =>
        bytes((copy) =>
          Buffer.concat([Uint8Array.of(4), copy.subarray(1, 193), Buffer.alloc(64), copy.subarray(193)]),
        ),
      wire,
    ],
    [
      'a signature too few',
      () => bytes((copy) => Buffer.concat([Uint8Array.of(2), copy.subarray(1, 129), copy.subarray(193)])),
      wire,
    ],
    [
      'a count of no signatures',
      () => bytes((copy) => Buffer.concat([Uint8Array.of(0), copy.subarray(193)])),
      wire,
    ],
    ['a message that needs fewer signatures', () => bytes((copy) => copy.fill(2, 193, 194)), wire],
    ['a message that needs none', () => bytes((copy) => copy.fill(0, 193, 194)), wire],
  ];
}

function wireMutations(side: Side): Mutation[] {
  const { bytes } = changesOf(side);
  const other = side === 'buy' ? 'sell' : 'buy';
  return [
    [
      'a byte at the end',
      () => bytes((copy) => Buffer.concat([copy, Buffer.alloc(1)])),
      '1 bytes follow its end',
    ],
    ['a byte in front', () => bytes((copy) => Buffer.concat([Buffer.alloc(1), copy])), wire],
    ['a byte less', () => bytes((copy) => copy.subarray(0, -1)), 'it ends too early'],
    [
      '1,233 bytes',
      () => bytes((copy) => Buffer.concat([copy, Buffer.alloc(1_233 - copy.length)])),
      'it has 1233 bytes, at most 1232',
    ],
    ['40,000 bytes', () => bytes((copy) => Buffer.concat([copy, Buffer.alloc(40_000)])), 'at most 1232'],
    ['itself twice', () => bytes((copy) => Buffer.concat([copy, copy])), wire],
    ['nothing but signatures', () => bytes((copy) => copy.subarray(0, 193)), wire],
    ['the message alone', () => bytes((copy) => copy.subarray(193)), wire],
    [
      'a count that is not in its shortest form',
      () => bytes((copy) => Buffer.concat([Uint8Array.of(0x83, 0), copy.subarray(1)])),
      wire,
    ],
    ['one byte', () => Uint8Array.of(0), wire],
    ['something else', () => Buffer.from('{"not":"a transaction"}'), wire],
    ['another trade of the same side', () => others[side].signed, 'It belongs to trd_'],
    ['a trade of the other side', () => quotes[other].signed, 'It belongs to trd_'],
    ['a trade of another partner', async () => (await foreignQuote(side)).signed, 'It belongs to trd_'],
  ];
}

function memoText(side: string, tradeId: string, amount: bigint): Buffer {
  return Buffer.from(`karat|1|${side}|${tradeId}|${amount}`);
}

function present(...list: (Instruction | undefined)[]): Instruction[] {
  return list.flatMap((one) => one ?? []);
}

function flip(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, index) => (index === 0 ? byte ^ 1 : byte));
}

/** Expects that a transaction was not sent; one of another trade leaves the trade in the path unknown. */
function expectRefusal({ status, body }: ApiResponse, words = ''): void {
  expect(body.message).toContain(words);
  const refused = body.reason === 'other_quote' ? [404, 'trade_not_found'] : [400, 'broadcast_failed'];
  expect([status, body.error]).toEqual(refused);
}

describe.each(sides)('submit refuses a %s with', (side) => {
  const mutations = [
    ...tradeMutations(side),
    ...memoMutations(side),
    ...accountMutations(side),
    ...shapeMutations(side),
    ...signatureMutations(side),
    ...wireMutations(side),
  ];

  test('at least 60 named changes', () => {
    expect(new Set(mutations.map(([name]) => name)).size).toBe(mutations.length);
    expect(mutations.length).toBeGreaterThanOrEqual(60);
  });

  test.each(mutations)('%s', async (_, make, words) => {
    expectRefusal(await t[side].submit(quotes[side].tradeId, await make()), words);
  });

  test.each(textMutations)('%s', async (_, textOf) => {
    const { tradeId, signed } = quotes[side];
    const path = `/v1/${side}/${tradeId}/submit`;
    const response = await t.partner.client.post(path, { signed_tx: textOf(signed) });
    expect(response.status).toBe(400);
    expect(response.body.error).toMatch(/^(invalid_request|broadcast_failed)$/);
  });

  test('the key of another partner, and the path of the other side', async () => {
    const { tradeId, signed } = quotes[side];
    const other = side === 'buy' ? 'sell' : 'buy';
    expect(await t[side].submit(tradeId, signed, globex.partner.client)).toMatchObject({
      status: 403,
      body: { error: 'partner_mismatch', message: 'This trade belongs to another partner.' },
    });
    expectRefusal(await t[other].submit(tradeId, signed), `It is a ${side}, not a ${other}.`);
  });

  test(`a byte flipped at random, ${flips} times`, async () => {
    const { flipped } = changesOf(side);
    const submitFlipped = async () => {
      const { copy } = flipped();
      expectRefusal(await t[side].submit(quotes[side].tradeId, copy));
    };
    for (let round = 0; round < flips / 50; round += 1) {
      await renew();
      await Promise.all(Array.from({ length: 50 }, submitFlipped));
    }
  }, 60_000);

  test('a trade changed in any way moved nothing of any account, and the untouched one is accepted all the same', async () => {
    expect(await holdings()).toEqual(before);
    const { tradeId, signed } = quotes[side];
    const { body } = expectStatus(await t[side].submit(tradeId, signed), 200);
    expect((await t.chain.landed(body.tx_hash)).meta.err).toBeNull();
    before = await holdings();
  });
});

// Last, because every quote expires with these.
test.each(sides)('submit refuses a %s with an expired blockhash', async (side) => {
  const { tradeId, signed } = await eventually(() => signedQuote(side), 10_000);
  t.chain.node.warp({ seconds: 61 });
  expectRefusal(await t[side].submit(tradeId, signed), 'Blockhash not found');
  expect(await holdings()).toEqual(before);
});
