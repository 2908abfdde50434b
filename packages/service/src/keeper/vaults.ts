import { findSlotBefore } from '../chain/node/slot-times.js';
import type { IntegratorEntry } from '../chain/program/integrator.js';
import { type FinalVaults, readFinalVaults } from '../chain/program/vault.js';
import type { Context } from '../context.js';
import { findProgress } from '../db/indexing/indexer-progress.js';
import {
  findBook,
  findLastMonthEnd,
  findLastSlotBefore,
  findMonthsToRead,
  findReading,
  insertDeposits,
  insertMonthEnd,
  saveReading,
} from '../db/papers/vault-books.js';
import { findFirstPartnerTime } from '../db/partners/partners.js';
import { uuidFromBytes } from '../domain/ids.js';
import { endOf, type Month, monthAfter, monthOf } from '../domain/papers/month.js';
import { findVaultDeposits } from '../indexer/vault-deposits.js';
import { chunksOf } from '../runtime/chunks.js';

/** Both accounts of each are read by one call. */
const vaultsPerCall = 50;
/** From then on, nodes that have no blocks of the end of a month will not have them either. */
const blocksLostAfterMs = 86_400_000;

interface Pending extends FinalVaults {
  integrators: readonly IntegratorEntry[];
}

/**
 * Reads what the vaults of partners hold, finds what came into them past the program, and notes where months end on the chain:
 * what statements are made of. All that it remembers can be lost at any moment.
 */
export class VaultReader {
  readonly #ctx: Context;
  /** Readings up to whose slot not everything is recorded yet. */
  #pending: Pending[] = [];

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  /** Goes on as far as it can at the moment. Rejects when the node or the database fails; the next round goes on. */
  async round(signal: AbortSignal): Promise<void> {
    await this.#noteMonthEnds(signal);
    if (this.#pending.length === 0) {
      for (const integrators of chunksOf(this.#ctx.chain.program.integrators(), vaultsPerCall))
        this.#pending.push({ integrators, ...(await readFinalVaults(this.#ctx.chain, integrators, signal)) });
    }
    const { completeSlot = -1n } = (await findProgress(this.#ctx.db)) ?? {};
    for (let next = this.#pending[0]; next && next.slot <= completeSlot; next = this.#pending[0]) {
      for (const [index, integrator] of next.integrators.entries()) {
        const held = next.balances[index];
        if (held) await this.#keep(integrator, { slot: next.slot, ...held }, signal);
      }
      this.#pending.shift();
    }
  }

  async #noteMonthEnds(signal: AbortSignal): Promise<void> {
    const { db, clock, log, chain } = this.#ctx;
    const last = await findLastMonthEnd(db);
    const first = last ? undefined : await findFirstPartnerTime(db);
    const current = monthOf(new Date(clock.now()));
    let month: Month | undefined = last ? monthAfter(last.month) : first && monthOf(first);
    for (; month && month < current; month = monthAfter(month)) {
      const end = endOf(month);
      let slot: bigint | undefined;
      try {
        slot = await findSlotBefore(chain.rpc, end, signal);
      } catch (err) {
        signal.throwIfAborted();
        if (clock.now() - end.getTime() < blocksLostAfterMs) throw err;
        log.warn({ err, month }, 'no node knows where the month ends: it ends with its last record');
        slot = await findLastSlotBefore(db, end);
      }
      if (slot === undefined) return;
      await db.transaction((tx) => insertMonthEnd(tx, { month: month as Month, slot: slot as bigint }));
    }
  }

  /** Keeps a reading for this month, and for those that are over and have none from behind their end. */
  async #keep(
    integrator: IntegratorEntry,
    held: { slot: bigint; gold: bigint; usdc: bigint },
    signal: AbortSignal,
  ): Promise<void> {
    const { db, clock } = this.#ctx;
    const partnerId = uuidFromBytes(integrator.data.partnerId);
    const month = monthOf(new Date(clock.now()));
    const before = await findReading(db, partnerId, month);
    const book = await findBook(db, partnerId, held.slot);
    const then = before && (await findBook(db, partnerId, before.slot));
    const explained = (token: 'gold' | 'usdc') =>
      (before?.[token] ?? 0n) + book[token] - (then?.[token] ?? 0n);
    if (held.gold !== explained('gold') || held.usdc !== explained('usdc')) {
      const deposits = await findVaultDeposits(this.#ctx, integrator, before?.slot ?? -1n, signal);
      await db.transaction((tx) => insertDeposits(tx, deposits));
    }
    const over = await findMonthsToRead(db, partnerId);
    await db.transaction(async (tx) => {
      for (const each of [...over, month]) await saveReading(tx, { partnerId, month: each, ...held });
    });
  }
}
