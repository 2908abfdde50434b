import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client';
import { findRows, useLive, useLost } from '../api/live';
import { api, type Schemas, useMe } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { BarChart } from '../ui/charts';
import { approvalName, formatClock, formatSeconds, secondsSince, withUnit } from '../ui/format';
import { Amount, Badge, PageHead, Panel, TextLink, type Tone } from '../ui/parts';
import { Empty, Loaded } from '../ui/states';
import { Table } from '../ui/table';
import { PricePanel } from './price-panel';
import { Assignee, StatusBadge, Waiting } from './redemption-parts';

const t = text.today;
type Summary = Schemas['GetSummaryResult'];

const stages = [
  ['submitted', t.toPrepare],
  ['preparing', t.inPreparation],
  ['ready', t.toCollect],
  ['cancellation_requested', t.toCancel],
] as const;

export function Today() {
  const me = useMe();
  const summary = useLive(['summary'], () => call(api.GET('/operator/v1/summary')));
  return (
    <>
      <PageHead title={t.title} lead={fill(t.greeting, { name: me.name })} />
      <Loaded of={summary}>
        {(day) => (
          <>
            <Tiles day={day} />
            <div className="columns">
              <div className="stack">
                <WaitingList day={day} />
                <Trades day={day} />
              </div>
              <div className="stack">
                <PricePanel price={day.price} />
                <Health day={day} />
                <ApprovalList />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function Tiles({ day }: { day: Summary }) {
  return (
    <div className="tiles">
      {stages.map(([stage, label]) => {
        const found = day.redemptions.find(({ status }) => status === stage);
        return (
          <Link key={stage} to="/redemptions" search={{ status: stage, order: 'asc' }} className="tile">
            <span>{label}</span>
            <strong>{found?.count ?? 0}</strong>
            <small>
              {found?.over_one_day
                ? fill(t.overOneDay, { count: found.over_one_day })
                : found?.oldest_at
                  ? fill(t.oldest, { age: formatSeconds(secondsSince(found.oldest_at)) })
                  : t.none}
            </small>
          </Link>
        );
      })}
    </div>
  );
}

/** How many of the oldest are shown: all may have one status. */
const oldestShown = 8;

function WaitingList({ day }: { day: Summary }) {
  const oldest = useLive(['redemptions', 'oldest'], async () => {
    const pages = await Promise.all(
      stages.map(([status]) =>
        call(
          api.GET('/operator/v1/redemptions', { params: { query: { status, limit: String(oldestShown) } } }),
        ),
      ),
    );
    return pages
      .flatMap(({ redemptions }) => redemptions)
      .sort((a, b) => a.created_at.localeCompare(b.created_at))
      .slice(0, oldestShown);
  });
  return (
    <Panel
      title={t.waiting}
      actions={
        <Text size="sm" c="dimmed">
          {t.oldestFirst}
        </Text>
      }
    >
      <div className="chips">
        {day.waiting.map(({ city, submitted, preparing, ready, cancellation_requested }) => (
          <Link key={city} to="/redemptions" search={{ city }} className="chip">
            {city} <strong>{submitted + preparing + ready + cancellation_requested}</strong>
          </Link>
        ))}
      </div>
      <Loaded of={oldest}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={t.nothing} body={t.nothingWaits} />
          ) : (
            <Table
              label={t.waiting}
              rows={rows}
              keyOf={({ redemption_id }) => redemption_id}
              href={({ redemption_id }) => `/redemptions/${redemption_id}`}
              columns={[
                { header: text.redemptions.columns.item, cell: ({ denomination }) => denomination },
                { header: text.redemptions.columns.city, cell: ({ city }) => city },
                {
                  header: text.redemptions.columns.status,
                  cell: ({ status }) => <StatusBadge status={status} />,
                },
                {
                  header: text.redemptions.columns.assignee,
                  wide: true,
                  cell: (one) => <Assignee of={one} />,
                },
                {
                  header: text.redemptions.columns.waiting,
                  right: true,
                  cell: (one) => <Waiting of={one} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Trades({ day: { trade_days: days, trades_today: today } }: { day: Summary }) {
  const points = days.map(({ day, usdc, buys, sells }) => ({
    label: `${day}: ${withUnit(usdc, 'USDC')}, ${fill(t.tradeCount, { count: buys + sells })}`,
    value: usdc,
  }));
  return (
    <Panel title={t.trades} actions={<TextLink to="/trades">{text.nav.trades}</TextLink>}>
      <p className="figure">
        <Amount value={today.usdc} unit="USDC" headline />{' '}
        <small className="dimmed">{fill(t.tradesToday, { count: today.buys + today.sells })}</small>
      </p>
      <BarChart points={points} label={fill(t.tradeChart, { count: days.length })} />
    </Panel>
  );
}

const tones: Record<string, Tone> = { ok: 'good', warning: 'warn', failed: 'bad' };

/** How the service is; without a connection nothing is known of that, whatever was shown before. */
function Health({ day: { health, open_dead_letters: left } }: { day: Summary }) {
  const lost = useLost();
  const toned = (tone: Tone): Tone => (lost ? 'quiet' : tone);
  return (
    <Panel
      title={t.health}
      actions={
        lost ? (
          <Text size="sm" c="dimmed">
            {fill(text.connection.asOf, { time: formatClock(lost.heardAt) })}
          </Text>
        ) : null
      }
    >
      <ul className="health">
        {health.map(({ part, status, message }) => (
          <li key={part}>
            <Badge tone={toned(tones[status] ?? 'calm')}>{t.parts[part]}</Badge>
            <p>{message}</p>
          </li>
        ))}
        <li>
          <Badge tone={toned(left === 0 ? 'good' : 'warn')}>{text.nav.deadLetters}</Badge>
          <p>
            {left === 0 ? (
              t.noDeadLetters
            ) : (
              <TextLink to="/dead-letters">{fill(t.deadLetters, { count: left })}</TextLink>
            )}
          </p>
        </li>
      </ul>
    </Panel>
  );
}

const approvalsShown = 5;

function ApprovalList() {
  const decidable = useLive(['approvals', 'decidable'], () =>
    findRows(
      (cursor) =>
        call(api.GET('/operator/v1/approvals', { params: { query: { status: 'pending', cursor } } })),
      ({ approvals }) => approvals,
      ({ available_actions: actions }) => actions.length > 0,
      approvalsShown,
    ),
  );
  return (
    <Panel title={t.approvals}>
      <Loaded of={decidable}>
        {(mine) => {
          if (mine.length === 0) return <Text c="dimmed">{t.noApprovals}</Text>;
          return (
            <ul className="plain">
              {mine.map(({ approval_id, action, requested_by_name }) => (
                <li key={approval_id}>
                  <TextLink to="/approvals">{approvalName(action)}</TextLink>{' '}
                  <span className="dimmed">{fill(text.redemptions.by, { name: requested_by_name })}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}
