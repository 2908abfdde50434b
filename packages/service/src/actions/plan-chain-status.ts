import type { Context } from '../context.js';
import { findLastStatusSeq } from '../db/status-changes.js';
import { AppError, invalidField } from '../errors.js';
import { hasChanged, hashOf } from './plan-change.js';
import type { Decision, Plan } from './plan-operation.js';
import {
  type ChainStatusInput,
  type PauseFlags,
  readChainStatus,
  setChainStatus,
} from './set-chain-status.js';

/**
 * Plans to pause, resume, open or close. Resuming takes two people, and pausing never waits for a second one: next to a
 * pause, flags that are `false` and not paused anyway are ignored, and one request does not do both. Any change of the
 * status after a resumption was planned voids it. Throws `invalid_request`, and `service_unavailable` when the node does
 * not report what is paused.
 */
export async function planChainStatus(ctx: Context, input: ChainStatusInput): Promise<Plan> {
  const flags = Object.entries(input.paused ?? {});
  const isPause = flags.some(([, flag]) => flag === true);
  const isResumption = flags.some(([, flag]) => flag === false);
  if (ctx.config.approvals < 2 || !isResumption) return planOf(ctx, input);
  const { paused: current, market } = await readChainStatus(ctx);
  if (isPause) {
    const pauses = flags.filter(([name, flag]) => flag || current[name as keyof PauseFlags]);
    if (pauses.every(([, flag]) => flag)) {
      return planOf(ctx, { ...input, paused: Object.fromEntries(pauses) });
    }
    const message =
      'paused must not both pause and resume: a pause is done at once, resuming takes two people.';
    throw invalidField('paused', message);
  }
  const { decision: _, ...request } = input;
  // A pause of what is paused already leaves the flags as they are, and is for a reason that nobody has looked into yet.
  const lastSeq = await findLastStatusSeq(ctx.db);
  const plan = planOf(ctx, input);
  return {
    ...plan,
    request: { ...request },
    before: { paused: current, market },
    objectHash: hashOf({ paused: current, last_seq: lastSeq }),
    takesTwo: true,
    carryOut: (by, decision, settle) => plan.carryOut(by, unlessChanged(decision, lastSeq), settle),
  };
}

/** A decision that is void when the status was changed after `lastSeq`. Taken while nobody else writes down a change. */
function unlessChanged(decision: Decision, lastSeq: number): Decision {
  return {
    ...decision,
    take: async (tx) => {
      if ((await findLastStatusSeq(tx)) !== lastSeq) throw hasChanged();
      await decision.take(tx);
    },
  };
}

function planOf(ctx: Context, input: ChainStatusInput): Plan {
  return {
    action: 'chain.status',
    objectType: 'chain',
    objectId: ctx.chain.programAddress,
    request: { ...input },
    before: null,
    objectHash: hashOf(null),
    takesTwo: false,
    carryOut: async (by, decision, settle) => {
      const status = await setChainStatus(ctx, by, { ...input, decision }, (tx, set) =>
        settle(tx, { kind: 'changed', changed: { status: set } }),
      );
      return { kind: 'changed', changed: { status } };
    },
  };
}

/** Reads the request of an approval, which this service wrote itself. */
export function readStoredStatus(stored: Record<string, unknown>): ChainStatusInput {
  if (typeof stored.paused === 'object') return stored as ChainStatusInput;
  throw new AppError('internal_error', 'an approval of chain.status names no flags');
}
