import { SettlementMode } from '@karat/program-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyAuditLog } from '../../src/actions/audit.js';
import { recordIndexerRound } from '../../src/db/indexing/indexer-rounds.js';
import { findRedemption } from '../../src/db/redemptions/redemptions.js';
import { deadLetters, operatorTransactions } from '../../src/db/schema.js';
import { newUuid, type RedemptionId, type Uuid } from '../../src/domain/ids.js';
import { goldUnits } from '../../src/domain/money.js';
import { eventually } from '../karat-chain.js';
import { openByDecree } from '../opened-redemptions.js';
import { send as ask, changesOf, type Operators, operatorBase, startOperators } from '../operators.js';
import { expectStatus, givenRedemption, seedDenominations } from '../redeeming.js';
import { following, never } from './following.js';
import { dropping, type Lie, Refused } from './lying-node.js';
import { settlingOf } from './settling.js';
import { settleRedemption, token } from './vault.js';
import { watchedOperatorTransactions } from './watched.js';
import { landed, send } from './world.js';

const f = following();
const amount = goldUnits(380_625n);
let operators: Operators;

beforeAll(async () => {
  const { node, program, goldMint, admin, h } = f.world;
  await node.setTokenBalance(program.escrowAuthority, goldMint, 1_000n * token);
  await node.setTokenBalance(admin.address, goldMint, 0n);
  await seedDenominations(h);
  const ctx = { ...h.ctx, config: { ...h.ctx.config, approvals: 1 } };
  operators = await startOperators({ ctx, secrets: h.secrets });
});
afterAll(() => operators.close());

const kinds = { refund: SettlementMode.Refund, burn: SettlementMode.Burn };
type Kind = keyof typeof kinds;
interface Settled {
  redemptionId: RedemptionId;
  /** Of the row of the settlement. */
  id: Uuid;
  signature: string;
}

/** A settlement that the chain has confirmed, and the indexer recorded. */
async function givenSettled(kind: Kind, lastValidBlockHeight = 1n): Promise<Settled> {
  const { trader, h } = f.world;
  const status = kind === 'refund' ? 'cancelled' : 'collected';
  const user = { id: trader.userId, wallet: trader.wallet };
  const redemptionId = await givenRedemption(h, { partner: trader.partner, user }, { status });
  const id = newUuid();
  const at = new Date(f.ctx.clock.now());
  const row = { id, kind, redemptionId, amount, lastValidBlockHeight, createdAt: at, updatedAt: at };
  await f.ctx.db.insert(operatorTransactions).values(row);
  const signature = await settle(kind, redemptionId);
  expect(await rowOf(id)).toMatchObject({ status: 'confirmed', txSignature: signature });
  return { redemptionId, id, signature };
}

async function settle(kind: Kind, redemptionId: RedemptionId): Promise<string> {
  const instruction = await settleRedemption(f.world, kinds[kind], redemptionId);
  const signature = await send(f.world, [instruction], f.world.admin);
  await landed(f.world, signature);
  await f.catchUp();
  return signature;
}

/** Opens a redemption again. */
async function givenOpen(id: RedemptionId): Promise<void> {
  const row = await findRedemption(f.ctx.db, id);
  if (row) await openByDecree(f.ctx.config.programId, row);
}

async function rowOf(id: Uuid) {
  return (await watchedOperatorTransactions(f.ctx)).find((row) => row.id === id);
}

/** What the indexer does once the chain has moved on: reads, notes how far, and looks at what is not final yet. */
async function settleLater(): Promise<void> {
  f.world.node.warp({ slots: 250 });
  const follower = await f.catchUp();
  await f.ctx.db.transaction((tx) => recordIndexerRound(tx, follower.seen()));
  await settlingOf(f.ctx, follower).round(never);
}

/** Has the chain drop a transaction; the letter that says so. */
async function dropped({ signature }: Settled): Promise<Uuid> {
  f.node.lie = dropping(signature);
  await settleLater();
  return (await f.deadLetterOf(signature, 'vanished')).id;
}

const admin = () => operators.by.admin.client;
const resolve = (deadLetter: Uuid) =>
  ask(admin(), 'POST', `/dead-letters/${deadLetter}/resolve`, { reason: 'A fork dropped it' });
const caseOf = async (id: string) =>
  expectStatus(await admin().get(`${operatorBase}/redemptions/${id}`), 200).body;
const refused = (message: string) => ({
  status: 409,
  body: { error: 'transition_not_allowed', message: expect.stringContaining(message) },
});

/** Nothing came of it: neither letter nor row nor audit log changed. */
async function expectUntouched({ id }: Settled, deadLetter: Uuid): Promise<void> {
  expect(await rowOf(id)).toMatchObject({ status: 'confirmed' });
  expect(
    (await f.ctx.db.select().from(deadLetters)).find((row) => row.id === deadLetter)?.resolvedAt,
  ).toBeNull();
  expect(await changesOf(f.world.h, 'dead_letter', deadLetter)).toEqual([]);
  expect(await changesOf(f.world.h, 'operator_transaction', id)).toEqual([]);
}

beforeEach(async () => {
  await f.ctx
    .sql`update operator_transactions set status = 'expired', slot = null where status in ('pending', 'confirmed')`;
});

test.each(['refund', 'burn'] as const)(
  'a %s that the chain dropped is asked for again once an admin has resolved its letter',
  async (kind) => {
    const settled = await givenSettled(kind);
    const { redemptionId, id, signature } = settled;
    const deadLetter = await dropped(settled);
    const path = `/redemptions/${redemptionId}/${kind}`;
    expect(await ask(admin(), 'POST', path)).toMatchObject(refused('This redemption has already been'));
    expect((await caseOf(redemptionId)).available_actions).toEqual([]);

    expectStatus(await resolve(deadLetter), 200);
    expect(await rowOf(id)).toMatchObject({ status: 'expired', txSignature: signature, slot: null });
    const { operatorId } = operators.by.admin;
    const shown = { kind, redemption_id: redemptionId, partner_id: null, tx_hash: signature };
    expect(await changesOf(f.world.h, 'operator_transaction', id)).toEqual([
      {
        action: 'operator_transaction.expire',
        before: { ...shown, status: 'confirmed' },
        after: { ...shown, status: 'expired' },
        reason: 'A fork dropped it',
        operatorId,
      },
    ]);
    expect((await verifyAuditLog(f.ctx.db)).ok).toBe(true);
    expect((await caseOf(redemptionId)).available_actions).toEqual([kind]);
    // It is looked after no more as one that has landed.
    await settleLater();
    expect(await f.reasonsOf(signature)).toContain('vanished (settled)');

    // The node keeps what it says that it dropped.
    await givenOpen(redemptionId);
    // Nobody holds the key of operations here: it is handed out.
    await eventually(async () => {
      // Until the service has a blockhash of the time after the move.
      expect(expectStatus(await ask(admin(), 'POST', path), 202).body).toHaveProperty('transaction');
    }, 10_000);
    const rows = (await f.ctx.db.select().from(operatorTransactions)).filter(
      (row) => row.redemptionId === redemptionId,
    );
    expect(rows.map(({ status }) => status).sort()).toEqual(['expired', 'pending']);
  },
  60_000,
);

test('nothing is resolved while the node knows the transaction, or may still take it', async () => {
  const settled = await givenSettled('refund');
  const deadLetter = await dropped(settled);
  f.node.lie = undefined;
  expect(await resolve(deadLetter)).toMatchObject(refused('after all; check again once it is final'));
  await expectUntouched(settled, deadLetter);

  f.node.lie = dropping(settled.signature);
  const height = await f.ctx.chain.rpc.getBlockHeight({ commitment: 'confirmed' }).send();
  await f.ctx
    .sql`update operator_transactions set last_valid_block_height = ${String(height + 100n)} where id = ${settled.id}`;
  expect(await resolve(deadLetter)).toMatchObject(refused('not certain yet'));
  await expectUntouched(settled, deadLetter);
  f.world.node.warp({ slots: 200 });
  expectStatus(await resolve(deadLetter), 200);
  expect(await rowOf(settled.id)).toMatchObject({ status: 'expired' });
}, 60_000);

test.each<[string, (settled: Settled) => Lie]>([
  [
    'whose blocks do not reach back',
    ({ signature }) =>
      async (call, really) => {
        if (call.method === 'getBlock') throw new Refused(-32001, 'Block cleaned up');
        return dropping(signature)(call, really);
      },
  ],
  [
    'that has not seen the end of its time, by its own blocks',
    ({ signature }) =>
      async (call, really) =>
        call.method === 'getBlocksWithLimit'
          ? (await really()).slice(0, -1)
          : dropping(signature)(call, really),
  ],
  [
    'that lags behind',
    ({ signature }) =>
      async (call, really) => {
        const answer = await dropping(signature)(call, really);
        return call.method === 'getSignatureStatuses' ? { ...answer, context: { slot: 1 } } : answer;
      },
  ],
])(
  'a node %s proves nothing',
  async (_, lieAbout) => {
    const settled = await givenSettled('burn');
    const deadLetter = await dropped(settled);
    f.node.lie = lieAbout(settled);
    expect(await resolve(deadLetter)).toMatchObject(refused('not certain yet'));
    await expectUntouched(settled, deadLetter);
  },
  60_000,
);

test('a silent node resolves nothing', async () => {
  const settled = await givenSettled('burn');
  const deadLetter = await dropped(settled);
  f.node.lie = async () => {
    throw new Error('gone');
  };
  expect(await resolve(deadLetter)).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  await expectUntouched(settled, deadLetter);
}, 60_000);

test('what the chain has settled after all is not settled again once its letter is resolved', async () => {
  const settled = await givenSettled('refund');
  const deadLetter = await dropped(settled);
  expectStatus(await resolve(deadLetter), 200);
  expect(await rowOf(settled.id)).toMatchObject({ status: 'expired' });
  expect(await ask(admin(), 'POST', `/redemptions/${settled.redemptionId}/refund`)).toMatchObject(
    refused('tokens of this redemption are no longer in escrow'),
  );
}, 60_000);

test('a transaction that is final after all stays as it is, and its letter can be resolved', async () => {
  const settled = await givenSettled('burn');
  const deadLetter = await dropped(settled);
  f.node.lie = undefined;
  await settleLater();
  expect(await rowOf(settled.id)).toMatchObject({ status: 'confirmed', finalized: true });
  expectStatus(await resolve(deadLetter), 200);
  expect(await rowOf(settled.id)).toMatchObject({ status: 'confirmed', finalized: true });
  expect(await changesOf(f.world.h, 'operator_transaction', settled.id)).toEqual([]);
}, 60_000);
