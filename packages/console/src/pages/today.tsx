import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, call, type Schemas } from '../api/client';
import { useLive, useMe } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { actionName, formatAmount, formatSeconds, withUnit } from '../ui/format';
import { Badge, PageHead, Panel, type Tone } from '../ui/parts';
import { Empty, Loaded } from '../ui/states';
import { Table } from '../ui/table';
import { StatusBadge, Waiting } from './redemption-parts';

const t = text.today;
type Redemption = Schemas['Redemption'];

const stages = [
  ['submitted', t.toPrepare],
  ['preparing', t.inPreparation],
  ['ready', t.toCollect],
  ['cancellation_requested', t.toCancel],
] as const;

type Stage = (typeof stages)[number][0];

/** More than this many are shown as such. */
const most = 100;

export function Today() {
  const me = useMe();
  const waiting = useLive(['redemptions', 'waiting'], readWaiting);
  return (
    <>
      <PageHead title={t.title} lead={fill(t.greeting, { name: me.name })} />
      <Loaded of={waiting}>
        {(byStage) => (
          <>
            <div className="tiles">
              {stages.map(([stage, label]) => (
                <Link key={stage} to="/redemptions" search={{ status: stage, order: 'asc' }} className="tile">
                  <span>{label}</span>
                  <strong>{countOf(byStage[stage])}</strong>
                </Link>
              ))}
            </div>
            <div className="columns">
              <WaitingList rows={stages.flatMap(([stage]) => byStage[stage])} />
              <div className="stack">
                <ApprovalList />
                <Health />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

const countOf = (rows: unknown[]) => (rows.length >= most ? `${most}+` : String(rows.length));

async function readWaiting(): Promise<Record<Stage, Redemption[]>> {
  const lists = await Promise.all(
    stages.map(([status]) =>
      call(api.GET('/operator/v1/redemptions', { params: { query: { status, limit: String(most) } } })),
    ),
  );
  const entries = stages.map(([stage], index) => [stage, lists[index]?.redemptions ?? []]);
  return Object.fromEntries(entries) as Record<Stage, Redemption[]>;
}

function WaitingList({ rows }: { rows: Redemption[] }) {
  const oldest = [...rows].sort((a, b) => a.updated_at.localeCompare(b.updated_at)).slice(0, 8);
  const counts = new Map<string, number>();
  for (const { city } of rows) counts.set(city, (counts.get(city) ?? 0) + 1);
  const cities = [...counts].sort(([, a], [, b]) => b - a);
  return (
    <Panel
      title={t.waiting}
      actions={
        <Text size="sm" c="dimmed">
          {t.oldestFirst}
        </Text>
      }
    >
      {rows.length === 0 ? (
        <Empty title={t.nothing} body={t.nothingWaits} />
      ) : (
        <>
          <div className="chips">
            {cities.map(([city, count]) => (
              <Link key={city} to="/redemptions" search={{ city }} className="chip">
                {city} <strong>{count}</strong>
              </Link>
            ))}
          </div>
          <Table
            label={t.waiting}
            rows={oldest}
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
                header: text.redemptions.columns.waiting,
                right: true,
                cell: ({ updated_at }) => <Waiting since={updated_at} />,
              },
            ]}
          />
        </>
      )}
    </Panel>
  );
}

function ApprovalList() {
  const me = useMe();
  const pending = useLive(['approvals', 'pending'], () =>
    call(api.GET('/operator/v1/approvals', { params: { query: { status: 'pending' } } })),
  );
  return (
    <Panel title={t.approvals}>
      <Loaded of={pending}>
        {({ approvals }) => {
          const others = approvals.filter(({ requested_by }) => requested_by !== me.operator_id);
          if (others.length === 0) return <Text c="dimmed">{t.noApprovals}</Text>;
          return (
            <ul className="plain">
              {others.slice(0, 5).map(({ approval_id, action, requested_by_name }) => (
                <li key={approval_id}>
                  <Anchor component={Link} to="/approvals">
                    {actionName(action)}
                  </Anchor>{' '}
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

function Health() {
  const price = useLive(['price'], () => call(api.GET('/operator/v1/price')));
  const chain = useLive(['chain'], () => call(api.GET('/operator/v1/chain/status')));
  const indexer = useLive(['indexer'], () => call(api.GET('/operator/v1/indexer')));
  const treasury = useLive(['treasury'], () => call(api.GET('/operator/v1/treasury')));
  return (
    <Panel title={t.health}>
      <ul className="health">
        <Sign name={t.price} of={price} say={sayPrice} />
        <Sign name={t.chain} of={chain} say={sayChain} />
        <Sign name={t.indexer} of={indexer} say={sayIndexer} />
        <Sign name={t.treasury} of={treasury} say={sayTreasury} />
      </ul>
    </Panel>
  );
}

interface Said {
  tone: Tone;
  words: string;
  figure?: ReactNode;
}

function Sign<T>({
  name,
  of,
  say,
}: {
  name: string;
  of: { data: T | undefined; error: unknown };
  say: (data: T) => Said;
}) {
  if (of.data === undefined && !of.error) return null;
  const { tone, words, figure } =
    of.data === undefined
      ? ({ tone: 'bad', words: text.failure.unreachable } satisfies Said as Said)
      : say(of.data);
  return (
    <li>
      <div>
        <Badge tone={tone}>{name}</Badge>
        {figure}
      </div>
      <p>{words}</p>
    </li>
  );
}

const h = t.healthText;

function sayPrice({ price, status, fault, age_seconds }: Schemas['OraclePrice']): Said {
  const figure =
    price === null ? null : (
      <strong className="amount">
        {formatAmount(price, 'USD')} <span className="unit">{t.perOunce}</span>
      </strong>
    );
  const reason = fault === null ? '' : `${fault}.`;
  if (status === 'fresh')
    return { tone: 'good', words: fill(h.priceFresh, { age: formatSeconds(age_seconds ?? 0) }), figure };
  const words = fill(status === 'stale' ? h.priceStale : h.priceUnavailable, { fault: reason });
  return { tone: 'bad', words, figure };
}

function sayChain({ paused, market }: Schemas['ChainStatus']): Said {
  const stopped = Object.entries(paused).flatMap(([what, is]) =>
    is ? [t.paused[what as keyof typeof t.paused]] : [],
  );
  if (stopped.length > 0) return { tone: 'bad', words: fill(h.paused, { what: stopped.join(', ') }) };
  return { tone: 'good', words: fill(h.trading, { market: t.market[market] }) };
}

function sayIndexer({ lag_seconds, led, dead_letters }: Schemas['GetIndexerResponse']): Said {
  const left = dead_letters === 0 ? '' : ` ${fill(h.deadLetters, { count: dead_letters })}`;
  if (!led) return { tone: 'bad', words: h.indexerSilent + left };
  if (lag_seconds === null) return { tone: 'warn', words: h.indexerNever + left };
  const tone = lag_seconds > 60 ? 'bad' : dead_letters > 0 ? 'warn' : 'good';
  return { tone, words: fill(h.indexerLag, { lag: formatSeconds(lag_seconds) }) + left };
}

function sayTreasury({ difference }: Schemas['GetTreasuryResponse']): Said {
  if (!difference) return { tone: 'calm', words: h.treasuryUnknown };
  if (difference.gold === 0 && difference.usdc === 0) return { tone: 'good', words: h.treasuryEven };
  const gold = withUnit(difference.gold, 'GOLD');
  return { tone: 'bad', words: fill(h.treasuryOff, { gold, usdc: withUnit(difference.usdc, 'USDC') }) };
}
