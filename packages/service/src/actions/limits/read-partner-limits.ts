import { noLimit, roomierOnChainMs, usedIn } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import { countOpenStreams } from '../../db/events/event-streams.js';
import { findFeeUse } from '../../db/limits/fee-spending.js';
import { findPartnerVelocity, findUsage } from '../../db/limits/velocity.js';
import { countEndpoints } from '../../db/webhooks/webhook-endpoints.js';
import type { Uuid } from '../../domain/ids.js';
import { feeBudget, fullHourOf, type RequestKind } from '../../domain/limits.js';
import { amountNumber, decimalNumber, formatDecimal, lamportDecimals } from '../../domain/money.js';
import type { Principal } from '../../domain/principal.js';
import {
  roomierAtMs,
  usedOf,
  type Velocity,
  type VelocityToken,
  type VelocityWindow,
  velocityTokens,
} from '../../domain/velocity.js';
import { maxEndpoints } from '../../domain/webhook.js';
import { streamsOfACaller, streamsOfAPartner } from '../../events/event-stream-register.js';
import type { Budget } from './budget.js';

export const limitUnits = ['USDC', 'GOLD', 'SOL', 'requests', 'webhook endpoints', 'streams'] as const;

/** A limit that can stop a partner, under the name that its refusals have. */
export interface PartnerLimit {
  name: string;
  unit: (typeof limitUnits)[number];
  /** How long what is used counts, in seconds; null for what counts as long as it is there. */
  periodSeconds: number | null;
  /** Null for a limit of each user, of which each has used another part. */
  used: number | null;
  /** What open quotes may still move of it. */
  reserved: number;
  /** Null: no limit is set. */
  limit: number | null;
  left: number | null;
  /** When some of it, or all of what counts by the hour of a clock, is free again; null when nothing is used. */
  resetsAt: Date | null;
}

/** The budgets of requests that keys, members, and partners over all of both have. */
export type RequestBudgets = Record<RequestKind, Record<'key' | 'member' | 'partner', Budget>>;

const dayMs = 24 * 3_600_000;

/** Returns every limit that can stop a partner, with what is used of it, from where requests are held to it. */
export async function readPartnerLimits(
  ctx: Context,
  principal: Principal,
  budgets: RequestBudgets,
): Promise<PartnerLimit[]> {
  const { partnerId } = principal;
  const caller =
    'keyId' in principal
      ? ({ of: 'key', id: principal.keyId } as const)
      : ({ of: 'member', id: principal.memberId } as const);
  return [
    ...(await readVelocity(ctx, partnerId)),
    ...readOnChain(ctx, partnerId),
    ...(await readFees(ctx, partnerId)),
    ...(await readRequests({ of: 'partner', id: partnerId }, budgets)),
    ...(await readRequests(caller, budgets)),
    countOf('webhook_endpoints', 'webhook endpoints', await countEndpoints(ctx.db, partnerId), maxEndpoints),
    ...(await readStreams(ctx, partnerId, caller)),
  ];
}

async function readVelocity({ db, clock }: Context, partnerId: Uuid): Promise<PartnerLimit[]> {
  const nowMs = clock.now();
  const velocity = await findPartnerVelocity(db, partnerId);
  const window = velocity ? velocity.partner.window : await findUsage(db, partnerId);
  return velocityTokens.flatMap((token) => [
    ofPartner(token, { velocity, window, nowMs }),
    ofUsers(token, velocity),
  ]);
}

/** Returns the partner's own limit on chain, which counts an amount in its hour and the 24 after it. */
function readOnChain({ chain, clock }: Context, partnerId: Uuid): PartnerLimit[] {
  const onChain = chain.program.lastIntegrator(partnerId)?.data;
  if (!onChain) return [];
  const used = usedIn(onChain.usdcVolume, clock.now());
  const limit = onChain.dailyLimitUsdc === noLimit ? null : onChain.dailyLimitUsdc;
  const left = limit === null ? null : limit - used;
  return [
    {
      name: 'chain_daily_usdc',
      unit: 'USDC',
      periodSeconds: dayMs / 1_000,
      used: amountNumber(used),
      reserved: 0,
      limit: limit === null ? null : amountNumber(limit),
      left: left === null ? null : amountNumber(left > 0n ? left : 0n),
      resetsAt: momentOf(roomierOnChainMs(onChain.usdcVolume, clock.now())),
    },
  ];
}

/** How the limits of a token are named and counted. */
const dailyOf = (scope: 'partner' | 'user', token: VelocityToken) => ({
  name: `${scope}_daily_${token}`,
  unit: token === 'gold' ? ('GOLD' as const) : ('USDC' as const),
  periodSeconds: dayMs / 1_000,
});

function ofPartner(
  token: VelocityToken,
  {
    velocity,
    window,
    nowMs,
  }: { velocity: Velocity | null; window: VelocityWindow | undefined; nowMs: number },
): PartnerLimit {
  const limit = velocity?.partner.limits[token] ?? null;
  const used = usedOf(window, token, nowMs);
  const reserved = velocity?.partner.reserved?.[token] ?? 0n;
  const left = limit === null ? null : limit - used - reserved;
  return {
    ...dailyOf('partner', token),
    used: amountNumber(used),
    reserved: amountNumber(reserved),
    limit: limit === null ? null : amountNumber(limit),
    left: left === null ? null : amountNumber(left > 0n ? left : 0n),
    resetsAt: momentOf(roomierAtMs(window, token, nowMs)),
  };
}

function ofUsers(token: VelocityToken, velocity: Velocity | null): PartnerLimit {
  const limit = velocity?.user.limits[token] ?? null;
  return {
    ...dailyOf('user', token),
    used: null,
    reserved: 0,
    limit: limit === null ? null : amountNumber(limit),
    left: null,
    resetsAt: null,
  };
}

async function readFees({ db, clock }: Context, partnerId: Uuid): Promise<PartnerLimit[]> {
  const nowMs = clock.now();
  const found = await findFeeUse(db, partnerId, nowMs);
  if (!found) return [];
  // Where more was earned than paid, nothing is used.
  const used = found.lamports > 0n ? found.lamports : 0n;
  const left = found.budget - found.lamports;
  const sol = (lamports: bigint) => decimalNumber(formatDecimal(lamports, lamportDecimals));
  return [
    {
      name: 'fee_budget',
      unit: 'SOL',
      periodSeconds: feeBudget.windowMs / 1_000,
      used: sol(used),
      reserved: 0,
      limit: sol(found.budget),
      left: sol(left > 0n ? left : 0n),
      resetsAt: used > 0n ? new Date(fullHourOf(nowMs).getTime() + feeBudget.windowMs) : null,
    },
  ];
}

async function readRequests(
  { of, id }: { of: 'partner' | 'key' | 'member'; id: Uuid },
  budgets: RequestBudgets,
): Promise<PartnerLimit[]> {
  const limits: PartnerLimit[] = [];
  for (const kind of ['reads', 'writes'] as const) {
    const { used, limit, resetsAtMs } = await budgets[kind][of].look(id);
    const counted = countOf(`${of}_${kind}`, 'requests', used, limit);
    limits.push({ ...counted, periodSeconds: 60, resetsAt: momentOf(resetsAtMs) });
  }
  return limits;
}

async function readStreams(
  { db }: Context,
  partnerId: Uuid,
  caller: { of: 'key' | 'member'; id: Uuid },
): Promise<PartnerLimit[]> {
  const open = await countOpenStreams(db, [partnerId]);
  return [
    countOf('partner_streams', 'streams', open.get(partnerId) ?? 0, streamsOfAPartner),
    countOf(`${caller.of}_streams`, 'streams', open.get(caller.id) ?? 0, streamsOfACaller),
  ];
}

function countOf(name: string, unit: PartnerLimit['unit'], used: number, limit: number): PartnerLimit {
  const left = Math.max(0, limit - used);
  return { name, unit, periodSeconds: null, used, reserved: 0, limit, left, resetsAt: null };
}

const momentOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms));
