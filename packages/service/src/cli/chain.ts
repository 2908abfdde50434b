import { carryOut } from '../actions/approvals/carry-out.js';
import { type PauseFlags, readChainStatus } from '../actions/market/build-chain-status.js';
import { statusPlanOf } from '../actions/market/plan-chain-status.js';
import { acceptAdmin, cancelAdmin, proposeAdmin, readAdmins } from '../actions/program/hand-over-admin.js';
import type { Context } from '../context.js';
import { commandLine } from '../domain/audit.js';
import { type ChainStatus, type PauseName, pauseNames } from '../domain/program-status.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { readAddress, readFeePayer, readIfGiven } from './keys.js';
import { quoted } from './parse.js';
import { mustBe, readReason } from './texts.js';
import { toChange, toSnakeCase, toUnsigned } from './transactions.js';
import { withContext } from './with-database.js';

export async function status(call: Call): Promise<Outcome> {
  return done(toView(await withContext(call, readChainStatus)));
}

export const pause = (call: Call): Promise<Outcome> => set(call, true);

export const resume = (call: Call): Promise<Outcome> => set(call, false);

async function set(call: Call, to: boolean): Promise<Outcome> {
  const paused: PauseFlags = {};
  for (const flag of readFlags(call)) paused[flag] = to;
  const reason = readReason(call);
  const outcome = await withContext(call, (ctx) =>
    carryOut(ctx, commandLine, statusPlanOf(ctx, { paused, reason })),
  );
  if (outcome.kind === 'done' && outcome.status) {
    return done({ ...toView(outcome.status), tx_hash: outcome.txHash });
  }
  return done(toUnsigned(outcome));
}

function readFlags(call: Call): PauseName[] {
  const names = call.get('only').split(',');
  const known = pauseNames.filter((flag) => names.includes(flag));
  if (known.length === names.length) return known;
  throw new UsageError(
    `${call.sourceOf('only')} takes one or more of ${pauseNames.join(',')}, each once, not ${quoted(call.get('only'))}`,
  );
}

function toView({ paused, market, override }: ChainStatus) {
  const until = override?.untilMs === undefined ? null : new Date(override.untilMs).toISOString();
  return { paused, market, market_override: override ? { market: override.market, until } : null };
}

export async function admin(call: Call): Promise<Outcome> {
  const newAdmin = readIfGiven(call, 'propose', readAddress);
  const steps = ['propose', 'accept', 'cancel'].filter((step) => call.find(step) !== undefined);
  if (steps.length > 1) {
    throw new UsageError('--propose, --accept and --cancel are separate steps: run one after the other');
  }
  for (const step of ['accept', 'cancel']) {
    if (call.find(step) !== undefined && call.get(step) !== 'yes') throw mustBe(call, step, 'yes');
  }
  const terms = { feePayer: readFeePayer(call), reason: readReason(call) };
  return done(
    await withContext(call, async (ctx) => {
      if (steps.includes('accept')) return shown(ctx, await acceptAdmin(ctx, commandLine, terms));
      if (steps.includes('cancel')) return shown(ctx, await cancelAdmin(ctx, commandLine, terms));
      const act = newAdmin && (await proposeAdmin(ctx, commandLine, { newAdmin, ...terms }));
      return shown(ctx, act);
    }),
  );
}

async function shown(ctx: Context, act: Parameters<typeof toChange>[0]): Promise<Record<string, unknown>> {
  const { admin, pending } = await readAdmins(ctx);
  return { admin, pending: pending && toSnakeCase(pending), ...toChange(act) };
}
