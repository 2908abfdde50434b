import { MarketState as ChainMarket, type Config } from '@karat/program-client';
import { requireSuccess } from '../chain/admin-operations.js';
import { findLanding, type Landing, sendAndWait, signSetStatus } from '../chain/admin-transactions.js';
import { readConfig } from '../chain/keeper-view.js';
import type { Signer } from '../chain/signer.js';
import type { Context } from '../context.js';
import type { Db, Tx } from '../db/client.js';
import { findMarketOverride } from '../db/market-overrides.js';
import { insertOperatorTransaction } from '../db/operator-transactions.js';
import { findStatusChanges, lockStatusChanges, type StatusChange } from '../db/status-changes.js';
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
const pollMs = 100;
/** A change lives for about a minute; the rest is for clocks that differ. */
const aliveForMs = 10 * 60_000;

/** Pause flags and market of the program, read from the node now. Throws `service_unavailable` when it is silent. */
export async function readChainStatus(ctx: Context): Promise<ChainStatus> {
  const config = await readNow(ctx);
  return { ...toStatus(config), override: await standingOverride(ctx, ctx.db), txHash: null };
}

/**
 * Pauses or resumes kinds of instructions and opens or closes the market, by a transaction of the guardian. The program
 * sets all of that at once, so that of two changes at the same time the second would undo the first: each waits for those
 * that were sent before. Throws `invalid_request` when nothing is named, `broadcast_failed`, and `service_unavailable`
 * without the guardian's key and when it, or a change before it, is not confirmed in time.
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
  const deadline = AbortSignal.timeout(waitMs);
  for (;;) {
    const known = await othersEnded(ctx, deadline);
    if (deadline.aborted) throw unavailable('Others keep changing this; try again shortly.');
    const config = await readNow(ctx, known.slot);
    const guardian = guardianOf(ctx, config);
    const wanted = { paused: flagsAfter(config.paused, paused), marketState: marketAfter(config, market) };
    const plan = { by, input, before: toStatus(config), after: toStatus(wanted) };
    const isSame = wanted.paused === config.paused && wanted.marketState === config.marketState;
    const status = isSame
      ? await note(ctx, plan, known, settle)
      : await send(ctx, guardian, wanted, { plan, known, deadline });
    if (!status) continue;
    if (!isSame) await ctx.db.transaction((tx) => settle(tx, status));
    return status;
  }
}

type Shown = Pick<ChainStatus, 'paused' | 'market'>;
interface StatusPlan {
  by: ChangedBy;
  input: ChainStatusInput;
  before: Shown;
  after: Shown;
}

/** The changes that have ended, and the last slot in which one did. */
interface Ended {
  txHashes: ReadonlySet<string>;
  slot: bigint;
}

/** Waits for the changes that were sent before. Throws `service_unavailable` when one is still on its way at `deadline`. */
async function othersEnded(ctx: Context, deadline: AbortSignal): Promise<Ended> {
  const txHashes = new Set<string>();
  let slot = 0n;
  for (const change of await findStatusChanges(ctx.db, aliveSince(ctx))) {
    const landed = change.status === 'pending' ? await waitFor(ctx, change, deadline) : change.slot;
    if (landed !== null && landed > slot) slot = landed;
    txHashes.add(change.txHash);
  }
  return { txHashes, slot };
}

/** The slot in which a change landed, null when it can no longer. */
async function waitFor(ctx: Context, change: StatusChange, deadline: AbortSignal): Promise<bigint | null> {
  for (;;) {
    const landing = await asked(findLanding(ctx.chain, change));
    if (landing.kind === 'confirmed' || landing.kind === 'failed') return landing.slot;
    if (landing.kind === 'expired') return null;
    if (deadline.aborted) {
      throw unavailable(`Another change, ${change.txHash}, is on its way; try again shortly.`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Whether a change was written down that was not there when the state was read. The answer holds until the commit. */
async function isOutrun(ctx: Context, tx: Tx, known: Ended): Promise<boolean> {
  await lockStatusChanges(tx);
  const changes = await findStatusChanges(tx, aliveSince(ctx));
  return changes.some(({ txHash }) => !known.txHashes.has(txHash));
}

/** A change that was written down before that can no longer land. */
function aliveSince({ clock }: Context): Date {
  return new Date(clock.now() - aliveForMs);
}

/** Nothing has to change on chain; undefined when somebody changes it at this moment. */
function note(
  ctx: Context,
  plan: StatusPlan,
  known: Ended,
  settle: Settle<ChainStatus>,
): Promise<ChainStatus | undefined> {
  return ctx.db.transaction(async (tx) => {
    if (await isOutrun(ctx, tx, known)) return undefined;
    const status = { ...plan.after, override: await record(ctx, tx, plan, null), txHash: null };
    await settle(tx, status);
    return status;
  });
}

/**
 * Signs, writes down, sends and waits: the keeper holds back while an operator's change is on its way. Undefined, and
 * nothing sent, when somebody else changes the state at this moment.
 */
async function send(
  ctx: Context,
  guardian: Signer,
  wanted: Pick<Config, 'paused' | 'marketState'>,
  { plan, known, deadline }: { plan: StatusPlan; known: Ended; deadline: AbortSignal },
): Promise<ChainStatus | undefined> {
  const { chain, config } = ctx;
  const computeUnitPrice = BigInt(config.priorityFeeCapMicroLamports);
  const signed = await asked(signSetStatus(chain, guardian, wanted, computeUnitPrice));
  await requireSuccess(chain, signed);
  const { txHash, lastValidBlockHeight } = signed;
  const written = await ctx.db.transaction(async (tx) => {
    if (await isOutrun(ctx, tx, known)) return undefined;
    const { operatorId } = plan.by;
    const nothing = { redemptionId: null, partnerId: null, amount: null };
    const row = { id: newUuid(), kind: 'set_status' as const, ...nothing, operatorId };
    const at = new Date(ctx.clock.now());
    await insertOperatorTransaction(tx, { ...row, txSignature: txHash, lastValidBlockHeight }, at);
    return { override: await record(ctx, tx, plan, txHash) };
  });
  if (!written) return undefined;
  const landing = await sendAndWait(chain, signed, deadline);
  if (landing.kind !== 'confirmed') throw notConfirmed(txHash, landing);
  return { ...plan.after, ...written, txHash };
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
  return unavailable(`The change ${txHash} is not confirmed yet; look at the state and ask again.`);
}

function guardianOf({ chain }: Context, config: Config): Signer {
  const { guardian } = chain;
  if (guardian?.address === config.guardian) return guardian;
  throw unavailable(
    guardian
      ? "The guardian key of this process is not the program's guardian."
      : 'This process does not hold the guardian key.',
  );
}

/** The program's configuration as the node knows it at `slot` or later. */
function readNow(ctx: Context, slot = 0n): Promise<Config> {
  return asked(readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs), slot));
}

async function asked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw unavailable('The Solana node does not tell the state of the program; try again shortly.', cause);
  }
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('service_unavailable', message, { cause });
}

function marketAfter({ marketState }: Config, wish: ChainStatusInput['market']): ChainMarket {
  if (wish === undefined || wish === 'auto') return marketState;
  return wish === 'open' ? ChainMarket.Open : ChainMarket.Closed;
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
