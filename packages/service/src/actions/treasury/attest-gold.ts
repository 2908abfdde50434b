import { type Attestation, getAttestInstructionAsync } from '@karat/program-client';
import { createNoopSigner } from '@solana/kit';
import { requireSuccess } from '../../chain/admin/admin-operations.js';
import { type PreparedTransaction, prepareTransaction } from '../../chain/build/prepare-transaction.js';
import type { Chain } from '../../chain/chain.js';
import { responseOf } from '../../chain/node/landing.js';
import { readConfig } from '../../chain/program/program-snapshot.js';
import { attestationOf, readChainSeconds } from '../../chain/program/reserve.js';
import { noKey } from '../../chain/program/wallet.js';
import type { Signer } from '../../chain/sign/signer.js';
import { findAttestationDoubt } from '../../domain/attestation.js';
import { formatDecimal, tokenDecimals } from '../../domain/money.js';
import { momentOf } from '../../domain/timestamp.js';
import { AppError, invalidField } from '../../errors.js';
import { land } from '../approvals/land.js';

const readWithinMs = 3_000;

export interface AttestationInput {
  /** Base units of gold. */
  amount: bigint;
  /** The program's counter of burned GOLD when the metal was counted, base units. */
  burnedAtAsOf: bigint;
  /** When that was, Unix seconds; default: the chain's present. */
  asOf?: bigint | undefined;
  /** SHA-256 of the report. */
  reportHash: Uint8Array;
  /** The amount once more, where it has to be confirmed. */
  confirmed?: bigint | undefined;
  /** Fine gold of the bars in the vaults, base units; undefined: not known here, and not compared. */
  bars: bigint | undefined;
}

/**
 * Attests gold, by a transaction that `attestor` signs and pays for; it is left unsigned, and not sent, when that is
 * undefined. Needs no database: the attestor is outside of the service. Throws `invalid_request` with the field `confirm`
 * for an amount that differs by more than 10 % from what is known, or with which nothing can be compared, and that is not
 * confirmed; with `burned_at` for a counter that the program never had, and with `as_of` for a moment that is not later than
 * that of the last attestation, unless that is attested again; `broadcast_failed` with the program's message, `forbidden` for the key of somebody else, and
 * `service_unavailable`.
 */
export async function attestGold(
  chain: Chain,
  attestor: Signer | undefined,
  input: AttestationInput,
): Promise<{ transaction: PreparedTransaction; asOf: bigint }> {
  const signal = AbortSignal.timeout(readWithinMs);
  const config = await responseOf(readConfig(chain, 'confirmed', signal));
  const { attestor: key } = config.settings;
  if (key === noKey) throw new AppError('forbidden', 'The program has no attestor.');
  if (attestor && attestor.address !== key) {
    throw new AppError('forbidden', `The program's attestor is ${key}, not ${attestor.address}.`);
  }
  const last = attestationOf(config);
  requireCounter(input.burnedAtAsOf, last?.burnedAtAsOf ?? 0n, config.burnedTotal);
  requireConfirmed(input, last);
  const { amount, burnedAtAsOf, reportHash } = input;
  const asOf = input.asOf ?? (await responseOf(readChainSeconds(chain, signal)));
  requireLater({ amount, asOf, burnedAtAsOf, reportHash }, last);
  const instruction = await getAttestInstructionAsync(
    { attestor: createNoopSigner(key), amount, asOf, burnedAtAsOf, reportHash },
    { programAddress: chain.programAddress },
  );
  const draft = { instructions: [instruction], payer: key, keys: attestor ? [attestor] : [] };
  const transaction = await prepareTransaction(chain, config, draft);
  await requireSuccess(chain, transaction);
  const { txHash } = transaction;
  if (txHash !== undefined) await land(chain, { ...transaction, txHash }, 'check the reserve first');
  return { transaction, asOf };
}

/** The counter only grows, so that of a count is between that of the last count and the present one. */
function requireCounter(burnedAt: bigint, least: bigint, most: bigint): void {
  if (burnedAt >= least && burnedAt <= most) return;
  const text = `burned_at must be from ${gold(least)}, as in the last attestation, to ${gold(most)}, which is burned now.`;
  throw invalidField('burned_at', text);
}

function isSame(one: Attestation, other: Attestation): boolean {
  const { amount, asOf, burnedAtAsOf, reportHash } = other;
  return (
    one.amount === amount &&
    one.asOf === asOf &&
    one.burnedAtAsOf === burnedAtAsOf &&
    Buffer.from(one.reportHash).equals(Buffer.from(reportHash))
  );
}

/** Two reports of one moment would contradict each other; a repeated request is no second one. */
function requireLater(next: Attestation, last: Attestation | undefined): void {
  if (!last || next.asOf > last.asOf || isSame(next, last)) return;
  const moment = momentOf(last.asOf).toISOString();
  const text = `as_of must be later than ${moment}, the moment of the last attestation, unless the report is the same.`;
  throw invalidField('as_of', text);
}

/** A slip of a digit would let more be minted than there is gold, or stop all sales of it. */
function requireConfirmed(
  { amount, burnedAtAsOf, confirmed, bars }: AttestationInput,
  last: { amount: bigint; burnedAtAsOf: bigint } | undefined,
): void {
  if (confirmed === amount) return;
  if (confirmed !== undefined) throw invalidField('confirm', 'confirm must be the same as amount.');
  const doubt = findAttestationDoubt({ amount, burnedAtAsOf }, { last, bars });
  if (doubt === undefined) return;
  throw invalidField('confirm', `${doubt} Repeat it as confirm if it is right.`);
}

const gold = (amount: bigint) => formatDecimal(amount, tokenDecimals);
