import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { call } from '../api/client';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { Choice, type Filters, useFilters } from '../ui/filters';
import { shorten } from '../ui/format';
import { List } from '../ui/list';
import { AssigneeFilter, CityFilter, CustomerFilter, PartnerFilter, PartnerName } from '../ui/names';
import { Amount, PageHead, Time } from '../ui/parts';
import { Loading } from '../ui/states';
import type { Column } from '../ui/table';
import { FindCustomer } from './find-customer';
import { Assignee, type RedemptionStatus, StatusBadge, Waiting } from './redemption-parts';

type Redemption = Schemas['Redemption'];
const t = text.redemptions;

const columns: Column<Redemption>[] = [
  {
    header: t.columns.redemption,
    cell: ({ redemption_id }) => <span className="mono nowrap">{shorten(redemption_id)}</span>,
  },
  { header: t.columns.status, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: t.columns.item,
    cell: ({ denomination, city }) => (
      <div className="two-lines">
        <span>{denomination}</span>
        <span>{city}</span>
      </div>
    ),
  },
  {
    header: t.columns.value,
    right: true,
    wide: true,
    cell: ({ quote }) => <Amount value={quote.gold_value_usd} unit="USD" />,
  },
  {
    header: t.columns.customer,
    wide: true,
    cell: ({ user_id, partner_id }) => (
      <div className="two-lines">
        <span className="name">{user_id}</span>
        <PartnerName id={partner_id} />
      </div>
    ),
  },
  { header: t.columns.assignee, cell: (one) => <Assignee of={one} /> },
  { header: t.columns.waiting, right: true, cell: (one) => <Waiting of={one} /> },
  { header: t.columns.created, wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const Board = lazy(() => import('./redemption-board'));

export function Redemptions() {
  const filters = useFilters();
  const { view } = filters.values;
  const board = view === 'board';
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          <>
            <FindCustomer />
            <SegmentedControl
              aria-label={t.view}
              value={board ? 'board' : 'table'}
              onChange={(value) => filters.set({ view: value === 'board' ? 'board' : undefined })}
              data={Object.entries(t.views).map(([value, label]) => ({ value, label }))}
            />
          </>
        }
      />
      {board ? (
        <Suspense fallback={<Loading />}>
          <Board filters={filters} />
        </Suspense>
      ) : (
        <RedemptionTable filters={filters} />
      )}
    </>
  );
}

function RedemptionTable({ filters }: { filters: Filters }) {
  const {
    status,
    city,
    order,
    settled,
    partner_id,
    service_user_id,
    assigned_to,
    view: _,
    ...others
  } = filters.values;
  const query = {
    status: status as RedemptionStatus,
    city,
    settled: settled as 'true',
    order: (order as 'asc') ?? 'desc',
    partner_id,
    service_user_id,
    assigned_to,
  };
  const { order: _order, ...chosen } = { ...others, ...query };
  const filtered = Object.values(chosen).some(Boolean);
  return (
    <List
      filters={filters}
      path="redemptions"
      query={query}
      read={(whole) => call(api.GET('/operator/v1/redemptions', { params: { query: whole } }))}
      label={t.title}
      rows={(page) => page.redemptions}
      columns={columns}
      keyOf={({ redemption_id }) => redemption_id}
      href={({ redemption_id }) => `/redemptions/${redemption_id}`}
      empty={filtered ? { title: t.empty, body: t.emptyBody } : { title: t.none, body: t.noneBody }}
    >
      <Choice filters={filters} name="status" label={t.filters.status} options={t.status} />
      <CityFilter filters={filters} />
      <AssigneeFilter filters={filters} />
      <PartnerFilter filters={filters} />
      <CustomerFilter filters={filters} />
      <Choice filters={filters} name="settled" label={t.filters.settled} options={t.settled} />
      <Choice
        filters={filters}
        name="order"
        label={t.filters.order}
        options={t.order}
        without={t.order.desc}
      />
    </List>
  );
}
