import { MarketState as ChainMarket, type Config } from '@karat/program-client';
import { type Landing, sendAndWait, signSetStatus } from '../chain/admin-transactions.js';
import { readConfig } from '../chain/keeper-view.js';
import type { Signer } from '../chain/signer.js';
import type { Context } from '../context.js';
import type { Db, Tx } from '../db/client.js';
import { findMarketOverride } from '../db/market-overrides.js';
import { insertOperatorTransaction } from '../db/operator-transactions.js';
import type { ChangedBy } from '../domain/audit.js';
import { newUuid } from '../domain/ids.js';
import type { MarketOverride, MarketState } from '../domain/market-calendar.js';
import { AppError, invalidField } from '../errors.js';
import { recordChange } from './audit.js';
import { overrideMarket } from './override-market.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/** What of the program is paused; what is not named stays as it is. */
export interface PauseFlags {
  trade?: boolean | undefined;
  partner?: boolean | undefined;
  withdraw?: boolean | undefined;
}

export interface ChainStatusInput {
  paused?: PauseFlags | undefined;
  /** `auto` leaves the market to the calendar again. */
  market?: MarketState | 'auto' | undefined;
}

export interface ChainStatus {
  paused: Required<Record<keyof PauseFlags, boolean>>;
  market: MarketState;
  /** An operator's word that stands against the calendar. */
  override: MarketOverride | undefined;
  /** Of the change; null when the chain was as asked already. */
  txHash: string | null;
}

const flagBits = { trade: 1, partner: 2, withdraw: 4 } as const;
const readWithinMs = 2_000;
const waitMs = 20_000;

/** Pause flags and market of the program, read from the node now. Throws `service_unavailable` when it is silent. */
export async function readChainStatus(ctx: Context): Promise<ChainStatus> {
  const config = await readNow(ctx);
  return { ...toStatus(config), override: await standingOverride(ctx, ctx.db), txHash: null };
}

/**
 * Pauses or resumes kinds of instructions and opens or closes the market, by a transaction of the guardian. Throws
 * `invalid_request` when nothing is named, `broadcast_failed`, and `service_unavailable` without the guardian's key and
 * when the change is not confirmed in time.
 */
export async function setChainStatus(
  ctx: Context,
  by: ChangedBy,
  input: ChainStatusInput,
  settle: Settle<ChainStatus> = settleNothing,
): Promise<ChainStatus> {
  const { paused, market } = input;
  if (market === undefined && Object.keys(paused ?? {}).length === 0) {
    throw invalidField('paused', 'Name at least one of paused and market.');
  }
  const config = await readNow(ctx);
  const guardian = guardianOf(ctx, config);
  const wanted = {
    paused: flagsAfter(config.paused, paused),
    marketState:
      market === undefined || market === 'auto'
        ? config.marketState
        : market === 'open'
          ? ChainMarket.Open
          : ChainMarket.Closed,
  };
  const isSame = wanted.paused === config.paused && wanted.marketState === config.marketState;
  const after = toStatus(wanted);
  const plan = { by, input, before: toStatus(config), after };
  if (isSame) {
    return ctx.db.transaction(async (tx) => {
      const override = await record(ctx, tx, plan, null);
      const status = { ...after, override, txHash: null };
      await settle(tx, status);
      return status;
    });
  }
  const { txHash, override } = await send(ctx, guardian, wanted, plan);
  const status = { ...after, override, txHash };
  await ctx.db.transaction((tx) => settle(tx, status));
  return status;
}

type Shown = Pick<ChainStatus, 'paused' | 'market'>;
interface StatusPlan {
  by: ChangedBy;
  input: ChainStatusInput;
  before: Shown;
  after: Shown;
}

/** Signs, writes down, sends and waits: the keeper holds back while an operator's change is on its way. */
async function send(
  ctx: Context,
  guardian: Signer,
  wanted: Pick<Config, 'paused' | 'marketState'>,
  plan: StatusPlan,
): Promise<{ txHash: string; override: MarketOverride | undefined }> {
  const { chain, config } = ctx;
  const signed = await signSetStatus(chain, guardian, wanted, BigInt(config.priorityFeeCapMicroLamports));
  const { txHash, lastValidBlockHeight } = signed;
  const override = await ctx.db.transaction(async (tx) => {
    const { operatorId } = plan.by;
    const nothing = { redemptionId: null, partnerId: null, amount: null };
    const row = { id: newUuid(), kind: 'set_status' as const, ...nothing, operatorId };
    const at = new Date(ctx.clock.now());
    await insertOperatorTransaction(tx, { ...row, txSignature: txHash, lastValidBlockHeight }, at);
    return record(ctx, tx, plan, txHash);
  });
  const landing = await sendAndWait(chain, signed, AbortSignal.timeout(waitMs));
  if (landing.kind !== 'confirmed') throw notConfirmed(txHash, landing);
  return { txHash, override };
}

async function record(
  ctx: Context,
  tx: Tx,
  plan: StatusPlan,
  txHash: string | null,
): Promise<MarketOverride | undefined> {
  const { by, input, before, after } = plan;
  if (input.market !== undefined) await overrideMarket(ctx, tx, input.market, by.operatorId);
  const change = { action: 'chain.status', objectType: 'chain', objectId: ctx.chain.programAddress };
  const asked = { ...after, asked: input.market ?? null, tx_hash: txHash };
  await recordChange(tx, by, { ...change, before: { ...before }, after: asked }, new Date(ctx.clock.now()));
  return standingOverride(ctx, tx);
}

function notConfirmed(txHash: string, landing: Exclude<Landing, { kind: 'confirmed' }>): AppError {
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    return new AppError('broadcast_failed', `The chain refused ${txHash}: ${landing.reason}`);
  }
  const message = `The change ${txHash} is not confirmed yet; look at the state and ask again.`;
  return new AppError('service_unavailable', message);
}

function guardianOf({ chain }: Context, config: Config): Signer {
  const { guardian } = chain;
  if (guardian?.address === config.guardian) return guardian;
  const message = guardian
    ? "The guardian key of this process is not the program's guardian."
    : 'This process does not hold the guardian key.';
  throw new AppError('service_unavailable', message);
}

async function readNow(ctx: Context): Promise<Config> {
  try {
    return await readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs));
  } catch (cause) {
    const message = 'The Solana node does not tell the state of the program; try again shortly.';
    throw new AppError('service_unavailable', message, { cause });
  }
}

/** The override, if its time is not over. */
async function standingOverride(ctx: Context, db: Db | Tx): Promise<MarketOverride | undefined> {
  const override = await findMarketOverride(db);
  const isOver = override?.untilMs !== undefined && override.untilMs <= ctx.clock.now();
  return isOver ? undefined : override;
}

function flagsAfter(flags: number, wanted: PauseFlags | undefined): number {
  let after = flags;
  for (const [name, bit] of Object.entries(flagBits)) {
    const pause = wanted?.[name as keyof PauseFlags];
    if (pause !== undefined) after = pause ? after | bit : after & ~bit;
  }
  return after;
}

function toStatus({ paused, marketState }: Pick<Config, 'paused' | 'marketState'>): Shown {
  return {
    paused: {
      trade: (paused & flagBits.trade) !== 0,
      partner: (paused & flagBits.partner) !== 0,
      withdraw: (paused & flagBits.withdraw) !== 0,
    },
    market: marketState === ChainMarket.Open ? 'open' : 'closed',
  };
}
