import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db, Tx } from '../../src/db/client.js';
import { updateLastUsed } from '../../src/db/keys/api-keys.js';
import { leaseBudgets, returnBudgets } from '../../src/db/limits/budgets.js';
import { countFees } from '../../src/db/limits/fee-spending.js';
import { writeReservations } from '../../src/db/limits/velocity-reservations.js';
import { updateTokensLastUsed } from '../../src/db/operators/operator-tokens.js';
import { newUuid, type Uuid } from '../../src/domain/index.js';
import { type Harness, harness } from '../harness.js';
import { eventually } from '../karat-chain.js';
import { type Operators, startOperators } from '../operators.js';

let h: Harness;
let operators: Operators;
beforeAll(async () => {
  h = await harness();
  operators = await startOperators(h);
});
afterAll(async () => {
  await operators.close();
  await h.close();
});

const now = new Date();
const used = (ids: Uuid[]) => new Map(ids.map((id) => [id, now]));

async function leased(db: Db, ids: Uuid[]): Promise<Uuid[]> {
  const wanted = ids.map((owner) => ({ owner, count: 2 }));
  const at = { nowMs: now.getTime(), windowMs: 60_000 };
  const leases = await leaseBudgets(db, { wanted, ...at, limit: 10, inPart: true });
  return [...leases.keys()] as Uuid[];
}

const processId = newUuid();
const reserve = (db: Db | Tx, ids: Uuid[], version: number) =>
  writeReservations(
    db,
    ids.map((ownerId) => ({ ownerId, processId, usdc: 1n, gold: 0n, version, lapsesAt: now })),
  );

const spend = (tx: Tx, ids: Uuid[]) =>
  countFees(
    tx,
    ids.map((partnerId) => ({ partnerId, lamports: 1n, feeUsdc: 0n, landedMs: undefined })),
    now,
  );

/** Tables whose rows background work of every process updates several at a time: two of their rows, and that work. */
const tables: [string, string, () => Promise<Uuid[]>, (tx: Tx, ids: Uuid[]) => Promise<void>][] = [
  [
    'budgets',
    'owner',
    () => leased(h.ctx.db, [newUuid(), newUuid()]),
    (tx, ids) =>
      returnBudgets(
        tx,
        ids.map((owner) => ({ owner, atMs: now.getTime(), count: 1 })),
      ),
  ],
  [
    'budgets',
    'owner',
    () => leased(h.ctx.db, [newUuid(), newUuid()]),
    async (tx, ids) => void (await leased(tx, ids)),
  ],
  [
    'api_keys',
    'id',
    async () => [h.main.keyId, (await h.givenPartner()).keyId],
    (tx, ids) => updateLastUsed(tx, used(ids)),
  ],
  [
    'operator_tokens',
    'id',
    async () => {
      for (const role of ['viewer', 'admin'] as const) await operators.givenOperator(role);
      const rows = await h.ctx.db.execute<{ id: Uuid }>(sql`select id from operator_tokens`);
      return rows.map(({ id }) => id).slice(0, 2);
    },
    (tx, ids) => updateTokensLastUsed(tx, used(ids)),
  ],
  [
    'velocity_reservations',
    'owner_id',
    async () => {
      const ids = [newUuid(), newUuid()];
      await reserve(h.ctx.db, ids, 1);
      return ids;
    },
    (tx, ids) => reserve(tx, ids, 2),
  ],
  [
    'fee_spending',
    'partner_id',
    async () => {
      const ids = [h.main.partnerId, (await h.givenPartner()).partnerId];
      await h.ctx.db.transaction((tx) => spend(tx, ids));
      return ids;
    },
    spend,
  ],
];

test.each(tables)('rows of %s are locked in the order of their ids', async (table, column, given, update) => {
  const [low, high] = (await given()).sort() as [Uuid, Uuid];
  const lock = (tx: Tx, id: Uuid) =>
    tx.execute(sql`select from ${sql.identifier(table)} where ${sql.identifier(column)} = ${id} for update`);
  // Moves the row with the lower id behind the other one, so that a scan of the table comes to it last.
  await h.ctx.db.transaction((tx) =>
    tx.execute(
      sql`update ${sql.identifier(table)} set ${sql.identifier(column)} = ${low} where ${sql.identifier(column)} = ${low}`,
    ),
  );
  let updated: Promise<void> | undefined;
  await h.ctx.db.transaction(async (tx) => {
    await lock(tx, low);
    updated = h.ctx.db.transaction((other) => update(other, [high, low]));
    updated.catch(() => {});
    await eventually(async () => {
      const waiting = await h.ctx.db.execute(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    }, 5_000);
    // Free as long as the work waits for the lower one first.
    await lock(tx, high);
  });
  await expect(updated).resolves.toBeUndefined();
});
