import { changeAuthority } from '../actions/partners/change-authority.js';
import { type AuthorityAct, authorityNames } from '../chain/program/authorities.js';
import { commandLine } from '../domain/audit.js';
import { asUuid } from '../domain/ids.js';
import { type Call, done, type Outcome } from './command.js';
import { readFeePayer, readWallet } from './keys.js';
import { mustBe, readReason } from './texts.js';
import { toChange } from './transactions.js';
import { withContext } from './with-database.js';

export async function act(call: Call, name: AuthorityAct): Promise<Outcome> {
  const partnerId = asUuid(call.get('partner'));
  if (!partnerId) throw mustBe(call, 'partner', 'the id of a partner');
  const role = authorityNames.find((each) => each === call.get('role'));
  if (!role) throw mustBe(call, 'role', `one of ${authorityNames.join(', ')}`);
  const key = readWallet(call, 'address');
  const reason = readReason(call);
  const feePayer = readFeePayer(call);
  const change = await withContext(call, (ctx) =>
    changeAuthority(ctx, commandLine, { act: name, partnerId, role, key, feePayer, reason }),
  );
  return done({ partner_id: partnerId, role, address: key, ...toChange(change) });
}
