import { Budget, type BudgetState, type TakenShare } from '../../actions/limits/budget.js';
import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/index.js';
import { keysPerPartner, leasedBudget, type RequestKind } from '../../domain/limits.js';

/** Whose keys: a key of the program's admin has no partner. */
export interface BudgetOwner {
  keyId: Uuid;
  partnerId: Uuid | null;
}

/** What a request's budgets have left: that of the one which has less. */
export interface TakenBudget extends BudgetState {
  limit: number;
  /** Whose limit it is, and of which requests. */
  of: 'key' | 'partner';
  kind: RequestKind;
}

/** The budgets that keys, and partners over all their keys, have for one kind of requests. */
export class KeyBudget {
  readonly #kind: RequestKind;
  readonly keys: Budget;
  readonly partners: Budget;

  constructor(ctx: Context, kind: RequestKind) {
    const limit = ctx.config.keyRateLimitPerMinute;
    this.#kind = kind;
    this.keys = new Budget(ctx, leasedBudget(`key_${kind}`, limit));
    this.partners = new Budget(ctx, leasedBudget(`partner_${kind}`, keysPerPartner * limit));
  }

  get limit(): number {
    return this.keys.limit;
  }

  /** Begins to lease while a key is being authenticated. */
  prepare({ keyId, partnerId }: BudgetOwner): void {
    this.keys.prepare(keyId);
    if (partnerId !== null) this.partners.prepare(partnerId);
  }

  /** Counts a request, as nearly all of them, without the database; undefined: nothing was counted, it has to `take`. */
  takeNow({ keyId, partnerId }: BudgetOwner): TakenBudget | undefined {
    const ofKey = this.keys.takeNow(keyId);
    if (!ofKey || partnerId === null) return ofKey && this.#ofKey(ofKey);
    const ofPartner = this.partners.takeNow(partnerId);
    if (!ofPartner) this.keys.putBack(keyId, ofKey.grantedMs);
    return ofPartner && this.#tighter(ofKey, ofPartner);
  }

  /** Counts a request against both budgets, or against neither when one is used up. Rejects only when the database does. */
  async take({ keyId, partnerId }: BudgetOwner): Promise<TakenBudget> {
    const ofKey = await this.keys.take(keyId);
    if (partnerId === null || !ofKey.admitted) return this.#ofKey(ofKey);
    const ofPartner = await this.partners.take(partnerId).catch((error: unknown) => {
      this.keys.putBack(keyId, ofKey.grantedMs);
      throw error;
    });
    if (!ofPartner.admitted) this.keys.putBack(keyId, ofKey.grantedMs);
    return this.#tighter(ofKey, ofPartner);
  }

  #ofKey(state: TakenShare): TakenBudget {
    return { ...sharedPartOf(state), limit: this.keys.limit, of: 'key', kind: this.#kind };
  }

  #tighter(ofKey: TakenShare, ofPartner: TakenShare): TakenBudget {
    if (ofPartner.admitted && ofKey.remaining <= ofPartner.remaining) return this.#ofKey(ofKey);
    return { ...sharedPartOf(ofPartner), limit: this.partners.limit, of: 'partner', kind: this.#kind };
  }

  /** Returns what is left to a key that was not used. */
  untouched(): BudgetState {
    return this.keys.untouched();
  }
}

function sharedPartOf({ admitted, remaining, resetSeconds }: TakenShare): BudgetState {
  return { admitted, remaining, resetSeconds };
}
