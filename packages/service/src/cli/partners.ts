import Value from 'typebox/value';
import { inChange } from '../actions/change.js';
import { inviteOwner } from '../actions/members/invite-member.js';
import { createPartner } from '../actions/partners/create-partner.js';
import { readConfig } from '../config.js';
import type { Db } from '../db/client.js';
import { isTableOwner } from '../db/runtime-role.js';
import { commandLine } from '../domain/audit.js';
import { decimalNumber } from '../domain/money.js';
import { toIssuedInvitationView } from '../views/member-view.js';
import { Name } from '../views/schemas.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { mustBe } from './texts.js';
import { withContext, withOwner } from './with-database.js';

/**
 * A wallet makes keys as soon as it is registered, so the database address that every process has must not be enough to
 * register one.
 */
const ownersOnly =
  'Leave out --wallet-address and add the wallet through the operator API: on the command line, only the owner of the tables can register one';

/** `partner create`: with a wallet it writes as the owner of the tables. */
export async function create(call: Call): Promise<Outcome> {
  const input = {
    name: readName(call),
    feePercentage: readFee(call),
    walletAddress: call.find('wallet-address'),
  };
  const { partner, wallets } = await withContext(call, async (ctx) => {
    const open = async (db: Db) => {
      // The program's configuration has the wallets that are the service's own.
      await ctx.chain.start();
      return inChange({ ...ctx, db }, commandLine, (change) => createPartner(ctx, change, input));
    };
    if (input.walletAddress === undefined || (await isTableOwner(ctx.db))) return open(ctx.db);
    return withOwner(call, ownersOnly, ({ db }) => open(db));
  });
  return done({
    partner_id: partner.id,
    name: partner.name,
    status: partner.status,
    fee_percentage: input.feePercentage,
    wallets: wallets.map(({ walletAddress }) => walletAddress),
  });
}

/** `partner invite`: as the operator API, for a first owner. */
export async function invite(call: Call): Promise<Outcome> {
  const config = readConfig(call.env);
  const input = { partnerId: call.get('partner-id'), email: call.get('email') };
  const refusal = 'On the command line, only the owner of the tables can invite an owner of a partner';
  const { invitation, url } = await withOwner(call, refusal, (ctx) =>
    inChange(ctx, commandLine, (change) => inviteOwner({ config }, change, input)),
  );
  return done(toIssuedInvitationView({ invitation, url }));
}

function readName(call: Call): string {
  const name = call.get('name');
  // The rule of the API.
  if (Value.Check(Name(255), name)) return name;
  throw new UsageError(`${call.sourceOf('name')} must have 1 to 255 printable characters`);
}

function readFee(call: Call): number {
  const text = call.get('fee-percentage');
  if (/^\d{1,3}(\.\d{1,20})?$/.test(text)) return decimalNumber(text);
  throw mustBe(call, 'fee-percentage', 'a fraction such as 0.015');
}
