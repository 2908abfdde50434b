import type { Address } from '@solana/kit';
import { freezeAccount, thawAccount } from '../actions/program/freeze-account.js';
import { readProgramConfig } from '../actions/program/read-program-config.js';
import { goldOf, tokenAccountOf } from '../chain/program/token-accounts.js';
import type { Context } from '../context.js';
import { commandLine } from '../domain/audit.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { readAddress, readFeePayer, readIfGiven, readKeyFile } from './keys.js';
import { mustBe, readReason } from './texts.js';
import { toChange } from './transactions.js';
import { withContext } from './with-database.js';

export async function freeze(call: Call): Promise<Outcome> {
  const owner = readAddress(call, 'owner');
  const named = readIfGiven(call, 'account', readAddress);
  const terms = readTerms(call);
  return done(
    await withContext(call, async (ctx) => {
      const account = named ?? (await associatedAccount(ctx, owner));
      const act = await freezeAccount(ctx, commandLine, { account, owner, ...terms });
      return { account, owner, ...toChange(act) };
    }),
  );
}

export async function thaw(call: Call): Promise<Outcome> {
  const owner = readIfGiven(call, 'owner', readAddress);
  const named = readIfGiven(call, 'account', readAddress);
  const asAdmin = call.find('as-admin') !== undefined;
  if (asAdmin && call.get('as-admin') !== 'yes') throw mustBe(call, 'as-admin', 'yes');
  if (asAdmin && call.find('compliance-keypair') !== undefined) {
    throw new UsageError(
      `${call.sourceOf('as-admin')} and ${call.sourceOf('compliance-keypair')} name two who sign: give one`,
    );
  }
  const terms = readTerms(call);
  return done(
    await withContext(call, async (ctx) => {
      const account = named ?? (owner && (await associatedAccount(ctx, owner)));
      if (!account) throw new UsageError('Give --account ADDRESS, or --owner ADDRESS');
      const act = await thawAccount(ctx, commandLine, { account, asAdmin, ...terms });
      return { account, ...toChange(act) };
    }),
  );
}

function readTerms(call: Call) {
  // The program keeps its hash: there is no freeze without a reason.
  call.get('reason');
  return {
    reason: readReason(call) ?? '',
    key: readKeyFile(call, 'compliance-keypair'),
    feePayer: readFeePayer(call),
  };
}

async function associatedAccount(ctx: Context, owner: Address): Promise<Address> {
  return tokenAccountOf(owner, goldOf(await readProgramConfig(ctx)));
}
