import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readReserves } from '../../chain/program/reserve-snapshot.js';
import type { Signer } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import { openBarsInOrder, type ReservedBar } from '../../db/bars/bars.js';
import { slowTransaction, type Tx } from '../../db/client.js';
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
  statementBytes,
  statementHash,
  Weight,
} from '../../domain/reserves/statement.js';
import { addressToBytes } from '../../domain/solana.js';
import { unavailable } from '../../errors.js';

const readWithinMs = 10_000;
const makeWithinMs = 60_000;
const compress = promisify(gzip);

/**
 * Makes a statement of the reserves as they are now, signs and keeps it. With `unlessSince`, returns undefined when there is a
 * statement made since then. Throws `service_unavailable` when the node does not respond.
 */
export async function publishStatement(
  ctx: Pick<Context, 'db' | 'clock' | 'chain'>,
  signer: Signer,
  unlessSince?: Date,
): Promise<StoredStatement | undefined> {
  const work = async (tx: Tx) => {
    await lockStatements(tx);
    const previous = await findNewestStatement(tx);
    if (previous && unlessSince && previous.madeAt >= unlessSince) return undefined;
    // Behind the lock, so that the slots of statements never go backwards.
    const chain = await readReserves(ctx.chain, AbortSignal.timeout(readWithinMs)).catch((cause: unknown) => {
      throw unavailable('The Solana node does not report the reserves; try again shortly.', { cause });
    });
    const bars = await openBarsInOrder(tx);
    // Behind that: a bar that leaves later is in the list.
    const madeAt = new Date(ctx.clock.now());
    const { statement, list } = await make({ chain, bars, signer, previous, madeAt });
    await insertStatement(tx, { ...statement, bars: list });
    return statement;
  };
  return slowTransaction(ctx.db, makeWithinMs, work);
}

/** Makes the first statement of this day of UTC, unless there is one, or this process may not sign it. */
export async function publishNightly(
  ctx: Pick<Context, 'db' | 'clock' | 'chain' | 'reservesSigner'>,
): Promise<void> {
  if (!ctx.reservesSigner) return;
  const today = candleStart('1d', new Date(ctx.clock.now()));
  const newest = await findNewestStatement(ctx.db);
  if (!newest || newest.madeAt < today) await publishStatement(ctx, ctx.reservesSigner, today);
}

interface Making {
  chain: ChainReserves;
  /** In their order. */
  bars: AsyncIterable<ReservedBar[]>;
  signer: Signer;
  previous: StoredStatement | undefined;
  madeAt: Date;
}

async function make({ chain, bars, signer, previous, madeAt }: Making) {
  const id = newId('rs');
  const { weights, lines } = await weigh(bars);
  const merkleRoot = new MerkleTree(leavesOf(lines)).root;
  const body = statementBytes(makeStatement({ id, madeAt, chain, weights, merkleRoot, previous }));
  const statement: StoredStatement = {
    id,
    sequence: (previous?.sequence ?? 0) + 1,
    madeAt,
    body: Buffer.from(body).toString('utf8'),
    hash: statementHash(body),
    publicKey: addressToBytes(signer.address),
    signature: await signer.sign(body),
    countersignatures: [],
  };
  return { statement, list: await compress(lines.length > 0 ? `${lines.join('\n')}\n` : '') };
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
