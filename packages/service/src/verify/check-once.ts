import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client.js';
import { follow } from './rule.js';
import type { Verdict } from './verdict.js';

/** Looks for what was settled twice, or not to whom it belongs. Trusts no index: each is counted. */
export const checkSettlements = (tx: Tx): Promise<Verdict> =>
  follow(tx, {
    invariant: 'settled_once',
    holds:
      'The tokens of each redemption left escrow at most once, in full: refunded if it was cancelled, burned if it was collected',
    count: sql`select count(*) from redemptions where status not in ('quoted', 'lapsed', 'failed')`,
    noun: ['redemption', 'redemptions'],
    broken: sql`
      with settling as (
        select redemption_id as id, kind, status, amount from operator_transactions
        where kind in ('refund', 'burn') and status in ('pending', 'confirmed')
      )
      select 'redemptions red_' || id, 'has ' || count(*) || ' settlements' from settling group by id having count(*) > 1
      union all
      select 'redemptions red_' || redemption.id, 'is ' || redemption.status || ', and its tokens were ' ||
          case kind when 'burn' then 'burned' else 'refunded' end
        from settling join redemptions redemption using (id) where settling.status = 'confirmed'
          and redemption.status <> (case kind when 'burn' then 'collected' else 'cancelled' end)::redemption_status
      union all
      select 'redemptions red_' || redemption.id, 'took ' || tokens_required || ' base units, and ' || coalesce(amount, 0) || ' were settled'
        from settling join redemptions redemption using (id) where amount is distinct from tokens_required
      union all
      select 'redemptions red_' || redemption.id, case when settled then 'is marked as settled, and nothing settles it' else 'is settled and not marked so' end
        from redemptions redemption where settled <> exists (select from settling where settling.id = redemption.id)
      union all
      select 'redemptions red_' || min(id::text), 'shares its payment with ' || count(*) - 1 || ' more' from redemptions
        where tx_signature is not null group by tx_signature having count(*) > 1
      union all
      select 'trades trd_' || min(id::text), 'shares its transaction with ' || count(*) - 1 || ' more' from trades group by tx_signature having count(*) > 1
      union all
      select 'operator_transactions ' || min(id::text), 'is written down ' || count(*) || ' times' from operator_transactions
        where kind in ('announce_burn', 'cancel_burn') and tx_signature is not null and last_valid_block_height > 0
        group by tx_signature, redemption_id, kind having count(*) > 1`,
  });

/** Looks for bars that are in two places, or were handed over twice. */
export const checkBars = (tx: Tx): Promise<Verdict> =>
  follow(tx, {
    invariant: 'bars',
    holds:
      'Every bar is in one place, and every customer who has gold ready or has collected it has one bar of that kind',
    count: sql`select count(*) from bars`,
    noun: ['bar', 'bars'],
    broken: sql`
      select 'bars ' || min(id::text), 'is entered ' || count(*) || ' times' from bars group by upper(serial), lower(refiner) having count(*) > 1
      union all
      select 'bars ' || min(id::text), 'is one of ' || count(*) || ' of redemption red_' || redemption_id from bars
        where redemption_id is not null group by redemption_id having count(*) > 1
      union all
      select 'bars ' || bar.id, 'is ' || bar.status || ' for redemption red_' || redemption.id || ', which is ' || redemption.status
        from bars bar join redemptions redemption on redemption.id = bar.redemption_id
        where not case bar.status when 'reserved' then redemption.status in ('preparing', 'ready') else redemption.status = 'collected' end
      union all
      select 'bars ' || id, 'is ' || status || ', and ' || case when redemption_id is null then 'for no redemption' else 'for a redemption' end
        from bars where (status in ('reserved', 'handed_over')) <> (redemption_id is not null)
      union all
      select 'redemptions red_' || redemption.id, 'is ' || redemption.status || ' and has no bar of its kind'
        from redemptions redemption where redemption.status in ('ready', 'collected') and not exists (
          select from bars bar where bar.redemption_id = redemption.id and bar.denomination_id = redemption.denomination_id
            and bar.city_key = redemption.city_key and bar.status = (case redemption.status when 'ready' then 'reserved' else 'handed_over' end)::bar_status)`,
  });
