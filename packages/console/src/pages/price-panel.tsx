import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/operator';
import { loadPriceCourse } from '../app/page-parts';
import { text } from '../text';
import { formatAmount } from '../ui/format';
import { Panel } from '../ui/parts';
import { Loaded } from '../ui/states';

const t = text.priceChart;

/** The price of now, and its course, with what customers of a partner pay and get. */
export function PricePanel({ price: now }: { price: Schemas['PriceOfTheDay'] }) {
  const { price, status } = now;
  const code = useQuery({
    queryKey: ['code', 'price-course'],
    queryFn: loadPriceCourse,
    staleTime: 'static',
  });
  return (
    <Panel title={t.title}>
      {price === null ? (
        <Text c="dimmed">{t.words.none}</Text>
      ) : (
        <p className="figure">
          <span className="amount">{formatAmount(price, 'USD')}</span>{' '}
          <small className="dimmed">
            {t.perOunce}
            {status === 'fresh' ? null : ` · ${t.status[status]}`}
          </small>
        </p>
      )}
      <Loaded of={code}>{({ Course }) => <Course now={now} />}</Loaded>
    </Panel>
  );
}
