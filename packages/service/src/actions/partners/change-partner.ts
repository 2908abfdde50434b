import type { Context } from '../../context.js';
import { appendEvents } from '../../db/events/events.js';
import { findWalletsOf } from '../../db/partners/partner-wallets.js';
import { type Partner, updatePartner } from '../../db/partners/partners.js';
import type { AuditAction } from '../../domain/audit.js';
import { usdcUnits } from '../../domain/money.js';
import { notAllowed } from '../../errors.js';
import { isSame, recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { amountOf } from '../trades/quote-trade.js';
import { readFee } from './create-partner.js';
import { getPartnerForChange, type KnownPartner, toAuditedPartner } from './get-partner.js';
import { decidedStatusEvents } from './read-partner-events.js';

export interface PartnerChanges {
  /** As it came. */
  partnerId: string;
  /** Undefined stays as it is. */
  name: string | undefined;
  /** A fraction, a number as it came; undefined stays as it is. */
  feePercentage: number | undefined;
  /** Numbers as they came; undefined stays as it is. */
  feeBudgetLamports?: number | undefined;
  minTradeUsdc?: number | undefined;
}

/** Reads the terms that changes name. Throws `invalid_request` for what is no fee or amount. */
export function readTerms(input: Omit<PartnerChanges, 'partnerId' | 'name'>) {
  const { feePercentage, feeBudgetLamports, minTradeUsdc } = input;
  return {
    ...(feePercentage === undefined ? {} : { feePercentage: readFee(feePercentage) }),
    ...(feeBudgetLamports === undefined ? {} : { feeBudgetLamports: BigInt(feeBudgetLamports) }),
    ...(minTradeUsdc === undefined
      ? {}
      : { minTradeUsdc: usdcUnits(amountOf(minTradeUsdc, 'min_trade_usdc')) }),
  };
}

/**
 * Renames a partner, or changes its terms for quotes from now on. What is as wanted already is no change and leaves no trace.
 * Throws `invalid_request` for terms that are none, `partner_not_found`.
 */
export async function changePartner(change: ChangeTx, input: PartnerChanges): Promise<KnownPartner> {
  const { partnerId, name, ...terms } = input;
  const found = await getPartnerForChange(change.tx, partnerId);
  const wanted = { ...found, name: name ?? found.name, ...readTerms(terms) };
  const same = isSame(toAuditedPartner(found), toAuditedPartner(wanted));
  return same ? withWalletsOf(change, found) : write(change, found, wanted, { action: 'partner.change' });
}

export interface PartnerStatusStep {
  /** As it came. */
  partnerId: string;
  status: Partner['status'];
  reason?: string | undefined;
}

/**
 * Suspends or resumes a partner, with an event for it: keys of a suspended one get `partner_suspended`, and nothing of it is sent. Throws
 * `partner_not_found`, or `transition_not_allowed` for a partner that has the status already.
 */
export async function setPartnerStatus(
  ctx: Context,
  change: ChangeTx,
  step: PartnerStatusStep,
): Promise<KnownPartner> {
  const { partnerId, status, reason } = step;
  const found = await getPartnerForChange(change.tx, partnerId);
  requireOtherStatus(found, status);
  const action: AuditAction = status === 'active' ? 'partner.resume' : 'partner.suspend';
  const known = await write(change, found, { ...found, status }, { action, reason });
  const events = await decidedStatusEvents(ctx, change.tx, known.partner, change.by.requestId);
  await appendEvents(change.tx, events, change.at);
  return known;
}

/** Throws `transition_not_allowed` for a partner that already has the status. */
export function requireOtherStatus({ status }: Partner, to: Partner['status']): void {
  if (status === to) throw notAllowed(`The partner is already ${to}.`);
}

async function write(
  change: ChangeTx,
  found: Partner,
  wanted: Partner,
  facts: { action: AuditAction; reason?: string | undefined },
): Promise<KnownPartner> {
  const { tx, by, at } = change;
  const partner = { ...wanted, updatedAt: at };
  await updatePartner(tx, partner);
  const states = { before: toAuditedPartner(found), after: toAuditedPartner(partner) };
  await recordChange(tx, by, { ...facts, objectId: partner.id, ...states }, at);
  return withWalletsOf(change, partner);
}

async function withWalletsOf({ tx }: ChangeTx, partner: Partner): Promise<KnownPartner> {
  return { partner, wallets: await findWalletsOf(tx, [partner.id]) };
}
