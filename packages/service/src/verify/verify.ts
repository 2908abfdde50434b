import { readBacking } from '../actions/reserves/read-backing.js';
import type { Doubts } from '../actions/treasury/check-balances.js';
import type { Context } from '../context.js';
import { slowTransaction, type Tx } from '../db/client.js';
import type { Backing } from '../domain/reserves/backing.js';
import { pause } from '../runtime/time.js';
import { checkBacking, checkEscrow, checkGoldSupply, checkTreasury } from './check-conservation.js';
import { checkEvents } from './check-events.js';
import {
  checkLanded,
  checkProgramEvents,
  checkRecords,
  findFinalRecords,
  findFirstSlot,
} from './check-landings.js';
import { checkLimits } from './check-limits.js';
import { checkOnce } from './check-once.js';
import { checkAuditAnchors, checkAuditLog, checkStatements } from './check-proofs.js';
import { checkTransitions } from './check-transitions.js';
import { checkVaults, readVaultHistory, type VaultHistory } from './check-vaults.js';
import { type ChainSnapshot, readRecordedChain } from './snapshot.js';
import { type Invariant, invariants, pending, type Verdict } from './verdict.js';

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
export async function verify(ctx: Context, options: VerifyOptions, signal: AbortSignal): Promise<Verdict[]> {
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
): Promise<Verdict[]> {
  const fromSlot = options.since ? await findFirstSlot(ctx.db, options.since) : 0n;
  const chain = await unlessAway(() => readChain(ctx, { fromSlot, waitMs: options.waitMs }, signal), signal);
  const now = new Date(ctx.clock.now());
  const { verdicts, records } = await slowTransaction(
    ctx.db,
    statementTimeoutMs,
    async (tx) => ({
      verdicts: [
        ...(typeof chain === 'string' ? [] : await compareBoth(tx, chain, { fromSlot, doubts })),
        await checkTransitions(tx),
        ...(await checkEvents(tx, now)),
        ...(await checkOnce(tx)),
        await checkStatements(tx),
        await checkAuditLog(tx),
        await checkLimits(tx, now),
      ],
      records: await findFinalRecords(tx, fromSlot),
    }),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  const ofChain: [Invariant, () => Promise<Verdict>][] = [
    ['gold_supply', () => checkGoldSupply(ctx.chain, signal)],
    ['landed_on_chain', () => checkLanded(ctx, records, signal)],
    ['audit_anchors', () => checkAuditAnchors(ctx, signal)],
  ];
  for (const [invariant, check] of ofChain) {
    const found = await unlessAway(check, signal);
    verdicts.push(typeof found === 'string' ? pending(invariant, found) : found);
  }
  const why = typeof chain === 'string' ? chain : 'It was not looked at.';
  return invariants.map((name) => verdicts.find(({ invariant }) => invariant === name) ?? pending(name, why));
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
  const toSlot = snapshot.treasury.upTo;
  const vaults = await readVaultHistory(ctx.chain, { fromSlot, toSlot }, signal);
  return { snapshot, vaults, backing: await readBacking(ctx, signal) };
}

async function compareBoth(
  tx: Tx,
  { snapshot, vaults, backing }: ReadChain,
  { fromSlot, doubts }: { fromSlot: bigint; doubts: Doubts },
): Promise<Verdict[]> {
  return [
    await checkTreasury(tx, snapshot, doubts),
    await checkVaults(tx, vaults),
    await checkEscrow(tx, snapshot),
    await checkBacking(tx, snapshot, backing),
    await checkProgramEvents(tx, snapshot),
    ...(await checkRecords(tx, snapshot, fromSlot)),
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
