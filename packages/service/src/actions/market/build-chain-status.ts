import {
  MarketState as ChainMarket,
  type Config,
  getPauseInstructionAsync,
  getResumeInstructionAsync,
  getSetMarketInstructionAsync,
} from '@karat/program-client';
import { createNoopSigner, type Instruction } from '@solana/kit';
import { actingRole, holds, keyOf, type Role } from '../../chain/build/prepare-transaction.js';
import type { Context } from '../../context.js';
import { findMarketOverride } from '../../db/market/market-overrides.js';
import { type MarketOverride, type MarketState, overrideOf } from '../../domain/market-calendar.js';
import {
  type ChainStatus,
  flagsOf,
  type Paused,
  pauseBits,
  pausedOf,
  pauseFlags,
} from '../../domain/program-status.js';
import { invalidField, unavailable } from '../../errors.js';
import type { ChainSteps, PlanFacts } from '../approvals/plan.js';
import { readProgramConfig } from '../program/read-program-config.js';
import { overrideMarket } from './override-market.js';

/** What of the program is paused; what is not named stays as it is. */
export type PauseFlags = { [name in keyof Paused]?: boolean | undefined };

export interface ChainStatusInput {
  paused?: PauseFlags | undefined;
  /** `auto` leaves the market to the calendar again. */
  market?: MarketState | 'auto' | undefined;
  /** Why, for the audit log; at most 1,000 characters. */
  reason?: string | undefined;
}

/** What is paused, resumed, opened or closed. */
export interface StatusPlan extends PlanFacts {
  in: 'chain';
  action: 'chain.status';
  input: ChainStatusInput;
  /** What a resumption was decided on; default: the state when it is built. */
  expectedPauseSeq?: bigint | undefined;
}

/** Reads pause flags and market of the program from the node now. Throws `service_unavailable` when it does not respond. */
export async function readChainStatus(ctx: Context): Promise<ChainStatus> {
  return {
    ...toStatus(await readProgramConfig(ctx), ctx.clock.now()),
    override: await standingOverride(ctx),
    txHash: null,
  };
}

/**
 * Pauses or resumes kinds of instructions and opens or closes the market, by one transaction of the keys that it
 * takes: the guardian's to pause, the admin's to resume, the market's. A pause is sent also where the flags are set already: a
 * resumption that lands in between is taken back by it.
 *
 * `build` throws `invalid_request` when nothing is named, and `service_unavailable` without the key that pauses or sets the market.
 */
export const chainStatus: ChainSteps<StatusPlan> = {
  async build(ctx, { input, expectedPauseSeq }) {
    const { paused = {}, market } = input;
    const [pauses, resumes] = [flagsOf(paused, true), flagsOf(paused, false)];
    if (market === undefined && (pauses | resumes) === 0) {
      throw invalidField('paused', 'Name at least one of paused and market.');
    }
    const config = await readProgramConfig(ctx);
    const nowMs = ctx.clock.now();
    const present = pauseFlags(config, nowMs);
    const change = { pauses, resumes: resumes & present, market: marketChange(config, market) };
    if (change.resumes !== 0 && pauses !== 0 && !holds(ctx.chain, config, 'admin')) {
      const message =
        "paused must not both pause and resume: a pause takes effect immediately, a resumption waits for the admin's signature.";
      throw invalidField('paused', message);
    }
    const { instructions, signedBy } = await toInstructions(
      ctx,
      config,
      change,
      expectedPauseSeq ?? config.pauseSeq,
    );
    const after = {
      paused: pausedOf((present & ~change.resumes) | pauses),
      market: marketName(change.market ?? config.marketState),
    };
    const kind = change.resumes !== 0 ? 'resume' : pauses !== 0 ? 'pause' : 'set_market';
    const override =
      market === undefined ? await standingOverride(ctx) : overrideOf(market, nowMs, ctx.calendar);
    return {
      row: { kind },
      signedBy,
      config,
      instructions,
      change: {
        before: { ...toStatus(config, nowMs) },
        after: { ...after, asked: market ?? null },
        reason: input.reason,
      },
      unsent: { status: { ...after, override, txHash: null } },
    };
  },

  async recheck(ctx, { tx, by }, { input }) {
    if (input.market !== undefined) await overrideMarket(ctx, tx, input.market, by.personId);
  },

  async readResult(ctx, _plan, slot) {
    const status = toStatus(await readProgramConfig(ctx, slot), ctx.clock.now());
    return { status: { ...status, override: await standingOverride(ctx), txHash: null } };
  },
};

/** What is to be sent. */
interface StatusChange {
  /** Pause flags to set. */
  pauses: number;
  /** Pause flags to clear. */
  resumes: number;
  /** Undefined: as it is. */
  market: ChainMarket | undefined;
}

/** Returns the instructions of a change. The resumption comes first: what follows it increments the config's events. */
async function toInstructions(
  { chain }: Context,
  config: Config,
  { pauses, resumes, market }: StatusChange,
  expectedPauseSeq: bigint,
): Promise<{ instructions: Instruction[]; signedBy: Role[] }> {
  const target = { programAddress: chain.programAddress };
  const instructions: Instruction[] = [];
  const signedBy: Role[] = [];
  if (resumes !== 0) {
    actingRole(chain, config, ['admin']);
    signedBy.push('admin');
    const admin = createNoopSigner(config.admin);
    // Nothing leaves a paused treasury by the word of the admin alone.
    const withGuardian = (resumes & pauseBits.treasury) !== 0;
    if (withGuardian) signedBy.push('guardian');
    const input = {
      admin,
      ...(withGuardian && { guardian: createNoopSigner(keyOf(config, 'guardian')) }),
      mask: resumes,
      expectedPauseSeq,
    };
    instructions.push(await getResumeInstructionAsync(input, target));
  }
  if (pauses !== 0) {
    const role = requireRole(chain, config, ['guardian', 'admin']);
    signedBy.push(role);
    const authority = createNoopSigner(keyOf(config, role));
    instructions.push(await getPauseInstructionAsync({ authority, mask: pauses }, target));
  }
  if (market !== undefined) {
    const role = requireRole(chain, config, ['market', 'admin']);
    signedBy.push(role);
    const authority = createNoopSigner(keyOf(config, role));
    instructions.push(await getSetMarketInstructionAsync({ authority, marketState: market }, target));
  }
  return { instructions, signedBy };
}

/** Returns the role of a key that this process holds. Throws `service_unavailable` when it holds none of them. */
function requireRole(chain: Context['chain'], config: Config, allowed: readonly Role[]): Role {
  const role = actingRole(chain, config, allowed);
  if (holds(chain, config, role)) return role;
  throw unavailable(`This process does not hold the ${allowed[0]} key.`);
}

/** Returns the state that the market is to be set to; undefined: it is as it should be, or the keeper sets it. */
function marketChange(config: Config, desired: ChainStatusInput['market']): ChainMarket | undefined {
  if (desired === undefined || desired === 'auto') return undefined;
  const wanted = desired === 'open' ? ChainMarket.Open : ChainMarket.Closed;
  return wanted === config.marketState ? undefined : wanted;
}

/** Returns the override, if its time is not over. */
async function standingOverride(ctx: Context): Promise<MarketOverride | undefined> {
  const override = await findMarketOverride(ctx.db);
  const isOver = override?.untilMs !== undefined && override.untilMs <= ctx.clock.now();
  return isOver ? undefined : override;
}

/** Returns pause flags and market as people read them. */
export function toStatus(
  config: Pick<Config, 'paused' | 'treasuryPausedUntil' | 'marketState'>,
  nowMs: number,
): Pick<ChainStatus, 'paused' | 'market'> {
  return { paused: pausedOf(pauseFlags(config, nowMs)), market: marketName(config.marketState) };
}

const marketName = (state: ChainMarket): MarketState => (state === ChainMarket.Open ? 'open' : 'closed');
