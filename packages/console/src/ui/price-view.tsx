import { Group, SegmentedControl } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { useLive } from '../api/live';
import { text } from '../text';
import { type PriceCourse, type PricePoint, type PriceRange, priceRanges } from './price-chart.js';
import { PriceFigure } from './price-figure';
import { Loaded } from './states';

const t = text.priceChart;

/** Candles and closed times, as both APIs have them. */
interface History {
  candles: { at: string; open: number }[];
  closures: { from: string; to: string }[];
}

/** The chart of the price, with the choice of its range; `children` are further choices. */
export function PriceView({
  live,
  read,
  fees,
  children,
}: {
  live: { point: PricePoint; isClosed: boolean } | undefined;
  read: (query: { interval: '1m' | '5m' | '1h' | '1d'; from: string }) => Promise<History>;
  fees: PriceCourse['fees'];
  children?: ReactNode;
}) {
  const [range, setRange] = useState<PriceRange>('hour');
  const history = useLive(['price', range], () => {
    const { interval, lengthMs } = priceRanges[range];
    return read({ interval, from: new Date(Date.now() - lengthMs).toISOString() });
  });
  const course = useMemo(
    () => history.data && { range, ...partsOf(history.data), live, fees },
    [range, history.data, live, fees],
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
        {children}
      </Group>
      <div className="price-room">
        <Loaded of={{ ...history, data: course }}>{(shown) => <PriceFigure course={shown} />}</Loaded>
      </div>
    </>
  );
}

function partsOf({ candles, closures }: History): Pick<PriceCourse, 'opens' | 'closures'> {
  return {
    opens: candles.map(({ at, open }) => [Date.parse(at), open]),
    closures: closures.map(({ from, to }) => [Date.parse(from), Date.parse(to)]),
  };
}
