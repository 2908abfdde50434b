import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client';
import { useRows } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { commonQuery, type Filters } from '../ui/filters';
import { formatCount, formatTime } from '../ui/format';
import { ListFilters } from '../ui/list';
import { AssigneeFilter, CityFilter, CustomerFilter, PartnerFilter, PartnerName } from '../ui/names';
import { Amount } from '../ui/parts';
import { Failure, Loading } from '../ui/states';
import { moreOf } from '../ui/table';
import { Assignee, type RedemptionStatus, Waiting } from './redemption-parts';

const t = text.redemptions.board;
type Redemption = Schemas['Redemption'];

/** The columns: a row of work at the counter from left to right, and one of what has to be decided and done with tokens. */
const columns: { name: keyof typeof t.columns; status: RedemptionStatus; settled?: 'false' }[] = [
  { name: 'submitted', status: 'submitted' },
  { name: 'preparing', status: 'preparing' },
  { name: 'ready', status: 'ready' },
  { name: 'burn', status: 'collected', settled: 'false' },
  { name: 'cancel', status: 'cancellation_requested' },
  { name: 'refund', status: 'cancelled', settled: 'false' },
];

/** Open redemptions, by the step that they wait for; the oldest of each is at the top. */
export default function RedemptionBoard({ filters }: { filters: Filters }) {
  const { city, partner_id, service_user_id, assigned_to } = filters.values;
  const query = { ...commonQuery(filters.values), city, partner_id, service_user_id, assigned_to };
  return (
    <>
      <ListFilters filters={filters} path="redemptions" query={query}>
        <CityFilter filters={filters} />
        <AssigneeFilter filters={filters} />
        <PartnerFilter filters={filters} />
        <CustomerFilter filters={filters} />
      </ListFilters>
      <section className="board" aria-label={t.label}>
        {columns.map(({ name, ...stage }) => (
          <Column key={name} name={name} query={{ ...query, ...stage }} />
        ))}
      </section>
    </>
  );
}

type Query = NonNullable<Parameters<typeof readPage>[0]>;

const readPage = (query: {
  status: RedemptionStatus;
  settled?: 'false';
  city: string | undefined;
  cursor?: string | undefined;
}) =>
  call(
    api.GET('/operator/v1/redemptions', {
      params: {
        query: { ...query, order: 'asc', limit: '20', total: query.cursor === undefined ? 'true' : 'false' },
      },
    }),
  );

function Column({ name, query }: { name: keyof typeof t.columns; query: Query }) {
  const list = useRows(['redemptions', 'board', query], (cursor) => readPage({ ...query, cursor }));
  const rows = list.data?.pages.flatMap(({ redemptions }) => redemptions);
  const total = list.data?.pages[0]?.total;
  const title = t.columns[name];
  return (
    <section className="board-column" aria-label={title}>
      <h2>
        {title}
        {rows ? (
          <span className="board-count">
            {total ? `${formatCount(total.count)}${total.more ? '+' : ''}` : rows.length}
          </span>
        ) : null}
      </h2>
      {rows ? (
        rows.map((one) => <Card key={one.redemption_id} one={one} />)
      ) : list.error ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : (
        <Loading lines={3} />
      )}
      {rows?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.none}
        </Text>
      ) : null}
      {list.hasNextPage ? (
        <Button
          variant="subtle"
          size="xs"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {moreOf(rows?.length ?? 0, total)}
        </Button>
      ) : null}
    </section>
  );
}

function Card({ one }: { one: Redemption }) {
  return (
    <Link to={`/redemptions/${one.redemption_id}` as string} className="board-card">
      <strong>{one.denomination}</strong>
      <span>{one.city}</span>
      <span className="dimmed">
        {one.user_id} · <PartnerName id={one.partner_id} />
      </span>
      <span className="dimmed">
        <Amount value={one.quote.tokens_required} unit="GOLD" />
      </span>
      {one.burn_due_at ? (
        <span className="dimmed">
          {fill(text.redemptions.burn.dueBadge, { time: formatTime(one.burn_due_at) })}
        </span>
      ) : null}
      <span className="board-foot">
        <span>{one.assignee_id === null ? null : <Assignee of={one} />}</span>
        {one.age === null ? null : <Waiting of={one} />}
      </span>
    </Link>
  );
}
