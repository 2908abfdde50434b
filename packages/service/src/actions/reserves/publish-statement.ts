import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readReserves } from '../../chain/program/reserve-snapshot.js';
import { type Signer, verifySignature } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import { openBarsInOrder, type ReservedBar } from '../../db/bars/bars.js';
import { hasBars } from '../../db/bars/held-bars.js';
import { slowTransaction, type Tx } from '../../db/client.js';
import { findEscrowNeed } from '../../db/redemptions/escrow-need.js';
import {
  findNewestStatement,
  insertStatement,
  lockStatements,
  type StoredStatement,
} from '../../db/reserves/statements.js';
import type { BarStatus } from '../../domain/bar.js';
import { candleStart } from '../../domain/candle.js';
import { newId } from '../../domain/ids.js';
import { barLine } from '../../domain/reserves/bar-line.js';
import { MerkleTree } from '../../domain/reserves/merkle.js';
import {
  type ChainReserves,
  heldStatuses,
  makeStatement,
  type Statement,
  statementBytes,
  statementHash,
  Weight,
} from '../../domain/reserves/statement.js';
import { addressToBytes } from '../../domain/solana.js';
import { notAllowed, unavailable } from '../../errors.js';

const readWithinMs = 10_000;
const readBarsWithinMs = 60_000;
const compress = promisify(gzip);

/**
 * Makes a statement of the reserves as they are now, signs and keeps it. With `unlessSince`, returns undefined when there is a
 * statement made since then. Throws `transition_not_allowed` before the first bar is entered, and `service_unavailable` when the
 * nodes do not respond or do not agree, when the records have not followed the chain, and when another statement came in between.
 */
export async function publishStatement(
  ctx: Pick<Context, 'db' | 'clock' | 'chain'>,
  signer: Signer,
  unlessSince?: Date,
): Promise<StoredStatement | undefined> {
  const previous = await findNewestStatement(ctx.db);
  if (isSince(previous, unlessSince)) return undefined;
  if (!previous && !(await hasBars(ctx.db))) {
    const message =
      'No bar has been entered: the first statement of the reserves would be of an empty vault.';
    throw notAllowed(message);
  }
  const chain = await readReserves(ctx.chain, slotOf(previous), AbortSignal.timeout(readWithinMs)).catch(
    (cause: unknown) => {
      throw unavailable('The Solana nodes do not report the reserves; try again shortly.', { cause });
    },
  );
  const readBars = async (tx: Tx) => {
    const need = await findEscrowNeed(tx, BigInt(chain.slot));
    const bars = await openBarsInOrder(tx);
    // Behind that: a bar that leaves later is in the list.
    return { madeAt: new Date(ctx.clock.now()), need, ...(await weigh(bars)) };
  };
  const { madeAt, need, weights, lines } = await slowTransaction(ctx.db, readBarsWithinMs, readBars, {
    accessMode: 'read only',
    isolationLevel: 'repeatable read',
  });
  if (need.all !== chain.escrowOpen)
    throw unavailable('The records of redemptions have not followed the chain; try again shortly.');
  if (previous && madeAt < previous.madeAt)
    throw unavailable('The clock of this machine is behind the newest statement of the reserves.');
  // Outside of a transaction, which the database ends while a signer that is far away keeps it waiting.
  const { awaitingBurn } = need;
  const statement = await sign({ chain, awaitingBurn, weights, lines, signer, previous, madeAt });
  const bars = await compress(lines.length > 0 ? `${lines.join('\n')}\n` : '');
  return ctx.db.transaction(async (tx) => {
    await lockStatements(tx);
    const newest = await findNewestStatement(tx);
    if (newest?.hash === previous?.hash) {
      await insertStatement(tx, { ...statement, bars });
      return statement;
    }
    if (isSince(newest, unlessSince)) return undefined;
    throw unavailable('Another statement of the reserves was made at the same time; try again.');
  });
}

const isSince = (statement: StoredStatement | undefined, since: Date | undefined) =>
  statement !== undefined && since !== undefined && statement.madeAt >= since;

/** The slot of a statement; 0 for none. */
const slotOf = (statement: StoredStatement | undefined) =>
  statement ? (JSON.parse(statement.body) as Statement).network.slot : 0;

/**
 * Makes the first statement of this day of UTC, unless there is one, this process may not sign it, or no bar has been entered
 * yet: a statement can never be withdrawn, and the first would be of an empty vault.
 */
export async function publishNightly(
  ctx: Pick<Context, 'db' | 'clock' | 'chain' | 'reservesSigner'>,
): Promise<void> {
  if (!ctx.reservesSigner) return;
  const today = candleStart('1d', new Date(ctx.clock.now()));
  const newest = await findNewestStatement(ctx.db);
  if (!newest && !(await hasBars(ctx.db))) return;
  if (!newest || newest.madeAt < today) await publishStatement(ctx, ctx.reservesSigner, today);
}

interface Making {
  chain: ChainReserves;
  awaitingBurn: bigint;
  weights: Record<BarStatus, Weight>;
  /** Of the bars held, in their order. */
  lines: readonly string[];
  signer: Signer;
  previous: StoredStatement | undefined;
  madeAt: Date;
}

async function sign({ lines, signer, ...facts }: Making): Promise<StoredStatement> {
  const { previous, madeAt } = facts;
  const id = newId('rs');
  const merkleRoot = new MerkleTree(leavesOf(lines)).root;
  const body = statementBytes(makeStatement({ id, merkleRoot, ...facts }));
  const publicKey = addressToBytes(signer.address);
  const signature = await signer.sign(body);
  if (!verifySignature(publicKey, body, signature))
    throw unavailable('The signer of the reserves returned a signature that is not valid.');
  return {
    id,
    sequence: (previous?.sequence ?? 0) + 1,
    madeAt,
    body: Buffer.from(body).toString('utf8'),
    hash: statementHash(body),
    publicKey,
    signature,
    countersignatures: [],
  };
}

/** Weighs the bars of each status, and returns the lines of those that are held, in their order. */
async function weigh(bars: AsyncIterable<ReservedBar[]>) {
  const weights: Record<BarStatus, Weight> = {
    in_stock: new Weight(),
    reserved: new Weight(),
    handed_over: new Weight(),
    withdrawn: new Weight(),
  };
  const lines: string[] = [];
  const isHeld = (status: BarStatus) => heldStatuses.includes(status);
  for await (const some of bars) {
    for (const { refiner, serial, city: vault, status, ...weighed } of some) {
      const [weightG, fineness] = [plain(weighed.weightG), plain(weighed.fineness)];
      const bar = { refiner, serial, vault, weightG, fineness };
      weights[status].add(bar);
      if (isHeld(status)) lines.push(barLine(bar));
    }
  }
  return { weights, lines };
}

function* leavesOf(lines: readonly string[]): Generator<Uint8Array> {
  for (const line of lines) yield Buffer.from(line);
}

/** A decimal of the database without the zeros at its end. */
const plain = (decimal: string) => (decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal);
