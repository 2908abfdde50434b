import { expect, test } from 'vitest';
import {
  findEventDifferences,
  findTreasuryDifferences,
} from '../packages/service/src/db/treasury/treasury-differences.js';
import { sumTreasuryMovements } from '../packages/service/src/db/treasury/treasury-movements.js';
import { harness } from '../packages/service/test/harness.js';
import { addressNamed } from '../packages/service/test/named-keys.js';

/** Trades in the history. */
const trades = Number(process.env.BENCH_TRADES ?? 200_000);

test(`chain and records of ${trades} trades are compared`, async () => {
  const h = await harness({ logLevel: 'silent' });
  const { db } = h.ctx;
  const { partnerId } = h.main;
  const user = await h.givenUser(partnerId);
  const fill = (text: string) =>
    db.transaction(async (tx) => {
      await tx.execute(`set local statement_timeout = 0`);
      await tx.execute(text);
    });
  const rows = `generate_series(1, ${trades}) as n`;
  await fill(`insert into trades (id, partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz, fee_bps,
      fee_usdc, tx_signature, slot, event_seq, finalized, created_at, updated_at)
    select 'trd_' || n, '${partnerId}', '${user.id}', 'buy', 'confirmed', 1000, 2, 4100, 50, 5, 'tx-' || n, n, n, true, now(), now() from ${rows}`);
  await fill(`insert into program_events (partner_id, seq, kind, tx_signature, slot, created_at)
    select '${partnerId}', n, 8, 'tx-' || n, n, now() from ${rows}`);
  for (const [role, change] of Object.entries({ treasury_usdc: 995, fee_usdc: 5, treasury_gold: -2 })) {
    await fill(`insert into treasury_movements (tx_signature, account, role, slot, change, due, created_at)
      select 'tx-' || n, '${addressNamed(role)}', '${role}', n, ${change}, ${change}, now() from ${rows}`);
  }
  await fill('analyze');
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const start = performance.now();
    const found = await work();
    process.stdout.write(`${name}: ${Math.round(performance.now() - start)} ms\n`);
    return found;
  };
  const all = { since: 0n, from: -1n, to: BigInt(trades) };
  const slice = { since: 0n, from: BigInt(trades) - 51_000n, to: BigInt(trades) };
  await db.transaction(async (tx) => {
    await tx.execute(`set local statement_timeout = 0`);
    expect(await timed('a whole history', () => findTreasuryDifferences(tx, all))).toEqual([]);
    expect(await timed('51,000 slots of it', () => findTreasuryDifferences(tx, slice))).toEqual([]);
    expect(await timed('events of as many', () => findEventDifferences(tx, [8], slice))).toEqual([]);
    await timed('the sum of an account', () =>
      sumTreasuryMovements(tx, addressNamed('fee_usdc'), { after: -1n, slot: all.to }),
    );
  });
  await h.close();
});
