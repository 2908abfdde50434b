import { inChange } from '../actions/change.js';
import { eraseUser } from '../actions/users/erase-user.js';
import { commandLine } from '../domain/audit.js';
import { asUuid } from '../domain/ids.js';
import { type Call, done, type Outcome } from './command.js';
import { mustBe, readReason, readText } from './texts.js';
import { withDatabase } from './with-database.js';

export async function erase(call: Call): Promise<Outcome> {
  const partnerId = asUuid(call.get('partner-id'));
  if (!partnerId) throw mustBe(call, 'partner-id', 'the id of a partner');
  const input = { partnerId, partnerUserId: readText(call, 'user-id'), reason: readReason(call) };
  const { id, erasedNow, at } = await withDatabase(call, (ctx) =>
    inChange(ctx, commandLine, async (change) => ({ ...(await eraseUser(change, input)), at: change.at })),
  );
  // All that a list outside the database needs, to erase the person again after a restore.
  return done({
    at: at.toISOString(),
    partner_id: partnerId,
    user_id: input.partnerUserId,
    service_user_id: id,
    erased_now: erasedNow,
  });
}
