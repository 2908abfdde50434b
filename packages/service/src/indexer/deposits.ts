import type { Address } from '@solana/kit';
import type { Mismatch } from '../actions/treasury/check-balances.js';
import type { Context } from '../context.js';
import { findRecordedSignatures } from '../db/indexing/recorded-signatures.js';
import { Recorder } from './record.js';
import { Source } from './source.js';
import { defaultTuning } from './tuning.js';

/** How far back is listed again what was listed before: nodes list some transactions late. */
const overlapSlots = 150n;

/**
 * Records what reaches the treasury's accounts past the program, which no listing of the program shows: the account whose
 * balance differs is listed itself, from the last slot with which it agreed.
 */
export class Deposits {
  readonly #ctx: Context;
  readonly #source: Source;
  readonly #recorder: Recorder;
  /** Up to where each account was listed: what is found there later has been looked for once. */
  readonly #listed = new Map<Address, bigint>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#source = new Source(ctx.chain);
    this.#recorder = new Recorder(ctx, this.#source, defaultTuning);
  }

  /** Rejects when the nodes or the database fail; the next call goes on. */
  async record(mismatches: readonly Mismatch[], signal: AbortSignal): Promise<void> {
    for (const { account, agreedSlot } of mismatches) {
      const listed = this.#listed.get(account) ?? agreedSlot;
      // Never below the slot of the balance that agreed: what came before the first comparison is part of it.
      const floor = listed - overlapSlots > agreedSlot ? listed - overlapSlots : agreedSlot;
      let newest = listed;
      let isWhole = true;
      for await (const page of this.#source.history({ floor }, signal, { address: account })) {
        const signatures = page.map(({ signature }) => signature);
        const known = await findRecordedSignatures(this.#ctx.db, signatures);
        const news = page.filter(({ signature, failed }) => !failed && !known.has(signature));
        const waiting = await this.#recorder.take(news, signal);
        const last = page.at(-1);
        // What no node has yet is listed again, with all that came after it.
        isWhole &&= waiting.size === 0;
        if (isWhole && last && last.slot > newest) newest = last.slot;
      }
      this.#listed.set(account, newest);
    }
  }
}
