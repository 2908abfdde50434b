import { type SQL, sql } from 'drizzle-orm';
import { cityKey } from '../../domain/redemption.js';
import type { Db, Tx } from '../client.js';

/** Bars of one denomination in one city, and the redemptions that wait for one. */
export interface Stock {
  denominationId: string;
  /** Label of the denomination. */
  denomination: string;
  weightG: string;
  city: string;
  inStock: number;
  reserved: number;
  /** Redemptions under way that no bar is reserved for yet. */
  waiting: number;
}

export interface StockFilter {
  denominationIds?: readonly string[] | undefined;
  /** In any case. */
  city?: string | undefined;
}

/**
 * Returns the stock of every city and denomination that is offered, or that has bars or redemptions waiting, by city and
 * weight.
 */
export async function findStock(db: Db | Tx, { denominationIds, city }: StockFilter = {}): Promise<Stock[]> {
  const within = (id: SQL): SQL => {
    const ofIds = denominationIds && sql`${id} = any(${sql.param([...denominationIds])}::text[])`;
    const ofCity = city === undefined ? sql`true` : sql`city_key = ${cityKey(city)}`;
    return ofIds ? sql`${ofIds} and ${ofCity}` : ofCity;
  };
  const rows = await db.execute<{
    id: string;
    label: string;
    weight_g: string;
    city: string;
    in_stock: number;
    reserved: number;
    waiting: number;
  }>(sql`
    with held as (
      select denomination_id as id, city_key, min(city) as city,
        count(*) filter (where status = 'in_stock')::int as in_stock, count(*) filter (where status = 'reserved')::int as reserved
      from bars where status in ('in_stock', 'reserved') and ${within(sql`denomination_id`)} group by 1, 2
    ), wanted as (
      select denomination_id as id, city_key, min(city) as city, count(*)::int as waiting
      from redemptions
      where status in ('submitted', 'preparing', 'ready') and ${within(sql`denomination_id`)}
        and not exists (select from bars where bars.redemption_id = redemptions.id)
      group by 1, 2
    ), places as (
      select id, city_key, city, 1 as rank from denominations where active and ${within(sql`id`)}
      union all select id, city_key, city, 2 from held
      union all select id, city_key, city, 3 from wanted
    ), named as (select distinct on (id, city_key) id, city_key, city from places order by id, city_key, rank)
    select id, label, piece.weight_g::text as weight_g, city, coalesce(in_stock, 0) as in_stock, coalesce(reserved, 0) as reserved,
      coalesce(waiting, 0) as waiting
    from named
      join (select id, label, weight_g from denominations) as piece using (id)
      left join (select id, city_key, in_stock, reserved from held) as there using (id, city_key)
      left join (select id, city_key, waiting from wanted) as due using (id, city_key)
    order by city_key, piece.weight_g, id`);
  return rows.map(({ id, label, weight_g: weightG, in_stock: inStock, ...row }) => ({
    ...row,
    denominationId: id,
    denomination: label,
    weightG,
    inStock,
  }));
}
