import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { call } from '../api/client';
import { readAll, useLive } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { PriceView } from '../ui/price-view';

const t = text.priceChart;

const noFees = 'none';

/** The chart of the price, with the choice of the partner whose fees it shows. */
export function Course({ now: { price, publish_time: at, market } }: { now: Schemas['PriceOfTheDay'] }) {
  const [partner, setPartner] = useState<string>();
  const partners = usePartnerFees();
  const chosen = partner ?? partners?.[0]?.id ?? noFees;
  const fees = partners?.find(({ id }) => id === chosen)?.fees;
  const live = useMemo(
    () =>
      price === null || at === null
        ? undefined
        : { point: [Date.parse(at), price] as [number, number], isClosed: market === 'closed' },
    [price, at, market],
  );
  return (
    <PriceView
      live={live}
      read={(query) => call(api.GET('/operator/v1/price/history', { params: { query } }))}
      fees={fees}
    >
      {partners?.length ? (
        <Select
          size="xs"
          aria-label={t.fees}
          allowDeselect={false}
          value={chosen}
          onChange={(value) => setPartner(value ?? noFees)}
          data={[
            ...partners.map(({ id, name }) => ({ value: id, label: fill(t.feesOf, { partner: name }) })),
            { value: noFees, label: t.noFees },
          ]}
        />
      ) : null}
    </PriceView>
  );
}

/** The fees of the partners who are on chain; undefined until they are read. */
function usePartnerFees() {
  const { data } = useLive(['partners', 'fees'], () =>
    readAll((cursor) =>
      call(api.GET('/operator/v1/partners', { params: { query: { cursor, limit: '100' } } })),
    ),
  );
  return useMemo(
    () =>
      data
        ?.flatMap(({ partners }) => partners)
        .flatMap(({ partner_id: id, name, onchain }) =>
          onchain
            ? [{ id, name, fees: { openBps: onchain.open_fee_bps, closedBps: onchain.closed_fee_bps } }]
            : [],
        ),
    [data],
  );
}
