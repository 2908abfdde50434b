import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepExpired } from '../../../src/actions/sweep-expired.js';
import {
  closeFinalSubmissions,
  sweepExpiredSubmissions,
} from '../../../src/actions/trades/sweep-expired-submissions.js';
import { endsNow } from '../../ending.js';
import { type Karat, startKarat } from '../../karat.js';
import { watchStatementSizes } from '../../statement-sizes.js';

const never = AbortSignal.any([]);

let t: Karat;
beforeAll(async () => {
  t = await startKarat();
});
afterAll(() => t.stop());

/** Writes trades that were sent and cannot land above the height `height + n`. */
const send = (name: string, count: number, height: number) => t.service.ctx.sql`
  insert into submissions (quote_id, partner_id, kind, status, user_wallet, tx_signature, last_valid_block_height,
    request_id, expires_at, created_at)
  select md5(${name} || n)::uuid, ${t.partner.partnerId}, 'buy', 'submitted', sha256('w'), sha512((${name} || n)::bytea),
    ${height}::int + n / 500, 'r', now(), now()
  from generate_series(1, ${count}::int) n`;
/** Has the chain carry them out; they are not final. */
const record = (name: string, firstEvent: number) => t.service.ctx.sql`
  insert into trades (id, partner_id, user_id, side, status, usdc_amount, gold_amount, price_per_troy_oz, fee_bps, fee_usdc,
    tx_signature, slot, event_seq, created_at, updated_at)
  select quote_id, partner_id, ${t.user.id.slice(3)}, 'buy', 'confirmed', 100, 1, 4100, 50, 1, tx_signature, 1,
    ${firstEvent}::int + row_number() over (), now(), now()
  from submissions where tx_signature in (select sha512((${name} || n)::bytea) from generate_series(1, 30000) n)`;

const sweep = async (signal = never) => {
  const { ends, by } = await endsNow(t.service.ctx, never);
  await sweepExpired(t.service.ctx, signal);
  await closeFinalSubmissions(t.service.ctx, signal);
  return sweepExpiredSubmissions(t.service.ctx, ends, { ...by, signal });
};
const counts = async () => {
  const rows = await t.service.ctx.sql<{ status: string; n: number }[]>`
    select status, count(*)::int as n from submissions group by status`;
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
};

test('sweep expired submissions: everything an outage left open ends in one round, by statements of at most 1,000 rows', async () => {
  const { ctx } = t.service;
  const { sql } = ctx;
  t.chain.node.warp({ slots: 400 });
  // Those that are not final stand before all others, as after an outage of a node.
  await send('waiting', 2_100, 1);
  await record('waiting', 0);
  await send('lost', 1_100, 10);
  await send('final', 2_500, 10);
  await record('final', 5_000);
  await sql`delete from unfinalized u using trades t where t.id = u.id and t.event_seq > 5000`;
  await send('old', 2_200, 1);
  await sql`update submissions set status = 'expired', created_at = now() - interval '1 year'
    where tx_signature in (select sha512(('old' || n)::bytea) from generate_series(1, 2200) n)`;
  const most = await watchStatementSizes(t.service, ['submissions']);
  await expect(sweep(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(await sweep()).toBe(1_100);
  expect(await counts()).toEqual({ submitted: 2_100, landed: 2_500, expired: 1_100 });
  expect(await sql`select from events where type = 'trade.expired'`).toHaveLength(1_100);
  expect(await most()).toEqual({ submissions: 1_000 });
  expect(await sweep()).toBe(0);
});

test('sweep expired submissions: more than 20,000 rows are closed, or end, in several rounds', async () => {
  const { sql } = t.service.ctx;
  await sql`truncate submissions, trades, unfinalized`;
  await send('many', 20_500, 1);
  await record('many', 0);
  await sql`truncate unfinalized`;
  await send('last', 1, 1_000);
  t.chain.node.warp({ slots: 1_000 });
  expect(await sweep()).toBe(1);
  expect(await counts()).toEqual({ submitted: 500, landed: 20_000, expired: 1 });
  expect(await sweep()).toBe(0);
  expect(await counts()).toEqual({ landed: 20_500, expired: 1 });
  await sql`truncate submissions, trades`;
  await send('lost', 20_500, 1);
  expect([await sweep(), await sweep()]).toEqual([20_000, 500]);
});
