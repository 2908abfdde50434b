import type { FastifyInstance } from 'fastify';
import type { ReserveLedger } from '../../actions/reserves/reserve-ledger.js';
import { parseDecimal, tokenDecimals } from '../../domain/money.js';
import type { Backing } from '../../domain/reserves/backing.js';
import { AppError } from '../../errors.js';
import { type BadgeFigures, backingBadge, badgePage } from '../../views/backing-badge.js';

const path = '/v1/reserves/badge';
const hidden = { config: { auth: 'none' }, schema: { hide: true } } as const;

/** Caches may keep a badge for a minute: it names the time of its figures. */
const headers = {
  'cache-control': 'public, max-age=60',
  'cross-origin-resource-policy': 'cross-origin',
};
const imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
/** Any site may frame this page, and no other: there is nothing on it to be pressed by mistake. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors *";

interface Sources {
  ledger: ReserveLedger;
  readLive: () => Promise<Backing>;
}

/** Serves the badge about the reserves for pages of others: as an image, and as a page to be framed. */
export function serveReserveBadge(app: FastifyInstance, sources: Sources): void {
  app.get(`${path}.svg`, hidden, async (_request, reply) => {
    const badge = backingBadge(await readFigures(sources));
    reply.headers({ ...headers, 'content-security-policy': imagePolicy });
    return reply.type('image/svg+xml; charset=utf-8').send(badge);
  });

  app.get(path, hidden, async (_request, reply) => {
    const target = app.hasSite ? '/reserves' : '/v1/reserves';
    const page = badgePage(backingBadge(await readFigures(sources)), target);
    reply.headers({ ...headers, 'content-security-policy': pagePolicy }).removeHeader('x-frame-options');
    return reply.type('text/html; charset=utf-8').send(page);
  });
}

/** Returns the figures of now, those of the newest statement where the node does not respond, and undefined before the first. */
async function readFigures({ ledger, readLive }: Sources): Promise<BadgeFigures | undefined> {
  try {
    const { at, bars, supply, covered } = await readLive();
    return { gold: bars.gold, tokens: supply, covered, at, isStatement: false };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  const statement = (await ledger.statements()).at(-1)?.statement;
  if (!statement) return undefined;
  const { coverage, tokens, made_at: madeAt } = statement;
  return {
    gold: baseUnits(coverage.gold_held),
    tokens: baseUnits(tokens.supply),
    covered: coverage.covered,
    at: new Date(madeAt),
    isStatement: true,
  };
}

/** An amount of a signed statement, which is always a decimal. */
function baseUnits(decimal: string): bigint {
  const parsed = parseDecimal(decimal, tokenDecimals);
  if (parsed === undefined) throw new Error(`${decimal} is no amount of a statement`);
  return parsed;
}
