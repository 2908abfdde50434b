import { Button, Text } from '@mantine/core';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { text } from '../text';
import { records } from '../text/portal/records';
import { Amount, Badge, Panel, TextLink, Time, type Tone } from '../ui/parts';
import { Loaded, type Read } from '../ui/states';
import { type Column, Table } from '../ui/table';
import { api, type Schemas } from './api';

export type Trade = Schemas['Trade'];
export type Redemption = Schemas['Redemption'];

const words = text.trades;

export function TradeBadge({ of: { status, reason } }: { of: Pick<Trade, 'status' | 'reason'> }) {
  return (
    <span title={reason}>
      <Badge tone={status === 'confirmed' ? 'good' : 'bad'}>{words.status[status]}</Badge>
    </span>
  );
}

const tones: Record<Redemption['status'], Tone> = {
  submitted: 'calm',
  preparing: 'calm',
  ready: 'good',
  collected: 'quiet',
  cancellation_requested: 'warn',
  cancelled: 'quiet',
  failed: 'bad',
};

export function RedemptionBadge({ status }: { status: Redemption['status'] }) {
  return <Badge tone={tones[status]}>{records.redemptions.status[status]}</Badge>;
}

/** What a list of trades shows of each, the first of which leads to its page. */
export const tradeColumns: Column<Trade>[] = [
  { header: words.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
  { header: words.columns.side, cell: ({ side }) => words.side[side] },
  { header: words.columns.status, cell: (trade) => <TradeBadge of={trade} /> },
  {
    header: words.columns.gold,
    right: true,
    cell: ({ gold_amount }) => <Amount value={gold_amount} unit="GOLD" />,
  },
  {
    header: words.columns.usdc,
    right: true,
    cell: ({ usdc_amount }) => <Amount value={usdc_amount} unit="USDC" />,
  },
];

/** What a list of redemptions shows of each. */
export const redemptionColumns: Column<Redemption>[] = [
  { header: text.redemptions.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    header: text.redemptions.columns.item,
    cell: ({ denomination, city }) => (
      <div className="two-lines">
        <span>{denomination}</span>
        <span>{city}</span>
      </div>
    ),
  },
  { header: text.redemptions.columns.status, cell: ({ status }) => <RedemptionBadge status={status} /> },
  {
    header: text.redemptions.columns.value,
    right: true,
    cell: ({ quote }) => <Amount value={quote.gold_value_usd} unit="USD" />,
  },
];

/** A panel of the newest trades or redemptions of a partner or a customer; `search` is the filter of the list with all of them. */
interface LatestProps {
  title: string;
  search?: Record<string, string>;
}

const newest = '5';

export const useLatestTrades = (search: Record<string, string> = {}) =>
  useLive(['trades', 'latest', search], () =>
    call(api.GET('/v1/trades', { params: { query: { ...search, limit: newest } } })),
  );

export function LatestTrades({ title, search = {} }: LatestProps) {
  return (
    <Latest
      {...{ title, search }}
      none={records.customers.noTrades}
      list="/trades"
      of={useLatestTrades(search)}
      rows={({ trades }) => trades}
      columns={tradeColumns}
      idOf={({ trade_id }) => trade_id}
    />
  );
}

export function LatestRedemptions({ title, search = {} }: LatestProps) {
  const latest = useLive(['redemptions', 'latest', search], () =>
    call(api.GET('/v1/redemptions', { params: { query: { ...search, limit: newest } } })),
  );
  return (
    <Latest
      {...{ title, search }}
      none={records.customers.noRedemptions}
      list="/redemptions"
      of={latest}
      rows={({ redemptions }) => redemptions}
      columns={redemptionColumns}
      idOf={({ redemption_id }) => redemption_id}
    />
  );
}

function Latest<Page, Row>({
  title,
  none,
  search,
  list,
  of,
  rows,
  columns,
  idOf,
}: Required<LatestProps> & {
  none: string;
  list: string;
  of: Read<Page>;
  rows: (page: Page) => Row[];
  columns: Column<Row>[];
  idOf: (row: Row) => string;
}) {
  return (
    <Panel
      title={title}
      actions={
        <TextLink to={list} search={search}>
          {text.common.all}
        </TextLink>
      }
    >
      <Loaded of={of}>
        {(page) =>
          rows(page).length === 0 ? (
            <Text c="dimmed">{none}</Text>
          ) : (
            <Table
              label={title}
              rows={rows(page)}
              columns={columns}
              keyOf={idOf}
              href={(row) => `${list}/${idOf(row)}`}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** What the log of events has of a thing, oldest first. */
export function Events({ id, place }: { id: string; place: string }) {
  const log = useLive([place, id, 'events'], () =>
    call(api.GET('/v1/events', { params: { query: { object_id: id } } })),
  );
  return (
    <Loaded of={log}>
      {({ events }) =>
        events.length === 0 ? (
          <Text c="dimmed">{records.trades.noEvents}</Text>
        ) : (
          <ol className="history">
            {events.map(({ id: eventId, type, created_at }) => (
              <li key={eventId}>
                <strong>{records.events[type] ?? type}</strong> <Time at={created_at} />
              </li>
            ))}
          </ol>
        )
      }
    </Loaded>
  );
}

/** Opens the receipt, which is a file of its own. */
export function ReceiptButton({ path, label }: { path: string; label: string }) {
  return (
    <Button variant="default" component="a" href={path} target="_blank" rel="noreferrer">
      {label}
    </Button>
  );
}
