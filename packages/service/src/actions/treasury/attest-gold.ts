import { getAttestInstructionAsync } from '@karat/program-client';
import { createNoopSigner } from '@solana/kit';
import { requireSuccess } from '../../chain/admin/admin-operations.js';
import { prepareTransaction } from '../../chain/build/prepare-transaction.js';
import type { Chain } from '../../chain/chain.js';
import { responseOf } from '../../chain/node/landing.js';
import { readConfig } from '../../chain/program/program-snapshot.js';
import { readChainSeconds } from '../../chain/program/reserve.js';
import { noKey } from '../../chain/program/wallet.js';
import type { Signer } from '../../chain/sign/signer.js';
import { AppError } from '../../errors.js';
import { land } from '../approvals/land.js';

const readWithinMs = 3_000;

export interface GoldReport {
  /** Base units of gold that were counted. */
  amount: bigint;
  /** When it was counted, Unix seconds; default: the chain's present. */
  asOf?: bigint | undefined;
  /** How much GOLD the program had burned by then, base units; default: what it has burned by now. */
  burnedAtAsOf?: bigint | undefined;
  /** SHA-256 of the report. */
  reportHash: Uint8Array;
}

/**
 * Attests gold, by a transaction that `attestor` signs and pays for; it is left unsigned, and not sent, when that is
 * undefined. Needs no database: the attestor is outside of the service. Throws `broadcast_failed` with the program's
 * message, `forbidden` for the key of somebody else, and `service_unavailable`.
 */
export async function attestGold(
  chain: Chain,
  attestor: Signer | undefined,
  report: GoldReport,
) {
  const signal = AbortSignal.timeout(readWithinMs);
  const config = await responseOf(readConfig(chain, 'confirmed', signal));
  const { attestor: expected } = config.settings;
  if (expected === noKey) throw new AppError('forbidden', 'The program has no attestor.');
  if (attestor && attestor.address !== expected) {
    const message = `The program's attestor is ${expected}, not ${attestor.address}.`;
    throw new AppError('forbidden', message);
  }
  const { amount, reportHash, burnedAtAsOf = config.burnedTotal } = report;
  const asOf = report.asOf ?? (await responseOf(readChainSeconds(chain, signal)));
  const instruction = await getAttestInstructionAsync(
    { attestor: createNoopSigner(expected), amount, asOf, burnedAtAsOf, reportHash },
    { programAddress: chain.programAddress },
  );
  const draft = { instructions: [instruction], payer: expected, keys: attestor ? [attestor] : [] };
  const transaction = await prepareTransaction(chain, config, draft);
  await requireSuccess(chain, transaction);
  const { txHash } = transaction;
  if (txHash !== undefined) await land(chain, { ...transaction, txHash }, 'check the reserve first');
  return { transaction, asOf, burnedAtAsOf };
}
