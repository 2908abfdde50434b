import { useMemo } from 'react';
import { call } from '../api/client';
import { PriceView } from '../ui/price-view';
import { api, type Schemas } from './api';

/** The chart of the price, with what the customers of the partner pay and get. */
export function Course({ now, partner }: { now: Schemas['Price'] | undefined; partner: Schemas['Me'] }) {
  const { price_per_troy_oz: price, as_of: at, market } = now ?? {};
  const live = useMemo(
    () =>
      price === undefined || at === undefined
        ? undefined
        : { point: [Date.parse(at), price] as [number, number], isClosed: market === 'closed' },
    [price, at, market],
  );
  const { open_fee_bps: openBps, closed_fee_bps: closedBps } = partner;
  const fees = useMemo(
    () => (openBps === null || closedBps === null ? undefined : { openBps, closedBps }),
    [openBps, closedBps],
  );
  return (
    <PriceView
      live={live}
      read={(query) => call(api.GET('/v1/price/history', { params: { query } }))}
      fees={fees}
    />
  );
}
