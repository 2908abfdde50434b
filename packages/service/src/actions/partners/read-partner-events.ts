import { IntegratorStatus, type PartnerTermsChange } from '@karat/program-client';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import type { NewEvent } from '../../db/events/events.js';
import type { Partner } from '../../db/partners/partners.js';
import type { Uuid } from '../../domain/ids.js';
import { partnerEvent } from '../../events/partner-events.js';
import { getPartnerTerms } from './get-partner-terms.js';

/** Returns the event of a change of executives; none for a partner that does not exist. */
export async function executivesEvents(ctx: Context, tx: Tx, partnerId: Uuid): Promise<NewEvent[]> {
  const terms = await getPartnerTerms(ctx, tx, partnerId);
  return terms ? [partnerEvent('executives.changed', terms, null)] : [];
}

/**
 * Returns the event of an operator's change of a partner's status, which is written already. There is none while the partner is
 * suspended on chain: it stays suspended.
 */
export async function decidedStatusEvents(
  ctx: Context,
  tx: Tx,
  { id, status }: Pick<Partner, 'id' | 'status'>,
  requestId: string | null,
): Promise<NewEvent[]> {
  const onChain = ctx.chain.program.lastIntegrator(id)?.data;
  if (onChain && onChain.status !== IntegratorStatus.Active) return [];
  const terms = await getPartnerTerms(ctx, tx, id);
  return terms ? [partnerEvent(statusType(status), terms, requestId)] : [];
}

/** New terms of a partner on chain. */
export interface TermsChange extends PartnerTermsChange {
  partnerId: Uuid;
  /** Number of the program's event. */
  seq: bigint;
}

/**
 * Returns the event of a change of terms on chain by which a partner is suspended or resumed. There is none while an operator
 * has suspended the partner, nor for one that does not exist.
 */
export async function landedStatusEvents(
  ctx: Context,
  tx: Tx,
  { partnerId, before, after }: TermsChange,
): Promise<NewEvent[]> {
  if (before.status === after.status) return [];
  const terms = await getPartnerTerms(ctx, tx, partnerId, after);
  if (terms?.partner.status !== 'active') return [];
  return [partnerEvent(statusType(terms.status), terms, null)];
}

function statusType(status: Partner['status']) {
  return status === 'active' ? 'partner.resumed' : 'partner.suspended';
}
