import type { Logger } from 'pino';
import type { Clock } from '../../clock.js';
import type { Db, Tx } from '../../db/client.js';
import {
  findCountedQuotes,
  findReservedElsewhere,
  lockMoved,
  type ReservationRow,
  writeReservations,
} from '../../db/limits/velocity-reservations.js';
import { newUuid, type RedemptionId, type TradeId, type Uuid, uuidOf } from '../../domain/ids.js';
import { landsBeforeMs } from '../../domain/lifetime.js';
import {
  hourOf,
  isFarFromLimits,
  type Reserved,
  type Velocity,
  type VelocityAmounts,
  type VelocityScope,
  velocityScopes,
  velocityTokens,
} from '../../domain/velocity.js';
import type { Metrics } from '../../metrics/metrics.js';
import { Batcher } from '../../runtime/batcher.js';
import { type Loop, startLoop } from '../../runtime/loop.js';
import { findExceededLimit, type Limited, limitExceeded } from './limit-exceeded.js';

const roundMs = 1_000;
/** Quotes of which a round looks whether they count otherwise; the oldest first. */
const maxLookedUp = 5_000;

/** A quote that may still land. */
interface OpenQuote extends VelocityAmounts {
  id: Uuid;
  owners: Uuid[];
  lapsesAtMs: number;
}

/** What the open quotes of an owner come to, and what the other processes know of it. */
interface Share extends Reserved {
  quotes: Map<Uuid, OpenQuote>;
  published: VelocityAmounts;
}

export interface ReservedQuote {
  id: TradeId | RedemptionId;
  /** When its blockhash ends, by estimate, in milliseconds since the Unix epoch. */
  expiresAtMs: number;
  amounts: VelocityAmounts;
}

interface Parts {
  db: Db;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/**
 * What the quotes of this process may still move, for users and partners that have limits: a quote counts from when it is made
 * until it can land no more, or counts because it was submitted or recorded. In memory; its sums are in the database too, for the other
 * processes. A quote far from the limits does not wait for that: the sums follow at once. Any other one waits until its turn among
 * all processes comes. So of quotes that are requested at the same moment, each further process may grant an eighth of a limit more
 * than there is, if half of it is free.
 */
export class VelocityReservations {
  readonly #parts: Parts;
  readonly #processId = newUuid();
  /** In the order in which they were made, which is nearly that in which they lapse. */
  readonly #quotes = new Map<Uuid, OpenQuote>();
  readonly #shares = new Map<Uuid, Share>();
  readonly #publishing: Batcher<Uuid, undefined>;
  #version = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#publishing = new Batcher({
      run: async (owners) => {
        await this.#publish(parts.db, [...new Set(owners)]);
        return owners.map(() => undefined);
      },
    });
  }

  /** Drops what lapsed or counts otherwise, and publishes that, until the loop is stopped. */
  follow(): Loop {
    const { log } = this.#parts;
    return startLoop({
      name: 'velocity reservations',
      intervalMs: roundMs,
      log,
      round: () => this.refresh(),
    });
  }

  /** One round of the loop. Rejects when the database does. */
  async refresh(): Promise<void> {
    const { db } = this.#parts;
    this.#dropLapsed();
    const ids = [...this.#quotes.keys()].slice(0, maxLookedUp);
    for (const id of await findCountedQuotes(db, ids)) this.#drop(id);
    const changed = [...this.#shares].flatMap(([owner, share]) => (isPublished(share) ? [] : [owner]));
    await this.#publish(db, changed);
    for (const [owner, { quotes, published }] of this.#shares)
      if (quotes.size === 0 && published.usdc === 0n && published.gold === 0n) this.#shares.delete(owner);
  }

  /**
   * Reserves what a quote may move. Throws `limit_exceeded` when a limit has no room for it. Only near a limit it waits for
   * the database, and rejects when that does.
   */
  async reserve(limited: Limited, { id, expiresAtMs, amounts }: ReservedQuote): Promise<void> {
    const { velocity } = limited;
    if (!velocity) return;
    const scopes = velocityScopes.filter((scope) => isLimited(velocity, scope));
    const owners = new Map(scopes.map((scope) => [scope, ownerOf(limited, scope)]));
    const lapsesAtMs = landsBeforeMs(expiresAtMs);
    const quote: OpenQuote = { ...amounts, id: uuidOf(id), owners: [...owners.values()], lapsesAtMs };
    this.#dropLapsed();
    const nowMs = this.#parts.clock.now();
    const isFar = scopes.every((scope) => {
      const share = this.#shareOf(ownerOf(limited, scope));
      const mine = { reserved: share, published: share.published };
      return isFarFromLimits(velocity[scope], amounts, mine, nowMs);
    });
    if (!isFar) return this.#reserveInTurn(limited, owners, quote);
    this.#hold(quote);
    for (const owner of quote.owners) this.#publishInBackground(owner);
  }

  /** Makes what was reserved for a quote, and takes the reservation back when that rejects: no caller has it then. */
  async made<T>(id: TradeId | RedemptionId, making: Promise<T>): Promise<T> {
    try {
      return await making;
    } catch (error) {
      this.forget(id);
      throw error;
    }
  }

  /** Takes back what was reserved for a quote: it was not given away, or counts because it was submitted. */
  forget(id: TradeId | RedemptionId): void {
    const quote = this.#drop(uuidOf(id));
    for (const owner of quote?.owners ?? []) this.#publishInBackground(owner);
  }

  /** Reserves while no other process can for the same owners, with what all of them have reserved. */
  async #reserveInTurn(
    limited: Limited,
    owners: ReadonlyMap<VelocityScope, Uuid>,
    quote: OpenQuote,
  ): Promise<void> {
    const ids = [...owners.values()];
    const { db, clock, metrics } = this.#parts;
    try {
      await db.transaction(async (tx) => {
        const at = new Date(clock.now());
        const windows = await lockMoved(tx, ids, hourOf(at.getTime()));
        const elsewhere = await findReservedElsewhere(tx, ids, this.#processId, at);
        const current = () =>
          withReserved(limited, owners, (owner) => ({
            window: windows.get(owner),
            reserved: sumOf(this.#shareOf(owner), elsewhere.get(owner)),
          }));
        let exceeded = findExceededLimit(clock, current(), quote);
        if (exceeded && (await this.#dropCounted(tx, ids)))
          exceeded = findExceededLimit(clock, current(), quote);
        if (exceeded) throw limitExceeded(metrics, exceeded, 'quote');
        this.#hold(quote);
        await this.#publish(tx, ids);
      });
    } catch (error) {
      if (this.#drop(quote.id)) for (const owner of ids) this.#publishInBackground(owner);
      throw error;
    }
  }

  /** Drops what counts otherwise by now; returns whether anything did. */
  async #dropCounted(tx: Tx, owners: readonly Uuid[]): Promise<boolean> {
    const ids = new Set(owners.flatMap((owner) => [...this.#shareOf(owner).quotes.keys()]));
    const counted = await findCountedQuotes(tx, [...ids]);
    for (const id of counted) this.#drop(id);
    return counted.length > 0;
  }

  #hold(quote: OpenQuote): void {
    this.#quotes.set(quote.id, quote);
    for (const owner of quote.owners) {
      const share = this.#shareOf(owner);
      share.quotes.set(quote.id, quote);
      for (const token of velocityTokens) share[token] += quote[token];
      share.lapsesAtMs = Math.max(share.lapsesAtMs, quote.lapsesAtMs);
    }
  }

  #drop(id: Uuid): OpenQuote | undefined {
    const quote = this.#quotes.get(id);
    if (!quote) return undefined;
    this.#quotes.delete(id);
    for (const owner of quote.owners) {
      const share = this.#shareOf(owner);
      share.quotes.delete(id);
      for (const token of velocityTokens) share[token] -= quote[token];
      if (share.quotes.size === 0) share.lapsesAtMs = 0;
    }
    return quote;
  }

  #dropLapsed(): void {
    const nowMs = this.#parts.clock.now();
    for (const { id, lapsesAtMs } of this.#quotes.values()) {
      if (lapsesAtMs > nowMs) return;
      this.#drop(id);
    }
  }

  #shareOf(owner: Uuid): Share {
    const known = this.#shares.get(owner);
    if (known) return known;
    const share: Share = {
      usdc: 0n,
      gold: 0n,
      lapsesAtMs: 0,
      quotes: new Map(),
      published: { usdc: 0n, gold: 0n },
    };
    this.#shares.set(owner, share);
    return share;
  }

  /** Publishes what changed in the background; where that fails, the next round does it. */
  #publishInBackground(owner: Uuid): void {
    this.#publishing.add(owner).catch(() => {});
  }

  async #publish(db: Db | Tx, owners: readonly Uuid[]): Promise<void> {
    this.#version += 1;
    const sums = owners.map((owner) => ({ share: this.#shareOf(owner), ownerId: owner }));
    const rows: ReservationRow[] = sums.map(({ share: { usdc, gold, lapsesAtMs }, ownerId }) => ({
      ownerId,
      processId: this.#processId,
      usdc,
      gold,
      version: this.#version,
      lapsesAt: new Date(lapsesAtMs),
    }));
    await writeReservations(db, rows);
    for (const [index, { share }] of sums.entries()) {
      const { usdc = 0n, gold = 0n } = rows[index] ?? {};
      share.published = { usdc, gold };
    }
  }
}

const isPublished = ({ usdc, gold, published }: Share) => published.usdc === usdc && published.gold === gold;

const isLimited = (velocity: Velocity, scope: VelocityScope) =>
  velocityTokens.some((token) => velocity[scope].limits[token] !== null);

const ownerOf = ({ id, partnerId }: Limited, scope: VelocityScope): Uuid =>
  scope === 'user' ? uuidOf(id) : partnerId;

/** Returns a user with limits and what is known now of those owners that have some. */
function withReserved(
  limited: Limited,
  owners: ReadonlyMap<VelocityScope, Uuid>,
  known: (owner: Uuid) => Pick<Velocity[VelocityScope], 'window' | 'reserved'>,
): Limited {
  const { velocity } = limited;
  if (!velocity) return limited;
  const accountOf = (scope: VelocityScope) => {
    const owner = owners.get(scope);
    return owner ? { ...velocity[scope], ...known(owner) } : velocity[scope];
  };
  return { ...limited, velocity: { user: accountOf('user'), partner: accountOf('partner') } };
}

function sumOf(mine: Reserved, others: Reserved | undefined): Reserved {
  return {
    usdc: mine.usdc + (others?.usdc ?? 0n),
    gold: mine.gold + (others?.gold ?? 0n),
    lapsesAtMs: Math.max(mine.lapsesAtMs, others?.lapsesAtMs ?? 0),
  };
}
