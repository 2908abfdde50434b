import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { healthParts, healthStatuses } from '../../actions/read-health.js';
import { type Summary, summaryReader, tradeDays } from '../../actions/read-summary.js';
import type { Context } from '../../context.js';
import { waitingStatuses } from '../../db/indexing/observed-state.js';
import type { TradeDay, WaitingRedemptions } from '../../db/summary.js';
import { storedPriceNumber } from '../../domain/quote.js';
import { cityKey, settlementKinds } from '../../domain/redemption.js';
import { about, gold, usdc } from '../../views/fields.js';
import { choice, Nullable, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { PriceView, toPriceView } from './price.js';
import { read } from './shapes.js';

const at = '2026-03-01T12:00:00.000Z';
const field = {
  at: about('When this was read.', at),
  status: about(
    'What they wait for: `submitted`, `preparing`, `ready` or `cancellation_requested`.',
    'ready',
  ),
  count: about('How many there are.', 3),
  overOneDay: about('Those of them that were quoted more than a day ago.', 1),
  overThreeDays: about('Those of them that were quoted more than three days ago.', 0),
  oldestAt: about('When the oldest was quoted.', at),
  city: about('City of the pickup.', 'Karachi'),
  kind: about('`refund` for cancelled redemptions, `burn` for collected ones.', 'burn'),
  oldestEndedAt: about('When the first of them was cancelled or collected.', at),
  day: about('Day of UTC.', '2026-03-01'),
  buys: about('Buys that executed.', 12),
  sells: about('Sells that executed.', 5),
  usdc: usdc('Volume of both.', 25_400.5),
  gold: gold('Volume of both.', 6.195),
  price24hAgo: about(
    'Price at the beginning of `hours`, USD per troy ounce; null if none is known.',
    4_088.1,
  ),
  high: about('Highest price of the hours; null if none is known.', 4_112.75),
  low: about('Lowest price of the hours; null if none is known.', 4_080.2),
  hour: about('Beginning of the hour.', at),
  hourPrice: about('Last price of the hour, USD per troy ounce.', 4_100.12),
  part: about('`price`, `chain`, `indexer`, `keeper` or `treasury`.', 'price'),
  health: about('`ok`, `warning` or `failed`.', 'ok'),
  message: about('One sentence about it.', 'The price is fresh.'),
  deadLetters: about('Number of open dead letters.', 0),
  approvals: about('Approvals that you may decide: requests of others that your role allows.', 1),
};

const StatusCount = titled('WaitingByStatus', {
  status: choice(waitingStatuses, field.status),
  count: Type.Integer(field.count),
  over_one_day: Type.Integer(field.overOneDay),
  over_three_days: Type.Integer(field.overThreeDays),
  oldest_at: Nullable(Type.String(), field.oldestAt),
});

const CityCount = titled('WaitingInCity', {
  city: Type.String(field.city),
  submitted: Type.Integer(field.count),
  preparing: Type.Integer(field.count),
  ready: Type.Integer(field.count),
  cancellation_requested: Type.Integer(field.count),
  oldest_at: Type.String(field.oldestAt),
});

const UnsettledCount = titled('Unsettled', {
  kind: choice(settlementKinds, field.kind),
  count: Type.Integer(field.count),
  oldest_at: Type.String(field.oldestEndedAt),
});

const DayView = titled('TradeDay', {
  day: Type.String(field.day),
  buys: Type.Integer(field.buys),
  sells: Type.Integer(field.sells),
  usdc: Type.Number(field.usdc),
  gold: Type.Number(field.gold),
});

const DayPriceView = titled('PriceOfTheDay', {
  ...PriceView.properties,
  day_open: Nullable(Type.Number(), field.price24hAgo),
  day_high: Nullable(Type.Number(), field.high),
  day_low: Nullable(Type.Number(), field.low),
  hours: Type.Array(
    titled('PriceOfAnHour', { at: Type.String(field.hour), price: Type.Number(field.hourPrice) }),
  ),
});

const HealthView = titled('Health', {
  part: choice(healthParts, field.part),
  status: choice(healthStatuses, field.health),
  message: Type.String(field.message),
});

const summaryRoute = route(read, {
  operationId: 'getSummary',
  summary: 'Get what waits, and how the service is',
  description: `What the first page shows. \`redemptions\` are those that wait for a vault, by status, \`waiting\` the same by city, and \`unsettled\` those that ended and whose tokens wait to be refunded or burned. \`trade_days\` are ${tradeDays} days of UTC, oldest first, of which the last is today.`,
  response: {
    200: Type.Object({
      at: Type.String(field.at),
      redemptions: Type.Array(StatusCount),
      waiting: Type.Array(CityCount),
      unsettled: Type.Array(UnsettledCount),
      trades_today: DayView,
      trade_days: Type.Array(DayView),
      price: DayPriceView,
      health: Type.Array(HealthView),
      open_dead_letters: Type.Integer(field.deadLetters),
      approvals_waiting: Type.Integer(field.approvals),
    }),
  },
});

/** Route of what an operator sees first. */
export function summaryRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Overview');
    const readSummary = summaryReader(ctx);
    app.get('/summary', summaryRoute, async ({ operator }) => toSummaryView(await readSummary(operator)));
  };
}

const dayView = viewOf(DayView);

function toSummaryView(summary: Summary) {
  const days = summary.days.map(toDayView);
  const [today = toDayView({ day: '', buys: 0, sells: 0, usdc: 0n, gold: 0n })] = days.slice(-1);
  return {
    at: summary.at.toISOString(),
    redemptions: waitingStatuses.map((status) => toStatusCount(status, summary.waiting)),
    waiting: toCityCounts(summary.waiting),
    unsettled: summary.unsettled.map(({ kind, count, since }) => ({
      kind,
      count,
      oldest_at: since.toISOString(),
    })),
    trades_today: today,
    trade_days: days,
    price: toDayPriceView(summary),
    health: summary.health,
    open_dead_letters: summary.deadLetters,
    approvals_waiting: summary.approvals,
  };
}

const toDayView = (day: TradeDay) => dayView(day);

function toStatusCount(status: WaitingRedemptions['status'], waiting: WaitingRedemptions[]) {
  const own = waiting.filter((row) => row.status === status);
  const sum = (of: (row: WaitingRedemptions) => number) => own.reduce((total, row) => total + of(row), 0);
  return {
    status,
    count: sum(({ count }) => count),
    over_one_day: sum(({ overOneDay }) => overOneDay),
    over_three_days: sum(({ overThreeDays }) => overThreeDays),
    oldest_at: oldestOf(own)?.toISOString() ?? null,
  };
}

function toCityCounts(waiting: WaitingRedemptions[]) {
  const cities = new Set(waiting.map(({ city }) => cityKey(city)));
  return [...cities].flatMap((key) => {
    const rows = waiting.filter(({ city }) => cityKey(city) === key);
    const [first] = rows;
    const oldest = oldestOf(rows);
    if (!first || !oldest) return [];
    const countOf = (status: WaitingRedemptions['status']) =>
      rows.find((row) => row.status === status)?.count ?? 0;
    return [
      {
        city: first.city,
        submitted: countOf('submitted'),
        preparing: countOf('preparing'),
        ready: countOf('ready'),
        cancellation_requested: countOf('cancellation_requested'),
        oldest_at: oldest.toISOString(),
      },
    ];
  });
}

function oldestOf(rows: WaitingRedemptions[]): Date | undefined {
  return rows.map(({ oldestAt }) => oldestAt).toSorted((a, b) => a.getTime() - b.getTime())[0];
}

function toDayPriceView({ price, hours }: Summary) {
  const high = hours.map((hour) => storedPriceNumber(hour.high));
  const low = hours.map((hour) => storedPriceNumber(hour.low));
  const [first] = hours;
  return {
    ...toPriceView(price),
    day_open: first ? storedPriceNumber(first.open) : null,
    day_high: first ? Math.max(...high) : null,
    day_low: first ? Math.min(...low) : null,
    hours: hours.map((hour) => ({ at: hour.at.toISOString(), price: storedPriceNumber(hour.close) })),
  };
}
