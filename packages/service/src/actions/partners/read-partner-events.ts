import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import type { NewEvent } from '../../db/events/events.js';
import type { Uuid } from '../../domain/ids.js';
import { partnerEvent } from '../../partner-events.js';
import { getPartnerTerms } from './get-partner-terms.js';

/** Returns the event of a change of a partner, which is written already; none for one that does not exist. */
export async function partnerEvents(
  ctx: Context,
  tx: Tx,
  type: 'partner.suspended' | 'partner.resumed' | 'executives.changed',
  { partnerId, requestId }: { partnerId: Uuid; requestId: string | null },
): Promise<NewEvent[]> {
  const terms = await getPartnerTerms(ctx, tx, partnerId);
  return terms ? [partnerEvent(type, terms, requestId)] : [];
}
