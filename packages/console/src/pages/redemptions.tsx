import type { Schemas } from '../api/client';
import { api, call } from '../api/client';
import { useRows } from '../api/live';
import { text } from '../text';
import { Choice, CommonFilters, CsvButton, commonQuery, TextFilter, useFilters } from '../ui/filters';
import { shorten } from '../ui/format';
import { Amount, PageHead, Time } from '../ui/parts';
import { type Column, Rows } from '../ui/table';
import { isWaiting, type RedemptionStatus, StatusBadge, Waiting } from './redemption-parts';

type Redemption = Schemas['Redemption'];
const t = text.redemptions;

const columns: Column<Redemption>[] = [
  {
    header: t.columns.redemption,
    cell: ({ redemption_id }) => <span className="mono">{shorten(redemption_id, 12)}</span>,
  },
  { header: t.columns.status, cell: ({ status }) => <StatusBadge status={status} /> },
  { header: t.columns.item, cell: ({ denomination }) => denomination },
  { header: t.columns.city, cell: ({ city }) => city },
  {
    header: t.columns.value,
    right: true,
    wide: true,
    cell: ({ quote }) => <Amount value={quote.gold_value_usd} unit="USD" />,
  },
  {
    header: t.columns.waiting,
    right: true,
    cell: ({ status, updated_at }) => (isWaiting(status) ? <Waiting since={updated_at} /> : text.common.none),
  },
  { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

export function Redemptions() {
  const filters = useFilters();
  const { status, city, order, settled, partner_id, service_user_id } = filters.values;
  const query = {
    ...commonQuery(filters.values),
    status: status as RedemptionStatus,
    city,
    settled: settled as 'true',
    order: (order as 'asc') ?? 'desc',
    partner_id,
    service_user_id,
  };
  const list = useRows(['redemptions', filters.values], (cursor) =>
    call(api.GET('/operator/v1/redemptions', { params: { query: { ...query, cursor, limit: '50' } } })),
  );
  const filtered = Object.keys(filters.values).length > 0;
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={<CsvButton path="/operator/v1/redemptions" query={query} />}
      />
      <CommonFilters filters={filters}>
        <Choice filters={filters} name="status" label={t.filters.status} options={t.status} />
        <TextFilter filters={filters} name="city" label={t.filters.city} />
        <Choice filters={filters} name="settled" label={t.filters.settled} options={t.settled} />
        <Choice filters={filters} name="order" label={t.filters.order} options={t.order} />
      </CommonFilters>
      <Rows
        label={t.title}
        of={list}
        rows={(page) => page.redemptions}
        columns={columns}
        keyOf={({ redemption_id }) => redemption_id}
        href={({ redemption_id }) => `/redemptions/${redemption_id}`}
        empty={filtered ? { title: t.empty, body: t.emptyBody } : { title: t.none, body: t.noneBody }}
      />
    </>
  );
}
