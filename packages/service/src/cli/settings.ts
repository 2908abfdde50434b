import type { Address } from '@solana/kit';
import { carryOut } from '../actions/approvals/carry-out.js';
import { readAdmins } from '../actions/program/hand-over-admin.js';
import {
  planSettings,
  planSettingsApply,
  planSettingsCancellation,
  type SettingsPlan,
} from '../actions/program/plan-settings.js';
import { readHotKeys, replaceKey as replace } from '../actions/program/replace-key.js';
import {
  type RotatedAccounts,
  readAccounts,
  rotateAccounts as rotate,
  toAccountsView,
} from '../actions/program/rotate-accounts.js';
import { readSettings, toSettingsStateView } from '../actions/program/settings.js';
import type { Context } from '../context.js';
import { commandLine } from '../domain/audit.js';
import { hotKeyNames } from '../domain/hot-key.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { readAddress, readFeePayer, readIfGiven, readRole } from './keys.js';
import { readChangedSettings } from './program-settings.js';
import { mustBe, readReason } from './texts.js';
import { toChange, toSnakeCase, toUnsigned } from './transactions.js';
import { withContext } from './with-database.js';

/** `chain settings` */
export async function show(call: Call): Promise<Outcome> {
  return done(
    await withContext(call, async (ctx) => ({
      admin: (await readAdmins(ctx)).admin,
      keys: toSnakeCase(await readHotKeys(ctx)),
      accounts: toAccountsView(await readAccounts(ctx)),
      ...toSettingsStateView(await readSettings(ctx)),
    })),
  );
}

/** `chain propose` */
export function propose(call: Call): Promise<Outcome> {
  const changes = readChangedSettings(call);
  if (Object.keys(changes).length === 0) {
    throw new UsageError('karat chain propose takes at least one setting: --help lists them');
  }
  return act(call, (ctx, terms) => planSettings(ctx, { changes, ...terms }));
}

/** `chain apply` */
export const apply = (call: Call): Promise<Outcome> => act(call, planSettingsApply);

/** `chain cancel` */
export const cancel = (call: Call): Promise<Outcome> => act(call, planSettingsCancellation);

interface Terms {
  feePayer: Address | undefined;
  reason: string | undefined;
}

async function act(
  call: Call,
  plan: (ctx: Context, terms: Terms) => Promise<SettingsPlan>,
): Promise<Outcome> {
  const terms = { feePayer: readFeePayer(call), reason: readReason(call) };
  const outcome = await withContext(call, async (ctx) => carryOut(ctx, commandLine, await plan(ctx, terms)));
  if (outcome.kind === 'done' && outcome.settings) {
    return done({ ...toSettingsStateView(outcome.settings), tx_hash: outcome.txHash });
  }
  return done(toUnsigned(outcome));
}

/** `chain replace-key` */
export async function replaceKey(call: Call): Promise<Outcome> {
  const role = hotKeyNames.find((name) => name === call.get('role'));
  if (!role) throw mustBe(call, 'role', `one of ${hotKeyNames.join(', ')}`);
  const old = readIfGiven(call, 'old', readRole);
  const replacement = readRole(call, 'new');
  const terms = { feePayer: readFeePayer(call), reason: readReason(call) };
  return done(
    await withContext(call, async (ctx) => {
      const act = await replace(ctx, commandLine, { role, old, replacement, ...terms });
      return { keys: toSnakeCase(await readHotKeys(ctx)), ...toChange(act) };
    }),
  );
}

const rotated: Record<string, keyof RotatedAccounts> = {
  'fee-account': 'feeUsdc',
  'treasury-usdc-account': 'treasuryUsdc',
  'treasury-gold-account': 'treasuryGold',
};

/** `chain rotate-accounts` */
export async function rotateAccounts(call: Call): Promise<Outcome> {
  const accounts: Partial<RotatedAccounts> = {};
  for (const [option, name] of Object.entries(rotated)) {
    const account = readIfGiven(call, option, readAddress);
    if (account !== undefined) accounts[name] = account;
  }
  if (Object.keys(accounts).length === 0) {
    throw new UsageError('karat chain rotate-accounts takes at least one account: --help lists them');
  }
  const terms = { feePayer: readFeePayer(call), reason: readReason(call) };
  return done(
    await withContext(call, async (ctx) => {
      const act = await rotate(ctx, commandLine, { accounts, ...terms });
      return { accounts: toAccountsView(await readAccounts(ctx)), ...toChange(act) };
    }),
  );
}
