import { readBacking } from '../actions/reserves/read-backing.js';
import type { Doubts } from '../actions/treasury/check-balances.js';
import type { Context } from '../context.js';
import { slowTransaction, type Tx } from '../db/client.js';
import type { Backing } from '../domain/reserves/backing.js';
import { pause } from '../runtime/time.js';
import { checkBacking, checkEscrow, checkGoldSupply, checkTreasury } from './check-conservation.js';
import { checksOfEvents } from './check-events.js';
import {
  checkLanded,
  checkProgramEvents,
  checkRecords,
  findFinalRecords,
  findFirstSlot,
} from './check-landings.js';
import { checkLimits } from './check-limits.js';
import { checkBars, checkSettlements } from './check-once.js';
import { checkAuditAnchors, checkAuditLog, checkStatements } from './check-proofs.js';
import { checkTransitions } from './check-transitions.js';
import { checkVaults, readVaultHistory, type VaultHistory } from './check-vaults.js';
import { type ChainSnapshot, readRecordedChain } from './snapshot.js';
import { type Check, type Invariant, invariants, pending, type TimedVerdict } from './verdict.js';

/** Long histories take longer than other statements. */
const statementTimeoutMs = 300_000;

export interface VerifyOptions {
  /** Transactions recorded before are left out where each is looked at; undefined: none. */
  since?: Date | undefined;
  /** How long the records may take to follow the chain, ms. */
  waitMs: number;
  /** After how long what is red is looked at again, ms: it may have happened while it was looked at. */
  againMs: number;
}

/**
 * Looks at every invariant of chain and records, and changes nothing: the records in one snapshot, from after the moment of the
 * chain that they are compared with. What is red is looked at twice. A node that does not respond, or an indexer that does not
 * follow, leaves verdicts `pending`. Rejects when the database fails, and when `signal` aborts.
 */
export async function verify(
  ctx: Context,
  options: VerifyOptions,
  signal: AbortSignal,
): Promise<TimedVerdict[]> {
  const doubts: Doubts = new Map();
  const first = await look(ctx, options, doubts, signal);
  const isRed = first.some(({ verdict }) => verdict === 'red');
  if (!isRed && doubts.size === 0) return first;
  await pause(options.againMs, signal);
  return look(ctx, options, doubts, signal);
}

async function look(
  ctx: Context,
  options: VerifyOptions,
  doubts: Doubts,
  signal: AbortSignal,
): Promise<TimedVerdict[]> {
  const fromSlot = options.since ? await findFirstSlot(ctx.db, options.since) : 0n;
  const chain = await unlessAway(() => readChain(ctx, { fromSlot, waitMs: options.waitMs }, signal), signal);
  const now = new Date(ctx.clock.now());
  const { verdicts, records } = await slowTransaction(
    ctx.db,
    statementTimeoutMs,
    async (tx) => ({
      verdicts: await carryOut([
        ...(typeof chain === 'string' ? [] : checksOfBoth(tx, chain, { fromSlot, doubts })),
        () => checkTransitions(tx),
        ...checksOfEvents(tx, now),
        () => checkSettlements(tx),
        () => checkBars(tx),
        () => checkStatements(tx),
        () => checkAuditLog(tx),
        () => checkLimits(tx, now),
      ]),
      records: await findFinalRecords(tx, fromSlot),
    }),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  const ofChain: [Invariant, Check][] = [
    ['gold_supply', () => checkGoldSupply(ctx.chain, signal)],
    ['landed_on_chain', () => checkLanded(ctx, records, signal)],
    ['audit_anchors', () => checkAuditAnchors(ctx, signal)],
  ];
  const unlessPending = ofChain.map(([invariant, check]) => async () => {
    const found = await unlessAway(check, signal);
    return typeof found === 'string' ? pending(invariant, found) : found;
  });
  verdicts.push(...(await carryOut(unlessPending)));
  const why = typeof chain === 'string' ? chain : 'It was not looked at.';
  return invariants.map(
    (name) => verdicts.find(({ invariant }) => invariant === name) ?? { ...pending(name, why), tookMs: 0 },
  );
}

/** Makes one check after the other. */
async function carryOut(checks: readonly Check[]): Promise<TimedVerdict[]> {
  const verdicts: TimedVerdict[] = [];
  for (const check of checks) {
    const beganMs = performance.now();
    const found = await check();
    const tookMs = Math.round(performance.now() - beganMs);
    verdicts.push(...[found].flat().map((verdict) => ({ ...verdict, tookMs })));
  }
  return verdicts;
}

/** What is read of the chain before the records that it is compared with. */
interface ReadChain {
  snapshot: ChainSnapshot;
  vaults: VaultHistory;
  backing: Backing;
}

async function readChain(
  ctx: Context,
  { fromSlot, waitMs }: { fromSlot: bigint; waitMs: number },
  signal: AbortSignal,
): Promise<ReadChain | string> {
  const snapshot = await readRecordedChain(ctx, waitMs, signal);
  if (typeof snapshot === 'string') return snapshot;
  const toSlot = snapshot.treasury.slot;
  const vaults = await readVaultHistory(ctx.chain, { fromSlot, toSlot }, signal);
  return { snapshot, vaults, backing: await readBacking(ctx, signal) };
}

function checksOfBoth(
  tx: Tx,
  { snapshot, vaults, backing }: ReadChain,
  { fromSlot, doubts }: { fromSlot: bigint; doubts: Doubts },
): Check[] {
  return [
    () => checkTreasury(tx, snapshot, doubts),
    () => checkVaults(tx, vaults),
    () => checkEscrow(tx, snapshot),
    () => checkBacking(tx, snapshot, backing),
    () => checkProgramEvents(tx, snapshot),
    () => checkRecords(tx, snapshot, fromSlot),
  ];
}

/** Returns what was read, or in a sentence why nothing was: the node is away. The database shows by itself that it is away. */
async function unlessAway<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : 'no reason was given';
    return `The chain cannot be read: ${why}.`;
  }
}
