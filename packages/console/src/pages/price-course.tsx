import { Group, SegmentedControl, Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { call } from '../api/client';
import { readAll, useLive } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { type PriceCourse, type PriceRange, priceRanges } from '../ui/price-chart.js';
import { PriceFigure } from '../ui/price-figure';
import { Loaded } from '../ui/states';

const t = text.priceChart;

const noFees = 'none';

/** The chart of the price, with the choice of its range and of the partner whose fees it shows. */
export function Course({ now }: { now: Schemas['PriceOfTheDay'] }) {
  const [range, setRange] = useState<PriceRange>('hour');
  const [partner, setPartner] = useState<string>();
  const partners = usePartnerFees();
  const chosen = partner ?? partners?.[0]?.id ?? noFees;
  const fees = partners?.find(({ id }) => id === chosen)?.fees;
  const history = useLive(['price', range], () => readHistory(range));
  const course = useMemo(
    () => history.data && courseOf(range, history.data, now, fees),
    [range, history.data, now, fees],
  );
  return (
    <>
      <Group gap="xs" justify="space-between" className="price-choices">
        <SegmentedControl
          size="xs"
          aria-label={t.range}
          value={range}
          onChange={(value) => setRange(value as PriceRange)}
          data={Object.entries(t.ranges).map(([value, label]) => ({ value, label }))}
        />
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
      </Group>
      <div className="price-room">
        <Loaded of={{ ...history, data: course }}>{(shown) => <PriceFigure course={shown} />}</Loaded>
      </div>
    </>
  );
}

function readHistory(range: PriceRange) {
  const { interval, lengthMs } = priceRanges[range];
  const from = new Date(Date.now() - lengthMs).toISOString();
  return call(api.GET('/operator/v1/price/history', { params: { query: { interval, from } } }));
}

function courseOf(
  range: PriceRange,
  { candles, closures }: Schemas['ListPriceHistoryResult'],
  { price, publish_time: at, market }: Schemas['PriceOfTheDay'],
  fees: PriceCourse['fees'],
): PriceCourse {
  return {
    range,
    opens: candles.map(({ at, open }) => [Date.parse(at), open]),
    live:
      price === null || at === null
        ? undefined
        : { point: [Date.parse(at), price], isClosed: market === 'closed' },
    closures: closures.map(({ from, to }) => [Date.parse(from), Date.parse(to)]),
    fees,
  };
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
