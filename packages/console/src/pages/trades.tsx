import { api, call, type Schemas } from '../api/client';
import { useRows } from '../api/live';
import { text } from '../text';
import { Choice, CommonFilters, CsvButton, commonQuery, TextFilter, useFilters } from '../ui/filters';
import { Amount, Badge, Id, PageHead, Time } from '../ui/parts';
import { Rows } from '../ui/table';

const t = text.trades;
type Trade = Schemas['Trade'];

export function Trades() {
  const filters = useFilters();
  const { partner_id, service_user_id, side, status } = filters.values;
  const query = {
    ...commonQuery(filters.values),
    partner_id,
    service_user_id,
    side: side as Trade['side'],
    status: status as Trade['status'],
  };
  const list = useRows(['trades', filters.values], (cursor) =>
    call(api.GET('/operator/v1/trades', { params: { query: { ...query, cursor, limit: '50' } } })),
  );
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={<CsvButton path="/operator/v1/trades" query={query} />}
      />
      <CommonFilters filters={filters}>
        <Choice filters={filters} name="side" label={t.columns.side} options={t.side} />
        <Choice filters={filters} name="status" label={t.columns.status} options={t.status} />
        <TextFilter filters={filters} name="partner_id" label={t.columns.partner} />
      </CommonFilters>
      <Rows
        label={t.title}
        of={list}
        rows={({ trades }) => trades}
        keyOf={({ trade_id }) => trade_id}
        columns={[
          { header: t.columns.trade, cell: ({ trade_id }) => <Id value={trade_id} head={12} /> },
          { header: t.columns.side, cell: ({ side }) => t.side[side] },
          {
            header: t.columns.status,
            cell: ({ status, failure_reason }) => (
              <span title={failure_reason ?? undefined}>
                <Badge tone={status === 'confirmed' ? 'good' : 'bad'}>{t.status[status]}</Badge>
              </span>
            ),
          },
          {
            header: t.columns.gold,
            right: true,
            cell: (one) => <Amount value={one.gold_amount} unit="GOLD" />,
          },
          {
            header: t.columns.usdc,
            right: true,
            cell: (one) => <Amount value={one.usdc_amount} unit="USDC" />,
          },
          {
            header: t.columns.price,
            right: true,
            wide: true,
            cell: (one) => <Amount value={one.price_per_troy_oz} unit="USD" />,
          },
          { header: t.columns.transaction, wide: true, cell: (one) => <Id value={one.submitted_tx_hash} /> },
          { header: t.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={{ title: t.none, body: t.noneBody }}
      />
    </>
  );
}
