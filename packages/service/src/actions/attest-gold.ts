import type { Address } from '@solana/kit';
import { requireSuccess } from '../chain/admin-operations.js';
import { type LoneTransaction, prepareAlone, sendAndWait } from '../chain/admin-transactions.js';
import type { Chain } from '../chain/chain.js';
import { readConfig } from '../chain/keeper-view.js';
import { attestInstruction, readGoldStanding } from '../chain/reserve.js';
import type { Signer } from '../chain/signer.js';
import { noKey } from '../chain/wallet.js';
import { AppError } from '../errors.js';
import { programRead, unavailable } from './program-read.js';

export interface Attestation {
  /** Base units of GOLD. */
  amount: bigint;
  /** Unix seconds; default: the chain's present. */
  asOf?: bigint | undefined;
  /** SHA-256 of the report. */
  reportHash: Uint8Array;
}

export interface Attested {
  transaction: LoneTransaction;
  attestor: Address;
  asOf: bigint;
}

const readWithinMs = 3_000;
const waitMs = 30_000;

/**
 * Attests gold, by a transaction that `attestor` signs and pays for; it is left unsigned, and not sent, when that is
 * undefined. Needs no database: the attestor is outside of the service. Throws `broadcast_failed` with the program's
 * message, `forbidden` for the key of somebody else, and `service_unavailable`.
 */
export async function attestGold(
  chain: Chain,
  attestor: Signer | undefined,
  { amount, asOf: wanted, reportHash }: Attestation,
  computeUnitPrice: bigint,
): Promise<Attested> {
  const signal = AbortSignal.timeout(readWithinMs);
  const config = await programRead(readConfig(chain, 'confirmed', signal));
  if (config.attestor === noKey) throw new AppError('forbidden', 'The program has no attestor.');
  if (attestor && attestor.address !== config.attestor) {
    const message = `The program's attestor is ${config.attestor}, not ${attestor.address}.`;
    throw new AppError('forbidden', message);
  }
  const { nowSeconds } = await programRead(readGoldStanding(chain, config, signal));
  const asOf = wanted ?? nowSeconds;
  const instruction = await attestInstruction(chain, {
    attestor: config.attestor,
    amount,
    asOf,
    reportHash,
  });
  const transaction = await programRead(
    prepareAlone(chain, config.attestor, attestor, [instruction], computeUnitPrice),
  );
  await requireSuccess(chain, transaction);
  if (transaction.txHash !== undefined) await land(chain, { ...transaction, txHash: transaction.txHash });
  return { transaction, attestor: config.attestor, asOf };
}

/** Sends a transaction and waits for it. Throws `broadcast_failed` or `service_unavailable`. */
async function land(chain: Chain, signed: LoneTransaction & { txHash: string }): Promise<void> {
  const landing = await sendAndWait(chain, signed, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return;
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw new AppError('broadcast_failed', `The chain refused ${signed.txHash}: ${landing.reason}`);
  }
  throw unavailable(`The transaction ${signed.txHash} is not confirmed yet; look at the reserve first.`);
}
