import { Budget, type BudgetState, type TakenShare } from '../../actions/limits/budget.js';
import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/index.js';
import { keysPerPartner, leasedBudget, type RequestKind } from '../../domain/limits.js';

/** Who requests: a key, or a member in a session. A key of the program's admin has no partner. */
export interface BudgetOwner {
  callerId: Uuid;
  partnerId: Uuid | null;
}

/** What has a budget of its own within that of its partner. */
type CallerKind = 'key' | 'member';

/** What a request's budgets have left: that of the one which has less. */
export interface TakenBudget extends BudgetState {
  limit: number;
  /** Whose limit it is, and of which requests. */
  of: CallerKind | 'partner';
  kind: RequestKind;
}

/** The budgets that keys or members, and partners over all of both, have for one kind of requests. */
export class KeyBudget {
  readonly #kind: RequestKind;
  readonly #callerKind: CallerKind;
  readonly callers: Budget;
  readonly partners: Budget;

  /** @param ofKeys the budgets of keys, whose partners' those of members share. */
  constructor(ctx: Context, kind: RequestKind, ofKeys?: KeyBudget) {
    const limit = ctx.config.keyRateLimitPerMinute;
    this.#kind = kind;
    this.#callerKind = ofKeys ? 'member' : 'key';
    this.callers = new Budget(ctx, leasedBudget(`${this.#callerKind}_${kind}`, limit));
    this.partners =
      ofKeys?.partners ?? new Budget(ctx, leasedBudget(`partner_${kind}`, keysPerPartner * limit));
  }

  get limit(): number {
    return this.callers.limit;
  }

  /** Begins to lease while a key is being authenticated. */
  prepare({ callerId, partnerId }: BudgetOwner): void {
    this.callers.prepare(callerId);
    if (partnerId !== null) this.partners.prepare(partnerId);
  }

  /** Counts a request, as nearly all of them, without the database; undefined: nothing was counted, it has to `take`. */
  takeNow({ callerId, partnerId }: BudgetOwner): TakenBudget | undefined {
    const ofCaller = this.callers.takeNow(callerId);
    if (!ofCaller || partnerId === null) return ofCaller && this.#ofCaller(ofCaller);
    const ofPartner = this.partners.takeNow(partnerId);
    if (!ofPartner) this.callers.putBack(callerId, ofCaller.grantedMs);
    return ofPartner && this.#tighter(ofCaller, ofPartner);
  }

  /** Counts a request against both budgets, or against neither when one is used up. Rejects only when the database does. */
  async take({ callerId, partnerId }: BudgetOwner): Promise<TakenBudget> {
    const ofCaller = await this.callers.take(callerId);
    if (partnerId === null || !ofCaller.admitted) return this.#ofCaller(ofCaller);
    const ofPartner = await this.partners.take(partnerId).catch((error: unknown) => {
      this.callers.putBack(callerId, ofCaller.grantedMs);
      throw error;
    });
    if (!ofPartner.admitted) this.callers.putBack(callerId, ofCaller.grantedMs);
    return this.#tighter(ofCaller, ofPartner);
  }

  #ofCaller({ admitted, remaining, resetSeconds }: TakenShare): TakenBudget {
    const { limit } = this.callers;
    return { admitted, remaining, resetSeconds, limit, of: this.#callerKind, kind: this.#kind };
  }

  #tighter(ofCaller: TakenShare, ofPartner: TakenShare): TakenBudget {
    if (ofPartner.admitted && ofCaller.remaining <= ofPartner.remaining) return this.#ofCaller(ofCaller);
    const { admitted, remaining, resetSeconds } = ofPartner;
    const { limit } = this.partners;
    return { admitted, remaining, resetSeconds, limit, of: 'partner', kind: this.#kind };
  }

  /** Returns what is left to a key that was not used. */
  untouched(): BudgetState {
    return this.callers.untouched();
  }
}
