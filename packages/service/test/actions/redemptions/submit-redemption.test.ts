import { memoProgram } from '@karat/signer';
import { readLegacyTransaction } from '@karat/wire';
import { type Address, getBase58Decoder, type Instruction } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { newId } from '../../../src/domain/ids.js';
import { addressOf } from '../../chain/fixtures.js';
import { mutationsOf, textMutations, with64 } from '../../chain/mutations.js';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';

let r: Karat;
let quoted: Awaited<ReturnType<Karat['redemptions']['quoted']>>;
let signed: Uint8Array;
let quotedAtMs = Number.NEGATIVE_INFINITY;
/** GOLD of everyone whom a redemption could touch, from before the first submit. */
let before: Awaited<ReturnType<Karat['redemptions']['gold']>>;
const stranger = newWallet();

beforeAll(async () => {
  r = await startKarat({ redeems: true, indexes: true });
  await renew();
  before = await r.redemptions.gold();
});
beforeEach(renew);
afterAll(() => r.stop());

/** Quotes anew long before a quote can no longer land: a busy machine takes longer for this file than that. */
async function renew(): Promise<void> {
  if (performance.now() - quotedAtMs < 20_000) return;
  quoted = await r.redemptions.quoted();
  signed = r.signed(quoted.transaction);
  quotedAtMs = performance.now();
}

const refusal = (message: string) => ({
  status: 400,
  body: { error: 'broadcast_failed', message: expect.stringContaining(message) },
});

const change = mutationsOf(() => ({
  transaction: quoted.transaction,
  signed,
  feePayer: r.chain.service.address,
  wallets: [r.user.wallet, stranger],
}));
const { forged, replaced, withData, withFurther, bytes, one } = change;

const [limitAt, priceAt, memoAt, redeemAt] = [0, 1, 2, 3];
/** Accounts of `redeem`. */
const [payerAt, configAt, serviceAt, userAt, userGoldAt, escrowAt, mintAt, redemptionAt] = [
  0, 1, 2, 3, 4, 5, 6, 7,
];
/** Arguments of `redeem`, by where they begin. */
const [idAt, partnerAt, amountAt] = [1, 17, 33];

const withAccount = (at: number, position: number, address: () => Address) =>
  change.withAccount(at, position, address());
const withMemo = (text: string) => withData(memoAt, () => Buffer.from(text));
const amount = (value: bigint) => withData(redeemAt, with64(value, amountAt));
const flipped = (at: number) =>
  withData(redeemAt, (data) => {
    data[at] = (data[at] ?? 0) ^ 1;
    return data;
  });
const foreign: Instruction = { programAddress: addressOf(66), data: new Uint8Array([1]) };

const service = 'The signature of the service';
const user = 'The signature of the user wallet';
const wire = 'It is not a transaction of a quote';

const mutations: [string, () => Uint8Array, string][] = [
  [
    'an amount that is less',
    () => amount(1n),
    'The amount was changed: the redemption has 1 base units, the quote 380625.',
  ],
  ['an amount that is more', () => amount(380_626n), 'The amount was changed'],
  ['an amount of nothing', () => amount(0n), 'The amount was changed'],
  [
    'an amount lowered in redemption and memo alike',
    () =>
      forged((all) => {
        const data = Buffer.from(one(redeemAt).data ?? []);
        data.writeBigUInt64LE(1n, amountAt);
        return all.map((each, at) =>
          at === memoAt
            ? { ...each, data: Buffer.from(`karat|1|redeem|${quoted.id}|1`) }
            : at === redeemAt
              ? { ...each, data }
              : each,
        );
      }),
    'The amount was changed',
  ],
  ['a memo of another amount', () => withMemo(`karat|1|redeem|${quoted.id}|1`), service],
  [
    'a memo of another redemption',
    () => withMemo(`karat|1|redeem|${newId('red')}|380625`),
    'It belongs to red_',
  ],
  ['a memo of a buy', () => withMemo(`karat|1|buy|${newId('trd')}|380625`), 'It belongs to trd_'],
  [
    'a memo of another version',
    () => withMemo(`karat|2|redeem|${quoted.id}|380625`),
    'Its memo is not one of the service',
  ],
  [
    'a memo with a blank',
    () => withMemo(`karat|1|redeem|${quoted.id}|380625 `),
    'Its memo is not one of the service',
  ],
  ['an empty memo', () => withMemo(''), 'Its memo is not one of the service'],
  ['a memo of something else', () => withMemo('hello'), 'Its memo is not one of the service'],
  [
    'a memo in capitals',
    () => withMemo(`KARAT|1|redeem|${quoted.id}|380625`),
    'Its memo is not one of the service',
  ],
  [
    'a memo that the service does not sign',
    () => replaced(memoAt, (memo) => ({ ...memo, accounts: [] })),
    service,
  ],
  ['a memo that the user signs', () => withAccount(memoAt, 0, () => r.user.wallet.address), service],
  [
    'a memo of another program',
    () => replaced(memoAt, (memo) => ({ ...memo, programAddress: addressOf(66) })),
    'The memo of the service is missing',
  ],
  [
    'a dropped memo',
    () => forged((all) => all.filter((_, at) => at !== memoAt)),
    'The memo of the service is missing',
  ],
  ['a second memo', () => forged((all) => [...all, one(memoAt)]), 'Instruction 5 was added'],
  [
    'a memo of a stranger put in front',
    () => forged((all) => [{ programAddress: memoProgram, data: Buffer.from('x') }, ...all]),
    'Instruction 1 was added',
  ],
  [
    'another receiver',
    () => withAccount(redeemAt, escrowAt, () => addressOf(41)),
    `The destination was changed: it is ${addressOf(41)}`,
  ],
  [
    'the payer’s own account as receiver',
    () =>
      withAccount(redeemAt, escrowAt, () => one(redeemAt).accounts?.[userGoldAt]?.address ?? addressOf(1)),
    'The destination was changed',
  ],
  ['another source', () => withAccount(redeemAt, userGoldAt, () => addressOf(42)), service],
  [
    'the escrow as source',
    () => withAccount(redeemAt, userGoldAt, () => r.chain.addresses.escrowGold),
    service,
  ],
  ['another mint', () => withAccount(redeemAt, mintAt, () => addressOf(43)), service],
  ['USDC as the mint', () => withAccount(redeemAt, mintAt, () => r.chain.usdcMint), service],
  ['another config', () => withAccount(redeemAt, configAt, () => addressOf(45)), service],
  [
    'another account of the redemption',
    () => withAccount(redeemAt, redemptionAt, () => addressOf(46)),
    service,
  ],
  ['another payer', () => withAccount(redeemAt, userAt, () => stranger.address), 'The payer was changed'],
  [
    'the service as payer',
    () => withAccount(redeemAt, userAt, () => r.chain.service.address),
    'The payer was changed',
  ],
  [
    'the user as payer of the rent',
    () => withAccount(redeemAt, payerAt, () => r.user.wallet.address),
    service,
  ],
  [
    'the user as service signer',
    () => withAccount(redeemAt, serviceAt, () => r.user.wallet.address),
    service,
  ],
  ['another redemption', () => flipped(idAt), 'The redemption was changed: it is red_'],
  ['another partner', () => flipped(partnerAt), service],
  [
    'another instruction of the program',
    () =>
      withData(redeemAt, (data) => {
        data[0] = 9;
        return data;
      }),
    'is not a redemption',
  ],
  [
    'a redemption that is too short',
    () => withData(redeemAt, (data) => data.subarray(0, 40)),
    'is not a redemption',
  ],
  [
    'a redemption that is too long',
    () => withData(redeemAt, (data) => Buffer.concat([data, Buffer.alloc(1)])),
    'is not a redemption',
  ],
  ['a redemption without data', () => withData(redeemAt, () => Buffer.alloc(0)), 'is not a redemption'],
  [
    'a redemption of another program',
    () => replaced(redeemAt, (redeem) => ({ ...redeem, programAddress: addressOf(44) })),
    'Instruction 4 was replaced',
  ],
  [
    'a dropped redemption',
    () => forged((all) => all.slice(0, redeemAt)),
    'Instruction 4 was removed: the redemption',
  ],
  ['a second redemption', () => forged((all) => [...all, one(redeemAt)]), 'Instruction 5 was added'],
  [
    'an instruction at the end',
    () => forged((all) => [...all, foreign]),
    `Instruction 5 was added: it calls ${addressOf(66)}`,
  ],
  ['an instruction in front', () => forged((all) => [foreign, ...all]), 'Instruction 1 was added'],
  [
    'an instruction in the middle',
    () => forged((all) => [...all.slice(0, 2), foreign, ...all.slice(2)]),
    'Instruction 3 was added',
  ],
  [
    'a further token instruction',
    () => forged((all) => [...all, { programAddress: TOKEN_PROGRAM_ADDRESS, data: Uint8Array.of(9) }]),
    'Instruction 5 was added',
  ],
  [
    'five more instructions',
    () => forged((all) => [...all, ...Array.from({ length: 5 }, () => foreign)]),
    'Instruction 5 was added',
  ],
  [
    'redemption and memo changed over',
    () => forged((all) => [...all.slice(0, 2), ...all.slice(2).reverse()]),
    'Instruction 3 was replaced',
  ],
  [
    'a dropped compute limit',
    () => forged((all) => all.slice(1)),
    'Instruction 2 was removed: the compute unit price',
  ],
  [
    'no compute budget at all',
    () => forged((all) => all.slice(2)),
    'Instruction 1 was removed: the compute unit limit',
  ],
  [
    'a higher compute limit',
    () =>
      withData(limitAt, (data) => {
        data.writeUInt32LE(1_400_000, 1);
        return data;
      }),
    service,
  ],
  [
    'a higher compute price',
    () =>
      withData(priceAt, (data) => {
        data.writeBigUInt64LE(10n ** 9n, 1);
        return data;
      }),
    service,
  ],
  [
    'a third compute instruction',
    () =>
      forged((all) => [
        { programAddress: COMPUTE_BUDGET_PROGRAM_ADDRESS, data: Uint8Array.of(1, 0, 0, 4, 0) },
        ...all,
      ]),
    'Instruction 3 was added',
  ],
  ['another blockhash', () => forged((all) => all, { blockhash: addressOf(98) }), service],
  [
    'the user as fee payer',
    () => forged((all) => all, { feePayer: r.user.wallet.address }),
    `Its fee payer is `,
  ],
  [
    'a stranger as fee payer',
    () => forged((all) => all, { feePayer: stranger.address }),
    `Its fee payer is ${stranger.address}`,
  ],
  ['a further signer', () => withFurther(memoAt, stranger.address, 2), service],
  ['the user twice among the accounts', () => withFurther(redeemAt, r.user.wallet.address, 2), service],
  ['a version 0 transaction', () => forged((all) => all, { version: 0 }), 'a version 0 transaction'],
  ['no signature of the user', () => quoted.transaction, `${user} (`],
  [
    'a signature of the user over something else',
    () =>
      bytes((copy) => {
        copy.set(r.user.wallet.signBytes(Buffer.from('hello')), 65);
        return undefined;
      }),
    user,
  ],
  [
    'a signature of a stranger in the user’s place',
    () =>
      bytes((copy) => {
        copy.set(stranger.signBytes(readLegacyTransaction(copy).message), 65);
        return undefined;
      }),
    user,
  ],
  [
    'no signature of the service',
    () => bytes((copy) => copy.fill(0, 1, 65)),
    'The signature of the service is missing',
  ],
  [
    'a signature of the user in the service’s place',
    () =>
      bytes((copy) => {
        copy.set(copy.subarray(65, 129), 1);
        return undefined;
      }),
    `${service} does not match`,
  ],
  [
    'the signatures changed over',
    () =>
      bytes((copy) =>
        Buffer.concat([
          copy.subarray(0, 1),
          copy.subarray(65, 129),
          copy.subarray(1, 65),
          copy.subarray(129),
        ]),
      ),
    `${service} does not match`,
  ],
  [
    'a signature too many',
    () =>
      bytes((copy) =>
        Buffer.concat([Uint8Array.of(3), copy.subarray(1, 129), Buffer.alloc(64), copy.subarray(129)]),
      ),
    wire,
  ],
  [
    'a signature too few',
    () => bytes((copy) => Buffer.concat([Uint8Array.of(1), copy.subarray(1, 65), copy.subarray(129)])),
    wire,
  ],
  [
    'a byte at the end',
    () => bytes((copy) => Buffer.concat([copy, Buffer.alloc(1)])),
    '1 bytes follow its end',
  ],
  ['a byte less', () => bytes((copy) => copy.subarray(0, -1)), 'it ends too early'],
  [
    '1,233 bytes',
    () => bytes((copy) => Buffer.concat([copy, Buffer.alloc(1_233 - copy.length)])),
    'it has 1233 bytes, at most 1232',
  ],
  ['nothing but signatures', () => bytes((copy) => copy.subarray(0, 129)), wire],
  ['the message alone', () => bytes((copy) => copy.subarray(129)), wire],
  [
    'a count that is not in its shortest form',
    () => bytes((copy) => Buffer.concat([Uint8Array.of(0x82, 0), copy.subarray(1)])),
    wire,
  ],
  ['its base58', () => Buffer.from(getBase58Decoder().decode(signed)), wire],
  ['something else', () => Buffer.from('{"not":"a transaction"}'), wire],
];

describe('submit refuses a redemption with', () => {
  test('at least 60 named changes', () => {
    expect(new Set(mutations.map(([name]) => name)).size).toBeGreaterThanOrEqual(60);
  });

  test.each(mutations)('%s', async (_, make, message) => {
    expect(await r.redemptions.submit(quoted.id, make())).toMatchObject(refusal(message));
  });

  test.each(textMutations)('%s', async (_, textOf) => {
    const path = `/v1/redemptions/${quoted.id}/submit`;
    const response = await r.partner.client.post(path, { signed_tx: textOf(signed) });
    expect(response.status).toBe(400);
    expect(response.body.error).toMatch(/^(invalid_request|broadcast_failed)$/);
  });

  test('a byte flipped at random, 1,000 times', async () => {
    const submitFlipped = async () => {
      const { copy, at } = change.flipped();
      expect(await r.redemptions.submit(quoted.id, copy), `byte ${at} as ${copy[at]}`).toMatchObject(
        refusal(''),
      );
    };
    for (let round = 0; round < 20; round += 1) {
      await renew();
      await Promise.all(Array.from({ length: 50 }, submitFlipped));
    }
  }, 60_000);

  test('a redemption changed in any way moved no gold, and the untouched one is accepted all the same', async () => {
    expect(await r.redemptions.gold()).toEqual(before);
    const { body } = expectStatus(await r.redemptions.submit(quoted.id, signed), 200);
    expect(body.tx_hash).toBe((await r.redemptions.row(quoted.id)).quoteTxSignature);
    expect(await r.redemptions.visible(quoted.id)).toMatchObject({ status: 'submitted' });
    const after = await r.redemptions.gold();
    expect(after).toEqual({ user: before.user - 380_625n, escrow: before.escrow + 380_625n });
  });
});

test('submit: 20 concurrent submits of one redemption get the same response, and it is paid once', async () => {
  const start = await r.redemptions.gold();
  const { id, transaction } = await r.redemptions.quoted();
  const all = await Promise.all(
    Array.from({ length: 20 }, () => r.redemptions.submit(id, r.signed(transaction))),
  );
  for (const response of all) expect(response).toMatchObject({ status: 200, body: all[0]?.body });
  await r.redemptions.visible(id);
  expect((await r.redemptions.gold()).escrow - start.escrow).toBe(380_625n);
});
