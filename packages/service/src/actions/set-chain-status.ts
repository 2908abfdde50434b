import { MarketState as ChainMarket, type Config } from '@karat/program-client';
import { requireSuccess } from '../chain/admin-operations.js';
import {
  findLanding,
  type Landing,
  type ProgramStatus,
  type SignedTransaction,
  sendAndWait,
  signSetStatus,
} from '../chain/admin-transactions.js';
import type { Chain } from '../chain/chain.js';
import { readConfig } from '../chain/keeper-view.js';
import type { Signer } from '../chain/signer.js';
import type { Context } from '../context.js';
import type { Db, Tx } from '../db/client.js';
import { findMarketOverride } from '../db/market-overrides.js';
import { insertOperatorTransaction } from '../db/operator-transactions.js';
import {
  findStatusChanges,
  findStatusWords,
  lockStatusChanges,
  type StatusChange,
  type StatusFacts,
} from '../db/status-changes.js';
import type { ChangedBy } from '../domain/audit.js';
import { newUuid } from '../domain/ids.js';
import { type MarketOverride, type MarketState, wantedMarket } from '../domain/market-calendar.js';
import { isPause, overwrittenFlags, type Paused, pauseBits, pausedOf } from '../domain/program-status.js';
import { AppError, invalidField } from '../errors.js';
import { recordChange } from './audit.js';
import { overrideMarket } from './override-market.js';
import type { Decision } from './plan-operation.js';
import { programRead, unavailable } from './program-read.js';
import { type Settle, settleNothing } from './settle-idempotency-key.js';

/** What of the program is paused; what is not named stays as it is. */
export type PauseFlags = { [name in keyof Paused]?: boolean | undefined };

export interface ChainStatusInput {
  paused?: PauseFlags | undefined;
  /** `auto` leaves the market to the calendar again. */
  market?: MarketState | 'auto' | undefined;
  /** Why, for the audit log; at most 1,000 characters. */
  reason?: string | undefined;
  /** The approval of it, if there was one. */
  decision?: Decision | undefined;
}

export interface ChainStatus {
  paused: Paused;
  market: MarketState;
  /** An operator's word that stands against the calendar. */
  override: MarketOverride | undefined;
  /** Of the last change that it took; null when the chain was as asked already. */
  txHash: string | null;
}

const readWithinMs = 2_000;
const waitMs = 20_000;
/** How long the answer to a pause waits for what was on its way before it. */
const lookBackMs = 5_000;
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
 * that were sent before, unless it only pauses. A pause is sent at once, and once more when one of those undid it; what
 * lands when the answer is given, the keeper looks after. Throws `invalid_request` when nothing is named,
 * `broadcast_failed`, and `service_unavailable` without the guardian's key and when the change, or one that it has to wait
 * for, is not confirmed in time.
 */
export async function setChainStatus(
  ctx: Context,
  by: ChangedBy,
  input: ChainStatusInput,
  settle: Settle<ChainStatus> = settleNothing,
): Promise<ChainStatus> {
  const { paused, market } = input;
  const named = Object.values(paused ?? {}).filter((flag) => flag !== undefined);
  if (market === undefined && named.length === 0) {
    throw invalidField('paused', 'Name at least one of paused and market.');
  }
  const onlyPauses = market === undefined && named.every((flag) => flag);
  const deadline = AbortSignal.timeout(waitMs);
  for (;;) {
    const known = onlyPauses ? await othersNow(ctx) : await othersEnded(ctx, deadline);
    if (deadline.aborted) throw unavailable('Others keep changing this; try again shortly.');
    const config = await readNow(ctx, known.slot);
    const guardian = guardianOf(ctx, config);
    const base = await baseOf(ctx, config, known);
    const wanted = { paused: flagsAfter(base.paused, paused), marketState: marketAfter(base, market) };
    const plan = { by, input, before: toStatus(base), after: toStatus(wanted) };
    const isSame = wanted.paused === config.paused && wanted.marketState === config.marketState;
    // Also what is as asked has to be set behind a change that may undo it.
    if (isSame && known.flying.length === 0) {
      const noted = await note(ctx, plan, known, settle);
      if (noted) return noted;
      continue;
    }
    const sent = await send(ctx, guardian, wanted, { plan, known, deadline });
    if (!sent) continue;
    const status = known.flying.length === 0 ? sent.status : await lookBack(ctx, sent, known, paused);
    if (!status) continue;
    await ctx.db.transaction((tx) => settle(tx, status));
    return status;
  }
}

type Shown = Pick<ChainStatus, 'paused' | 'market'>;
interface StatusPlan {
  by: ChangedBy;
  input: ChainStatusInput;
  /** What stood: the chain's state, with pauses that were undone and are to be set again. */
  before: Shown;
  after: Shown;
}

/** A change that is confirmed. */
interface Sent {
  status: ChainStatus & { txHash: string };
  slot: bigint;
}

/** The changes that were written down before. */
interface Known {
  txHashes: ReadonlySet<string>;
  /** Those that took effect, with their slots. */
  landed: ReadonlyMap<string, bigint>;
  /** Those that may still land. */
  flying: readonly StatusChange[];
  /** The last slot in which one ended. */
  slot: bigint;
}

/** Waits for the changes that were sent before. Throws `service_unavailable` when one is still on its way at `deadline`. */
async function othersEnded(ctx: Context, deadline: AbortSignal): Promise<Known> {
  const ends: [StatusChange, Landing][] = [];
  for (const change of await findStatusChanges(ctx.db, aliveSince(ctx))) {
    const landing = noted(change) ?? (await waitFor(ctx, change, deadline));
    if (landing.kind === 'pending') {
      throw unavailable(`Another change, ${change.txHash}, is on its way; try again shortly.`);
    }
    ends.push([change, landing]);
  }
  return knownBy(ends);
}

/** What has become of the changes that were sent before; of whose end the node does not tell is on its way. */
async function othersNow(ctx: Context): Promise<Known> {
  const changes = await findStatusChanges(ctx.db, aliveSince(ctx));
  const pending = { kind: 'pending' } as const;
  return knownBy(
    await Promise.all(
      changes.map(
        async (change): Promise<[StatusChange, Landing]> => [
          change,
          noted(change) ?? (await findLanding(ctx.chain, change).catch(() => pending)),
        ],
      ),
    ),
  );
}

function knownBy(ends: readonly [StatusChange, Landing][]): Known {
  const landed = new Map<string, bigint>();
  let last = 0n;
  for (const [{ txHash }, landing] of ends) {
    if (landing.kind === 'confirmed') landed.set(txHash, landing.slot);
    if ('slot' in landing && landing.slot > last) last = landing.slot;
  }
  return {
    txHashes: new Set(ends.map(([{ txHash }]) => txHash)),
    landed,
    flying: ends.filter(([, { kind }]) => kind === 'pending').map(([change]) => change),
    slot: last,
  };
}

/** The end that the indexer noted. */
function noted({ status, slot }: StatusChange): Landing | undefined {
  if (status === 'pending') return undefined;
  if (status === 'expired' || slot === null) return { kind: 'expired' };
  return status === 'confirmed' ? { kind: 'confirmed', slot } : { kind: 'failed', slot, reason: '' };
}

/** The end of a change, `pending` when it has none at `deadline`. */
async function waitFor(ctx: Context, change: StatusChange, deadline: AbortSignal): Promise<Landing> {
  for (;;) {
    const landing = await programRead(findLanding(ctx.chain, change));
    if (landing.kind !== 'pending' || deadline.aborted) return landing;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/**
 * What a change starts from: the chain's state, what is going to be set, as far as it is known, and pauses that were
 * undone. A flag too many is taken back by whoever wants that; one too few lets through what was to be stopped.
 */
async function baseOf(ctx: Context, config: Config, { flying, landed }: Known): Promise<ProgramStatus> {
  const words = (await findStatusWords(ctx.db, aliveSince(ctx))).map((word) => ({
    ...word,
    slot: landed.get(word.txHash ?? '') ?? null,
  }));
  const ahead = words.filter(({ txHash }) => flying.some((change) => change.txHash === txHash));
  const lost = overwrittenFlags(words, config.paused);
  const paused = ahead.reduce((flags, { after }) => flags | after, config.paused | lost);
  if (!flying.some(({ byKeeper }) => byKeeper)) {
    return { paused, marketState: marketAfter(config, ahead.at(-1)?.market) };
  }
  // What the keeper sends nobody wrote down: it sets the market as it should be, and again what people paused last.
  const last = words.findLast(({ txHash, slot }) => txHash === null || slot !== null);
  const market = wantedMarket(ctx.clock.now(), ctx.calendar, await standingOverride(ctx, ctx.db));
  return { paused: paused | (last?.after ?? 0), marketState: marketAfter(config, market) };
}

/**
 * Waits a while for what was on its way when a pause was sent, and answers what is set then. Undefined when that undid the
 * pause, and nobody took it back.
 */
async function lookBack(
  ctx: Context,
  { status, slot }: Sent,
  { flying }: Known,
  pauses: PauseFlags | undefined,
): Promise<ChainStatus | undefined> {
  const soon = AbortSignal.timeout(lookBackMs);
  const ends = await Promise.all(flying.map((change) => waitFor(ctx, change, soon)));
  const last = ends.reduce((latest, end) => ('slot' in end && end.slot > latest ? end.slot : latest), slot);
  const config = await readNow(ctx, last);
  if (flagsAfter(config.paused, pauses) === config.paused) return { ...status, ...toStatus(config) };
  const words = await findStatusWords(ctx.db, aliveSince(ctx));
  const own = words.findLastIndex(({ txHash }) => txHash === status.txHash);
  const isTakenBack = words.slice(own + 1).some((word) => !isPause(word));
  return isTakenBack ? { ...status, ...toStatus(config) } : undefined;
}

/** Whether a change was written down that was not there when the state was read. The answer holds until the commit. */
async function isOutrun(ctx: Context, tx: Tx, known: Known): Promise<boolean> {
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
  known: Known,
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
  wanted: ProgramStatus,
  { plan, known, deadline }: { plan: StatusPlan; known: Known; deadline: AbortSignal },
): Promise<Sent | undefined> {
  const { chain, config } = ctx;
  const computeUnitPrice = BigInt(config.priorityFeeCapMicroLamports);
  const signed = await programRead(signSetStatus(chain, guardian, wanted, computeUnitPrice));
  const { txHash, lastValidBlockHeight } = signed;
  // A node that lags behind gave an old blockhash: these very bytes have ended, and have no effect again.
  const hasEnded = known.txHashes.has(txHash) && !known.flying.some((change) => change.txHash === txHash);
  if (hasEnded || (await isOnChain(chain, signed))) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    return undefined;
  }
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
  return { status: { ...plan.after, ...written, txHash }, slot: landing.slot };
}

/** Whether somebody else had these very bytes sent at this moment. Throws when the chain would refuse them. */
async function isOnChain(chain: Chain, signed: SignedTransaction): Promise<boolean> {
  try {
    await requireSuccess(chain, signed);
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === 'transition_not_allowed') return true;
    throw error;
  }
}

async function record(
  ctx: Context,
  tx: Tx,
  plan: StatusPlan,
  txHash: string | null,
): Promise<MarketOverride | undefined> {
  const { by, input, before, after } = plan;
  await input.decision?.take(tx);
  await input.decision?.record(tx);
  if (input.market !== undefined) await overrideMarket(ctx, tx, input.market, by.operatorId);
  const change = { action: 'chain.status', objectType: 'chain', objectId: ctx.chain.programAddress };
  const facts: StatusFacts = {
    before: { ...before },
    after: { ...after, asked: input.market ?? null, tx_hash: txHash },
  };
  await recordChange(tx, by, { ...change, ...facts, reason: input.reason }, new Date(ctx.clock.now()));
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
  return programRead(readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs), slot));
}

function marketAfter({ marketState }: ProgramStatus, wish: ChainStatusInput['market']): ChainMarket {
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
  for (const [name, bit] of Object.entries(pauseBits)) {
    const pause = wanted?.[name as keyof PauseFlags];
    if (pause !== undefined) after = pause ? after | bit : after & ~bit;
  }
  return after;
}

function toStatus({ paused, marketState }: ProgramStatus): Shown {
  return { paused: pausedOf(paused), market: marketState === ChainMarket.Open ? 'open' : 'closed' };
}
