import { findRedemptionPda, getRedeemInstruction } from '@karat/program-client';
import type { Instruction, KeyPairSigner, Signature, TransactionSigner } from '@solana/kit';
import { getTransferCheckedInstruction, getTransferInstruction } from '@solana-program/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepExpired } from '../../src/actions/sweep-expired.js';
import { sendInstructions } from '../../src/chain/admin/seed.js';
import { readOpenRedemption } from '../../src/chain/program/open-redemption.js';
import { goldOf, tokenAccountOf } from '../../src/chain/program/token-accounts.js';
import {
  findRedemption,
  insertRedemption,
  type RedemptionQuote,
} from '../../src/db/redemptions/redemptions.js';
import { deadLetters } from '../../src/db/schema.js';
import { newId, type RedemptionId, redemptionBytes, type Uuid, uuidBytes } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import { goldUnits } from '../../src/domain/money.js';
import { momentOf } from '../../src/domain/timestamp.js';
import { Deposits } from '../../src/indexer/deposits.js';
import { kitSigner, newWallet } from '../harness.js';
import { type Karat, startKarat } from '../karat.js';
import { anyAge, eventually, finalize } from '../karat-chain.js';
import { addressNamed, signatureNamed } from '../named-keys.js';
import { closeByDecree } from '../opened-redemptions.js';
import { signatureOf } from '../ordering.js';
import { tola } from '../redeeming.js';
import { never } from './following.js';
import { type Lie, type LyingNode, startLyingNode } from './lying-node.js';
import { memoInstruction } from './world.js';

let r: Karat;

let node: LyingNode;
let serviceSigner: KeyPairSigner;

beforeAll(async () => {
  r = await startKarat({
    ...{ redeems: true, indexes: true },
    reroute: async ({ rpcUrl, wsUrl }) => {
      node = await startLyingNode(rpcUrl);
      return { rpcUrl: node.url, wsUrl };
    },
  });
  serviceSigner = await kitSigner(r.chain.service);
});
afterAll(async () => {
  await r.stop();
  await node.close();
});

/** Sends instructions with the signers that they carry. */
const send = (instructions: Instruction[], payer: TransactionSigner = serviceSigner): Promise<string> =>
  sendInstructions({ rpc: r.service.ctx.chain.rpc, payer, commitment: 'confirmed' }, instructions);

/** A wallet with SOL and 10 GOLD that is no user. */
async function stranger() {
  const wallet = newWallet();
  r.chain.node.airdrop(wallet.address, 1_000_000_000n);
  await r.chain.node.setTokenBalance(wallet.address, r.chain.goldMint, 10_000_000n);
  const goldAccount = tokenAccountOf(wallet.address, goldOf(r.chain));
  return { signer: await kitSigner(wallet), goldAccount };
}

const deadLettersOf = async (signature: string) =>
  (await r.service.ctx.db.select().from(deadLetters)).filter((row) => row.signature === signature);

/** The dead letter of a transaction for a reason, as soon as there is one. */
const deadLetter = (reason: string, signature: string) =>
  eventually(async () => {
    const found = (await deadLettersOf(signature)).find((row) => row.reason === reason);
    if (!found) throw new Error(`no dead letter ${reason} of ${signature}`);
    return found;
  }, 10_000);

/** A quote written past the service, so that anything may be sent for it. */
async function givenQuote(changes: Partial<RedemptionQuote> = {}): Promise<RedemptionId> {
  const id = newId('red');
  const quote: RedemptionQuote = {
    id,
    partnerId: r.partner.partnerId,
    userId: r.user.id,
    denominationId: tola.id,
    denomination: tola.label,
    weightG: tola.weightG,
    city: tola.city,
    spotPriceUsd: '4100.12',
    tokensRequired: goldUnits(1_000n),
    goldValueUsd: 1n,
    feeUsd: 0n,
    totalUsd: 1n,
    userWallet: r.user.wallet.address,
    escrowAccount: r.chain.addresses.escrowGold,
    quoteTxSignature: signatureNamed(`quote of ${id}`),
    lastValidBlockHeight: 2n ** 60n,
    ...changes,
  };
  const move = { at: new Date(r.chain.clock.now()), actor: 'indexer', note: null } as const;
  await r.service.ctx.db.transaction((tx) => insertRedemption(tx, quote, move));
  return id;
}

/** What a payment of the user calls, signed by the service as it never would sign it. */
async function payment(
  id: RedemptionId,
  amount: bigint,
  changes: { partnerId?: Uuid; service?: TransactionSigner } = {},
) {
  const { partnerId = r.partner.partnerId, service = serviceSigner } = changes;
  const { chain } = r;
  const user = await kitSigner(r.user.wallet);
  const { config, escrowGold } = chain.addresses;
  const programAddress = chain.config.programId;
  const bytes = redemptionBytes(id);
  const [redemption] = await findRedemptionPda({ id: bytes }, { programAddress });
  return getRedeemInstruction(
    {
      ...{ payer: serviceSigner, config, serviceSigner: service, user, escrowGold, redemption, amount },
      userGold: tokenAccountOf(user.address, goldOf(chain)),
      goldMint: chain.goldMint,
      id: bytes,
      partnerId: uuidBytes(partnerId),
    },
    { programAddress },
  );
}

/** Records what reached escrow past the program, as reconciliation does. */
const findDeposits = () =>
  new Deposits(r.service.ctx).record([{ account: r.chain.addresses.escrowGold, agreedSlot: 0n }], never);

describe('redemption: gold that comes into escrow', () => {
  test('redemption: a payment exactly as quoted makes it submitted', async () => {
    const id = await givenQuote();
    const signature = await send([await payment(id, 1_000n)]);
    expect(await r.redemptions.visible(id)).toMatchObject({
      status: 'submitted',
      submitted_tx_hash: signature,
    });
    expect(await deadLettersOf(signature)).toEqual([]);
    // From when its user can take the tokens back, as the program has it.
    const { ctx } = r.service;
    await finalize(r.chain, ctx);
    const open = await readOpenRedemption(ctx.chain, id, never);
    expect((await findRedemption(ctx.db, id))?.reclaimableAt).toEqual(
      momentOf(open?.data.reclaimableAt ?? 0n),
    );
  });

  test.each([
    ['less', 999n],
    ['more', 1_001n],
  ])(
    'redemption: a payment of %s than quoted is a dead letter and never makes it submitted',
    async (_, amount) => {
      const id = await givenQuote();
      const signature = await send([await payment(id, amount)]);
      expect((await deadLetter('redemption_mismatch', signature)).detail).toMatchObject({
        redemption_id: id,
        amount: String(amount),
        wrong: ['amount'],
      });
      expect(await r.redemptions.row(id)).toMatchObject({ status: 'quoted', txSignature: null });
    },
  );

  test('redemption: a payment of another user is a dead letter', async () => {
    const other = await r.service.givenUser(r.partner.partnerId);
    const id = await givenQuote({ userWallet: other.wallet.address, userId: other.id });
    const signature = await send([await payment(id, 1_000n)]);
    expect((await deadLetter('redemption_mismatch', signature)).detail).toMatchObject({ wrong: ['user'] });
    expect(await r.redemptions.row(id)).toMatchObject({ status: 'quoted' });
  });

  test('redemption: a payment into another account than quoted is a dead letter', async () => {
    const id = await givenQuote({ escrowAccount: addressNamed('elsewhere') });
    const signature = await send([await payment(id, 1_000n)]);
    expect((await deadLetter('redemption_mismatch', signature)).detail).toMatchObject({
      wrong: ['escrow'],
    });
  });

  test('redemption: a payment for an unknown redemption is a dead letter', async () => {
    const id = newId('red');
    const signature = await send([await payment(id, 1_000n)]);
    expect((await deadLetter('redemption_unknown', signature)).detail).toMatchObject({ redemption_id: id });
  });

  test('redemption: a second payment is a dead letter, and the first stands', async () => {
    const id = await givenQuote();
    const first = await send([await payment(id, 1_000n)]);
    await r.redemptions.visible(id);
    // The program takes it only once the first is settled.
    await closeByDecree(r.chain.config.programId, id);
    const second = await send([await payment(id, 1_000n)]);
    expect((await deadLetter('redemption_paid_twice', second)).detail).toMatchObject({
      redemption_id: id,
      status: 'submitted',
      settled_by: first,
    });
    expect(await r.redemptions.row(id)).toMatchObject({ status: 'submitted', txSignature: first });
    expect(await r.redemptions.moves(id)).toHaveLength(2);
  });

  test('redemption: a payment for the user of another partner is a dead letter', async () => {
    const id = await givenQuote();
    const other = await r.service.givenPartner();
    const signature = await send([await payment(id, 1_000n, { partnerId: other.partnerId })]);
    expect((await deadLetter('redemption_mismatch', signature)).detail).toMatchObject({
      wrong: ['partner'],
    });
    expect(await r.redemptions.row(id)).toMatchObject({ status: 'quoted' });
  });

  test('redemption: a transfer that a memo of the service announces, without a call of the program, is no payment', async () => {
    const id = await givenQuote();
    const announced = memoInstruction(formatMemo({ kind: 'redeem', id, amount: 1_000n }), [serviceSigner]);
    const { signer, goldAccount } = await stranger();
    const { goldMint, addresses } = r.chain;
    const signature = await send([
      announced,
      getTransferCheckedInstruction(
        {
          ...{ source: goldAccount, mint: goldMint, destination: addresses.escrowGold, authority: signer },
          ...{ amount: 1_000n, decimals: 6 },
        },
        { programAddress: goldOf(r.chain).program },
      ),
    ]);
    await findDeposits();
    expect((await deadLetter('escrow_unmatched', signature)).detail).toEqual({ amount: '1000' });
    expect(await r.redemptions.row(id)).toMatchObject({ status: 'quoted' });
  });

  test('redemption: a transfer into escrow past the program is recorded once the account is listed, whichever way it came', async () => {
    const { signer, goldAccount } = await stranger();
    const { goldMint, addresses } = r.chain;
    const move = { source: goldAccount, destination: addresses.escrowGold, authority: signer };
    const target = { programAddress: goldOf(r.chain).program };
    const ways = [
      getTransferCheckedInstruction({ ...move, mint: goldMint, amount: 7_000n, decimals: 6 }, target),
      getTransferInstruction({ ...move, amount: 8_000n }, target),
    ];
    for (const [index, way] of ways.entries()) {
      const signature = await send([way], signer);
      await findDeposits();
      expect((await deadLetter('escrow_unmatched', signature)).detail).toEqual({
        amount: String(7_000 + 1_000 * index),
      });
    }
  });
});

test('redemption: a payment becomes final', async () => {
  const id = await givenQuote();
  const signature = await send([await payment(id, 1_000n)]);
  await r.redemptions.visible(id);
  await finalize(r.chain, r.service.ctx);
  await eventually(async () => {
    const { rpc } = r.service.ctx.chain;
    const { value } = await rpc.getSignatureStatuses([signature as Signature], anyAge).send();
    expect(value[0]?.confirmationStatus).toBe('finalized');
    expect(await r.redemptions.row(id)).toMatchObject({ finalized: true, status: 'submitted' });
  }, 10_000);
});

test('redemption: a quote that is not paid lapses by itself, and is deleted 7 days later', async () => {
  const ready = () =>
    eventually(async () => expect(await r.redemptions.quote()).toMatchObject({ status: 201 }), 10_000);
  await ready();
  const { id } = await r.redemptions.quoted();
  r.chain.node.warp({ seconds: 120 });
  await eventually(
    async () => expect(await r.redemptions.row(id)).toMatchObject({ status: 'lapsed' }),
    10_000,
  );
  expect(await r.redemptions.moves(id)).toEqual([' > quoted by key', 'quoted > lapsed by sweep']);
  const lapsedAtSeconds = Math.floor((await r.redemptions.row(id)).updatedAt.getTime() / 1_000);
  const sevenDays = 7 * 86_400;
  r.chain.node.warp({ seconds: sevenDays - 3_600 - (r.chain.node.nowUnixSeconds() - lapsedAtSeconds) });
  await sweepExpired(r.service.ctx, never);
  expect(await r.redemptions.row(id)).toMatchObject({ status: 'lapsed' });
  r.chain.node.warp({ seconds: 3_700 });
  await sweepExpired(r.service.ctx, never);
  expect(await findRedemption(r.service.ctx.db, id)).toBeUndefined();
  expect(await r.redemptions.moves(id)).toEqual([]);
  await ready();
});

/** A node that lists a transaction which never landed, final, with everything that belongs to one that did. */
async function invents(transaction: Uint8Array, like: string): Promise<Lie> {
  const signature = signatureOf(transaction);
  const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const;
  const { rpc } = r.service.ctx.chain;
  const [slot, real] = await Promise.all([
    rpc.getSlot({ commitment: 'confirmed' }).send(),
    rpc.getTransaction(like as Signature, options).send(),
  ]);
  const wire = [Buffer.from(transaction).toString('base64'), 'base64'];
  const final = { slot: Number(slot), confirmations: null, err: null, confirmationStatus: 'finalized' };
  const invented = asJson({ ...real, slot, transaction: wire });
  return async ({ method, params }, ask) => {
    if (method === 'getTransaction' && params[0] === signature) return invented;
    const result = await ask();
    if (
      method === 'getSignaturesForAddress' &&
      params[0] === r.chain.config.programId &&
      !params[1]?.before
    ) {
      return [{ ...final, signature, memo: null, blockTime: null }, ...result].slice(0, params[1]?.limit);
    }
    if (method !== 'getSignatureStatuses') return result;
    const shown = (one: unknown, at: number) => (params[0][at] === signature ? final : one);
    return { ...result, value: result.value.map(shown) };
  };
}

const asJson = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item)));

test('redemption: a payment that the user never signed is a dead letter, whatever the node returns', async () => {
  const paid = await r.redemptions.quoted();
  const { body } = await r.redemptions.submit(paid.id, r.signed(paid.transaction));
  await r.redemptions.visible(paid.id);
  // The service has signed the quote; in the place of the user's signature there are zeros.
  const { id, transaction } = await r.redemptions.quoted();
  const signature = signatureOf(transaction);
  node.lie = await invents(transaction, body.tx_hash);
  try {
    expect((await deadLetter('undecodable', signature)).detail).toMatchObject({
      message: expect.stringContaining(`the signature of ${r.user.wallet.address} is not valid for it`),
    });
  } finally {
    node.lie = undefined;
  }
  expect(await r.redemptions.row(id)).toMatchObject({ status: 'quoted', txSignature: null });
});
