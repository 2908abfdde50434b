import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepExpired } from '../../src/actions/sweep-expired.js';
import { newUuid } from '../../src/domain/ids.js';
import { type Harness, harness } from '../harness.js';
import { watchStatementSizes } from '../statement-sizes.js';

const rows = 2_500;
const never = AbortSignal.any([]);
const tables = [
  'challenges',
  'guarded_transactions',
  'idempotency_keys',
  'sessions',
  'factor_challenges',
  'sign_in_attempts',
  'known_networks',
  'budgets',
];

let h: Harness;
beforeAll(async () => {
  h = await harness();
  const { sql } = h.ctx;
  const operator = newUuid();
  await sql`insert into people (id, email, name, role, password_hash, created_at, updated_at)
    values (${operator}, 'a@example.com', 'A', 'admin', '$argon2id$', now(), now())`;
  // A year before the clock of the test.
  const old = new Date(h.clock.now() - 365 * 86_400_000);
  const at = sql`${old}::timestamptz`;
  const since = sql`${new Date(old.getTime() - 1)}::timestamptz`;
  const all = sql`generate_series(1, ${rows}::int) n`;
  const [hash, signature] = [sql`sha256(n::text::bytea)`, sql`sha512(n::text::bytea)`];
  await sql`insert into challenges (id, surface, wallet_address, created_at, expires_at)
    select gen_random_uuid(), 'tradebook', ${hash}, ${since}, ${at} from ${all}`;
  await sql`insert into guarded_transactions select gen_random_uuid(), ${signature}, ${at} from ${all}`;
  await sql`insert into idempotency_keys select gen_random_uuid(), 'r', 'k', gen_random_uuid(), ${hash}, null, null, ${at}
    from ${all}`;
  await sql`insert into sessions (hash, id, person_id, created_at, expires_at, last_used_at, address)
    select ${hash}, gen_random_uuid(), ${operator}, ${since}, ${at}, ${at}, 'a' from ${all}`;
  await sql`insert into factor_challenges select ${hash}, ${operator}, 'sign_in', null, 'c', ${since}, ${at} from ${all}`;
  await sql`insert into sign_in_attempts select ${hash}, 1, ${at}, ${at} from ${all}`;
  await sql`insert into known_networks select ${operator}, n, ${at} from ${all}`;
  await sql`insert into budgets select n, '{1}', '{1}', 1, ${at} from ${all}`;
});
afterAll(() => h.close());

test('sweep: expired rows of any number are deleted by statements of at most 1,000 rows', async () => {
  const left = async () => {
    const counts = tables.map(async (table) => [
      table,
      (await h.ctx.sql.unsafe(`select from ${table}`)).length,
    ]);
    return Object.fromEntries(await Promise.all(counts));
  };
  const each = (count: number) => Object.fromEntries(tables.map((table) => [table, count]));
  const most = await watchStatementSizes(h, tables);
  expect(await left()).toEqual(each(rows));
  await expect(sweepExpired(h.ctx, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  expect(await left()).toEqual(each(rows));
  // One that is in use does not hold the others up.
  await h.ctx.sql.begin(async (tx) => {
    await tx`select from budgets limit 1 for update`;
    await sweepExpired(h.ctx, never);
    expect(await left()).toEqual({ ...each(0), budgets: 1 });
  });
  expect(await most()).toEqual(each(1_000));
  await sweepExpired(h.ctx, never);
  expect(await left()).toEqual(each(0));
});
