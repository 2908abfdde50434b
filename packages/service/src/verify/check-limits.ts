import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client.js';
import { hourOf } from '../domain/velocity.js';
import { follow } from './rule.js';
import type { Verdict } from './verdict.js';

/** Compares what counts against the limits of a day with the trades of its hours. Redemptions and open quotes come on top. */
export function checkLimits(tx: Tx, now: Date): Promise<Verdict> {
  const first = hourOf(now.getTime()) - 23;
  return follow(tx, {
    invariant: 'daily_limits',
    holds: 'What counts against the limits of a day is not less than what was traded in it',
    count: sql`select count(*) from velocity_usage`,
    noun: ['user or partner', 'users and partners'],
    broken: sql`
      with traded as (
        select owner.id, floor(extract(epoch from created_at) / 3600)::int as hour, sum(usdc_amount) as usdc, sum(gold_amount) as gold
        from trades cross join lateral (values (user_id), (partner_id)) as owner (id)
        where status = 'confirmed' and created_at >= to_timestamp(${first}::bigint * 3600) group by 1, 2
      )
      select 'velocity_usage ' || traded.id, 'has ' || coalesce(used.usdc[traded.hour % 24 + 1], 0) || ' base units of USDC and '
          || coalesce(used.gold[traded.hour % 24 + 1], 0) || ' of GOLD in an hour in which ' || traded.usdc || ' and ' || traded.gold || ' were traded'
        from traded left join velocity_usage used on used.owner_id = traded.id
        where used.owner_id is null or traded.hour > used.hour - 24
          and (traded.hour > used.hour or coalesce(used.usdc[traded.hour % 24 + 1], 0) < traded.usdc
            or coalesce(used.gold[traded.hour % 24 + 1], 0) < traded.gold)`,
  });
}
