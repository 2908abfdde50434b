import { getCloseReceiptInstruction } from '@karat/program-client';
import { signTransaction } from '../chain/build/prepare-transaction.js';
import { sendAndWait } from '../chain/node/landing.js';
import { readConfig } from '../chain/program/program-snapshot.js';
import { readReceipts } from '../chain/program/receipts.js';
import type { Context } from '../context.js';
import { chunksOf } from '../runtime/chunks.js';
import { withDeadline } from '../runtime/time.js';

/** As many as fit into a transaction, each with another payer. */
const receiptsPerTransaction = 10;
/** Longest wait for one transaction, in milliseconds. */
const confirmMs = 60_000;

/**
 * Closes the receipts of orders that can no longer be executed, so that their rent goes back to the wallets that paid
 * it; returns how many. The market key pays the fees. Receipts are read from the chain, so that none is forgotten,
 * whatever the database knows. Rejects when the node does not respond, and, once all others are closed, when it refuses some.
 */
export async function closeReceipts(ctx: Context, signal: AbortSignal): Promise<number> {
  const { chain, log } = ctx;
  const { market } = chain;
  if (!market) return 0;
  const nowSeconds = BigInt(Math.floor(ctx.clock.now() / 1_000));
  const closable = (await readReceipts(chain, signal)).filter(({ closableAt }) => closableAt < nowSeconds);
  if (closable.length === 0) return 0;
  const config = await readConfig(chain, 'confirmed', signal);
  const waiting = [...chunksOf(closable, receiptsPerTransaction)];
  const refusals: string[] = [];
  let closed = 0;
  for (let receipts = waiting.shift(); receipts; receipts = waiting.shift()) {
    signal.throwIfAborted();
    const instructions = receipts.map(({ address: receipt, payer }) =>
      getCloseReceiptInstruction({ receipt, payer }, { programAddress: chain.programAddress }),
    );
    const draft = { instructions, payer: market.address };
    const signed = await signTransaction(chain, config, draft);
    const landing = await withDeadline(confirmMs, signal, (end) => sendAndWait(chain, signed, end));
    if (landing.kind === 'refused' || landing.kind === 'failed') {
      // One that cannot be closed must not keep the others.
      if (receipts.length > 1) waiting.push(...receipts.map((receipt) => [receipt]));
      else refusals.push(`${receipts[0]?.address}: ${landing.cause.message}`);
      continue;
    }
    closed += receipts.length;
    log.info(
      { tx_hash: signed.txHash, receipts: receipts.length, landing: landing.kind },
      'closed receipts of orders',
    );
  }
  if (refusals.length > 0) throw new Error(`Receipts of orders could not be closed: ${refusals.join(' ')}`);
  return closed;
}
