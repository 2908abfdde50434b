import type { Chain } from '../../chain/chain.js';
import { type SentTransaction, sendAndWait } from '../../chain/node/landing.js';
import { broadcastFailed, unavailable } from '../../errors.js';

/**
 * Sends a signed transaction, waits until it is confirmed, and returns its slot. Throws `broadcast_failed` with the chain's
 * message, and `service_unavailable` when it is not confirmed within `waitMs`: that message ends with `advice`.
 */
export async function land(
  chain: Chain,
  signed: SentTransaction & { transaction: Uint8Array },
  advice: string,
  waitMs = 30_000,
): Promise<bigint> {
  const landing = await sendAndWait(chain, signed, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return landing.slot;
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw broadcastFailed(landing.cause, `The chain rejected ${signed.txHash}: `);
  }
  const state =
    landing.kind === 'expired'
      ? 'did not land in time'
      : 'is not confirmed yet and may land within the next two minutes';
  throw unavailable(`The transaction ${signed.txHash} ${state}; ${advice}.`);
}
