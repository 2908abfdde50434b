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

/**
 * Attests `amount` base units of gold as of `asOf` (Unix seconds; default: the chain's present), by a transaction that `attestor` signs and pays for; it is left unsigned, and not sent, when that is
 * undefined. Needs no database: the attestor is outside of the service. Throws `broadcast_failed` with the program's
 * message, `forbidden` for the key of somebody else, and `service_unavailable`.
 */
export async function attestGold(
  chain: Chain,
  attestor: Signer | undefined,
  { amount, asOf: wanted, reportHash }: { amount: bigint; asOf?: bigint | undefined; reportHash: Uint8Array },
) {
  const signal = AbortSignal.timeout(readWithinMs);
  const config = await responseOf(readConfig(chain, 'confirmed', signal));
  if (config.attestor === noKey) throw new AppError('forbidden', 'The program has no attestor.');
  if (attestor && attestor.address !== config.attestor) {
    const message = `The program's attestor is ${config.attestor}, not ${attestor.address}.`;
    throw new AppError('forbidden', message);
  }
  const asOf = wanted ?? (await responseOf(readChainSeconds(chain, signal)));
  // It also pays for the account the first time.
  const signer = createNoopSigner(config.attestor);
  const instruction = await getAttestInstructionAsync(
    { payer: signer, attestor: signer, amount, asOf, reportHash },
    { programAddress: chain.programAddress },
  );
  const draft = { instructions: [instruction], payer: config.attestor, keys: attestor ? [attestor] : [] };
  const transaction = await prepareTransaction(chain, config, draft);
  await requireSuccess(chain, transaction);
  const { txHash } = transaction;
  if (txHash !== undefined) await land(chain, { ...transaction, txHash }, 'check the reserve first');
  return { transaction, asOf };
}
