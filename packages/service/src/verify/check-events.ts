import { sql } from 'drizzle-orm';
import type { Tx } from '../db/client.js';
import { eventsKeptMs } from '../domain/event.js';
import { follow } from './rule.js';
import type { Check, Verdict } from './verdict.js';

/** What is younger has all its events: those that are older go by the month, and an hour is for clocks that differ. */
const marginMs = 3_600_000;

/** Looks at the logs of partners, at what they are about, and at what is delivered of them: each check by itself. */
export function checksOfEvents(tx: Tx, now: Date): Check[] {
  const kept = sql`${new Date(now.getTime() - eventsKeptMs + marginMs).toISOString()}::timestamptz`;
  return [
    () => checkNumbers(tx, now),
    () => checkObjects(tx),
    () => checkRecords(tx, kept),
    () => checkDeliveries(tx, kept),
  ];
}

/** A log may begin behind 1 where its first months have gone. */
function checkNumbers(tx: Tx, now: Date): Promise<Verdict> {
  const old = sql`${new Date(now.getTime() - eventsKeptMs + 31 * 86_400_000).toISOString()}::timestamptz`;
  return follow(tx, {
    invariant: 'event_numbers',
    holds: 'The events of each partner are numbered from 1 without a gap',
    count: sql`select count(*) from events`,
    noun: ['event', 'events'],
    broken: sql`
      with numbered as (
        select partner_id, sequence, created_at, lag(sequence) over (partition by partner_id order by sequence) as before from events
      ), ends as (select partner_id, max(sequence) as last from events group by partner_id)
      select 'events ' || partner_id || ' ' || coalesce(before, 0) + 1, 'is missing; the next one is ' || sequence
        from numbered where before is not null and sequence > before + 1
          or before is null and sequence > 1 and created_at > ${old}
      union all
      select 'events ' || partner_id || ' ' || sequence, 'is there more than once' from numbered where sequence = before
      union all
      select 'event_counters ' || partner_id, 'counts ' || coalesce(counter.last, 0) || ' events; the last one is ' || coalesce(ends.last, 0)
        from event_counters counter full join ends using (partner_id) left join partners on partners.id = partner_id
        where counter.last is distinct from ends.last and (ends.last is not null or partners.created_at > ${old})`,
  });
}

/** Where the objects of events are, by the type of the object. An endpoint may be deleted, and what was sent after a week. */
const checkObjects = (tx: Tx): Promise<Verdict> =>
  follow(tx, {
    invariant: 'event_objects',
    holds: 'Every event is about an object of its partner',
    count: sql`select count(*) from events`,
    noun: ['event', 'events'],
    broken: sql`
      select 'events ' || event.partner_id || ' ' || event.sequence, event.type || ' is about ' || event.object_type || ' ' || event.object_id
        || ', which is not there'
      from events event
      where not case event.object_type::text
        when 'user' then exists (select from users own where own.id = event.object_id and own.partner_id = event.partner_id)
        when 'api_key' then exists (select from api_keys own where own.id = event.object_id and own.partner_id = event.partner_id)
        when 'trade' then exists (select from trades own where own.id = event.object_id and own.partner_id = event.partner_id)
          or event.object is not null and exists (select from events reverted where reverted.object_id = event.object_id
            and reverted.partner_id = event.partner_id and reverted.type = 'trade.reverted')
        when 'redemption' then exists (select from redemptions own where own.id = event.object_id and own.partner_id = event.partner_id)
        when 'partner' then event.object_id = event.partner_id and exists (select from partners own where own.id = event.object_id)
        when 'purchase' then exists (select from orders own where own.id = event.object_id and own.partner_id = event.partner_id)
        when 'sale' then exists (select from orders own where own.id = event.object_id and own.partner_id = event.partner_id)
        when 'withdrawal' then exists (select from orders own where own.id = event.object_id and own.partner_id = event.partner_id)
        else true end`,
  });

/**
 * What a transaction made and the chain dropped may happen again: there is a dead letter for each time. A redemption that its user
 * reclaims is cancelled by that, which is reported as its refund alone.
 */
const checkRecords = (tx: Tx, kept: ReturnType<typeof sql>): Promise<Verdict> =>
  follow(tx, {
    invariant: 'events_of_records',
    holds: 'Everything that happened to a trade, redemption or order was reported to its partner, once',
    count: sql`select (select count(*) from trades where created_at > ${kept})
      + (select count(*) from redemption_history where at > ${kept} and to_status not in ('quoted', 'lapsed'))
      + (select count(*) from orders where updated_at > ${kept} and status <> 'pending_signature')`,
    noun: ['event', 'events'],
    broken: sql`
      with reported as (select object_id, type::text as type, count(*) as times from events group by object_id, type),
      due (what, id, type, at) as (
        select 'trades trd_', id, 'trade.' || status, created_at from trades
        union all
        select 'submissions trd_', quote_id, 'trade.submitted', created_at from submissions where kind <> 'redemption'
        union all
        select 'submissions trd_', quote_id, 'trade.expired', created_at from submissions where kind <> 'redemption' and status = 'expired'
        union all
        select 'redemptions red_', redemption_id, 'redemption.' || to_status, at from redemption_history
          where to_status not in ('quoted', 'lapsed') and not (to_status = 'cancelled' and actor = 'indexer')
        union all
        select 'redemptions red_', redemption_id, case kind when 'burn' then 'redemption.burned' else 'redemption.refunded' end, updated_at
          from operator_transactions where kind in ('refund', 'burn') and status = 'confirmed'
        union all
        select 'orders ', id, kind || '.' || status, updated_at from orders
          where kind <> 'executive_update' and status <> 'pending_signature'
      ), undone as (
        select id, sum(times) as times from (
          select object_id, times from reported where type = 'trade.reverted'
          union all
          select coalesce(detail ->> 'order_id', substr(detail ->> 'redemption_id', 5))::uuid, 1
            from dead_letters where reason = 'vanished' and detail ->> 'trade_id' is null
        ) as each (id, times) group by id
      )
      select due.what || due.id, due.type || ' was reported ' || coalesce(reported.times, 0) || ' times'
      from due left join reported on reported.object_id = due.id and reported.type = due.type
        left join undone on undone.id = due.id
      where due.at > ${kept} and coalesce(reported.times, 0) not between 1 and 1 + coalesce(undone.times, 0)
      union all
      select 'trades trd_' || trade.object_id, 'was reported as confirmed and as expired'
        from reported trade join reported expired on expired.object_id = trade.object_id and expired.type = 'trade.expired'
        where trade.type = 'trade.confirmed' and not exists (
          select from reported reverted where reverted.object_id = trade.object_id and reverted.type = 'trade.reverted')`,
  });

const checkDeliveries = (tx: Tx, kept: ReturnType<typeof sql>): Promise<Verdict> =>
  follow(tx, {
    invariant: 'deliveries',
    holds: 'Every delivery is of an event of the partner of its endpoint, once, and none was left out',
    count: sql`select count(*) from webhook_deliveries`,
    noun: ['delivery', 'deliveries'],
    broken: sql`
      select 'webhook_deliveries dlv_' || delivery.id, 'is of event ' || delivery.sequence || ', which is not there or another one'
        from webhook_deliveries delivery join webhook_endpoints endpoint on endpoint.id = delivery.endpoint_id
        where delivery.event_created_at > ${kept} and not exists (select from events event where event.partner_id = endpoint.partner_id
          and event.sequence = delivery.sequence and event.type::text = delivery.type and event.created_at = delivery.event_created_at)
      union all
      select 'webhook_deliveries dlv_' || min(id::text), 'is one of ' || count(*) || ' of the same event' from webhook_deliveries
        group by endpoint_id, sequence having count(*) > 1
      union all
      select 'webhook_endpoints we_' || endpoint.id, 'was given events up to ' || endpoint.planned_sequence || ', and there are ' || coalesce(counter.last, 0)
        from webhook_endpoints endpoint left join event_counters counter using (partner_id)
        where endpoint.planned_sequence > coalesce(counter.last, 0)
      union all
      select 'webhook_endpoints we_' || endpoint.id, 'was not given event ' || event.sequence
        from webhook_endpoints endpoint join events event on event.partner_id = endpoint.partner_id
        where event.created_at > greatest(${kept}, endpoint.created_at + interval '1 minute') and event.sequence <= endpoint.planned_sequence
          and (endpoint.types is null or event.type::text = any(endpoint.types)) and endpoint.status = 'active'
          and endpoint.updated_at = endpoint.created_at and not exists (
            select from webhook_deliveries delivery where delivery.endpoint_id = endpoint.id and delivery.sequence = event.sequence)`,
  });
