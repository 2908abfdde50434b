import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError, call } from '../api/client';
import { findRows, useLive } from '../api/live';
import { text } from '../text';
import { fill } from '../text/en';
import { home as t } from '../text/portal/home';
import { formatAmount, formatCount } from '../ui/format';
import { PageHead, Panel, TextLink } from '../ui/parts';
import { Loaded } from '../ui/states';
import { api, type Schemas, useMay } from './api';
import { Checklist } from './checklist';
import { pageParts } from './page-parts';
import { LatestRedemptions, LatestTrades, type Trade, useLatestTrades } from './record-parts';

export function Home() {
  const partner = useLive(['partner', 'own'], () => call(api.GET('/v1/me')));
  const latest = useLatestTrades();
  return (
    <Loaded of={partner}>
      {(own) => (
        <Loaded of={latest}>
          {({ trades }) => (trades.length === 0 ? <Before own={own} /> : <Today own={own} />)}
        </Loaded>
      )}
    </Loaded>
  );
}

function Head({ own, lead }: { own: Schemas['Me']; lead: string }) {
  const { name } = own;
  return (
    <>
      <PageHead title={t.title} lead={fill(lead, { name })} />
      {own.status === 'suspended' ? (
        <Alert mb="lg" color="red" role="status" variant="light">
          {fill(t.suspended, { name })}
        </Alert>
      ) : null}
    </>
  );
}

/** Until the first trade. */
function Before({ own }: { own: Schemas['Me'] }) {
  const connects = useMay('trade') && own.status === 'active';
  return (
    <>
      <Head own={own} lead={t.leadNew} />
      <div className="columns">
        {connects ? (
          <Checklist partner={own} />
        ) : (
          <Panel title={t.checklist}>
            <Text c="dimmed">{t.waiting}</Text>
          </Panel>
        )}
        <Price own={own} />
      </div>
    </>
  );
}

/** Once there are trades. */
function Today({ own }: { own: Schemas['Me'] }) {
  return (
    <>
      <Head own={own} lead={t.lead} />
      <Tiles />
      <div className="columns">
        <div className="stack">
          <LatestTrades title={t.latestTrades} />
          <LatestRedemptions title={t.latestRedemptions} />
        </div>
        <div className="stack">
          <Price own={own} />
          <Problems />
        </div>
      </div>
    </>
  );
}

/** Trades are read up to so many; of a busier day, the figures are lower bounds. */
const maxRead = 500;

function useTradesOfToday() {
  return useLive(['trades', 'today'], () => {
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    return findRows(
      (cursor) =>
        call(
          api.GET('/v1/trades', {
            params: { query: { created_from: midnight.toISOString(), cursor, limit: '100' } },
          }),
        ),
      ({ trades }) => trades,
      () => true,
      maxRead,
    );
  });
}

const open = ['submitted', 'preparing', 'ready', 'cancellation_requested'] as const;

/** The redemptions that are not over, a hundred of each status at most. */
function useOpenRedemptions() {
  return useLive(['redemptions', 'open'], async () => {
    const pages = await Promise.all(
      open.map((status) => call(api.GET('/v1/redemptions', { params: { query: { status, limit: '100' } } }))),
    );
    return pages.flatMap(({ redemptions }) => redemptions);
  });
}

function Tiles() {
  const today = useTradesOfToday();
  const redemptions = useOpenRedemptions();
  const trades = today.data ?? [];
  const sumOf = (side: Trade['side']) =>
    trades.filter((trade) => trade.side === side).reduce((sum, { usdc_amount }) => sum + usdc_amount, 0);
  const failed = trades.filter(({ status }) => status === 'failed').length;
  const more = trades.length >= maxRead ? t.tilesMore.more : undefined;
  const tiles = [
    {
      to: '/trades',
      label: t.tiles.trades,
      value: today.data && formatCount(trades.length),
      more: failed > 0 ? fill(t.tilesMore.failed, { count: failed }) : more,
    },
    {
      to: '/trades',
      label: t.tiles.bought,
      value: today.data && formatAmount(sumOf('buy'), 'USDC', 'headline'),
      more: more ?? 'USDC',
    },
    {
      to: '/trades',
      label: t.tiles.sold,
      value: today.data && formatAmount(sumOf('sell'), 'USDC', 'headline'),
      more: more ?? 'USDC',
    },
    {
      to: '/redemptions',
      label: t.tiles.redemptions,
      value: redemptions.data && formatCount(redemptions.data.length),
      more: undefined,
    },
  ];
  return (
    <div className="tiles">
      {tiles.map(({ to, label, value, more }) => (
        <Link key={label} to={to} className="tile">
          <span>{label}</span>
          <strong className="tile-figure">{value ?? text.common.none}</strong>
          <small>{more}</small>
        </Link>
      ))}
    </div>
  );
}

/** Reads the price of now; undefined while there is none. */
async function readPrice(): Promise<Schemas['Price'] | null> {
  try {
    return await call(api.GET('/v1/price'));
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return null;
    throw error;
  }
}

function Price({ own }: { own: Schemas['Me'] }) {
  const now = useLive(['price', 'now'], readPrice);
  const code = useQuery({
    queryKey: ['code', 'price-course'],
    queryFn: pageParts.priceCourse,
    staleTime: 'static',
  });
  const words = text.priceChart;
  return (
    <Panel title={words.title}>
      {now.data ? (
        <p className="figure">
          <span className="amount">{formatAmount(now.data.price_per_troy_oz, 'USD')}</span>{' '}
          <small className="dimmed">{words.perOunce}</small>
        </p>
      ) : (
        <Text c="dimmed">{now.data === null ? words.words.none : text.common.loading}</Text>
      )}
      <Loaded of={code}>{({ Course }) => <Course now={now.data ?? undefined} partner={own} />}</Loaded>
    </Panel>
  );
}

const problemsShown = 5;

function Problems() {
  const today = useTradesOfToday();
  const redemptions = useOpenRedemptions();
  const manages = useMay('manage_webhooks');
  const webhooks = useLive(
    ['webhook-endpoints', 'disabled'],
    () => call(api.GET('/v1/webhook-endpoints', { params: { query: { limit: '100' } } })),
    manages,
  );
  const problems = [
    ...(webhooks.data?.webhook_endpoints ?? [])
      .filter(({ status }) => status === 'disabled')
      .map(({ endpoint_id, url }) => ({
        to: `/webhooks/${endpoint_id}`,
        words: fill(t.disabledWebhook, { url }),
      })),
    ...(redemptions.data ?? [])
      .filter(({ status }) => status === 'cancellation_requested')
      .map(({ redemption_id, denomination }) => ({
        to: `/redemptions/${redemption_id}`,
        words: fill(t.cancellation, { item: denomination }),
      })),
    ...(today.data ?? [])
      .filter(({ status }) => status === 'failed')
      .map(({ trade_id, reason, message }) => ({
        to: `/trades/${trade_id}`,
        words: fill(t.failedTrade, { reason: message ?? reason ?? '' }),
      })),
  ].slice(0, problemsShown);
  return (
    <Panel title={t.problems}>
      {problems.length === 0 ? (
        <Text c="dimmed">{t.noProblems}</Text>
      ) : (
        <ul className="plain">
          {problems.map(({ to, words }) => (
            <li key={to}>
              <TextLink to={to}>{words}</TextLink>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
