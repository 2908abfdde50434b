import type { Config as ProgramConfig } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { requireSuccess } from '../chain/admin-operations.js';
import { type LoneTransaction, prepareAlone, sendAndWait } from '../chain/admin-transactions.js';
import { type GoldStanding, mintGoldInstruction, readGoldStanding } from '../chain/reserve.js';
import type { Signer } from '../chain/signer.js';
import type { Context } from '../context.js';
import type { ChangedBy } from '../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';
import { programRead, unavailable } from './program-read.js';
import { readProgramConfig } from './update-config.js';

export interface Mint {
  /** Base units of GOLD. */
  amount: bigint;
  reason?: string | undefined;
}

export interface Minted {
  transaction: LoneTransaction;
  admin: Address;
  /** As it is with what was minted, base units. */
  supply: bigint;
  attested: bigint;
}

const readWithinMs = 3_000;
const waitMs = 30_000;

/**
 * Mints GOLD into the treasury, by a transaction of the admin; it is left unsigned, and not sent, when this process does
 * not hold the admin's key. It is in the audit log before it is sent. Throws `broadcast_failed` with the program's
 * message, which for too much gold says by how much, and `service_unavailable`.
 */
export async function mintGold(ctx: Context, by: ChangedBy, { amount, reason }: Mint): Promise<Minted> {
  const { chain } = ctx;
  const config = await readProgramConfig(ctx);
  const admin = adminOf(ctx, config);
  const signal = AbortSignal.timeout(readWithinMs);
  const standing = await programRead(readGoldStanding(chain, config, signal));
  const attested = requireAttested(standing, config, amount);
  const instruction = await mintGoldInstruction(chain, config, amount);
  const computeUnitPrice = BigInt(ctx.config.priorityFeeCapMicroLamports);
  const transaction = await programRead(
    prepareAlone(chain, config.admin, admin, [instruction], computeUnitPrice),
  );
  await requireSuccess(chain, transaction);
  const { txHash } = transaction;
  const supply = standing.supply + amount;
  await ctx.db.transaction((tx) => {
    const change = { action: 'gold.mint', objectType: 'treasury', objectId: chain.programAddress };
    const [minted, total, limit] = [amount, supply, attested].map(gold);
    const after = { minted, supply: total, attested: limit, tx_hash: txHash ?? null };
    const before = { supply: gold(standing.supply) };
    return recordChange(tx, by, { ...change, before, after, reason }, new Date(ctx.clock.now()));
  });
  if (txHash !== undefined) await land(ctx, { ...transaction, txHash });
  return { transaction, admin: config.admin, supply, attested };
}

/** What is attested, base units. Throws `broadcast_failed` when the program would refuse to mint so much. */
function requireAttested(
  { supply, attestation, nowSeconds }: GoldStanding,
  { maxAttestationAge }: ProgramConfig,
  amount: bigint,
): bigint {
  const refuse = (why: string) =>
    new AppError('broadcast_failed', `The chain would refuse to mint ${gold(amount)} GOLD: ${why}`);
  if (!attestation) throw refuse('nothing has been attested yet.');
  const { attested, asOf } = attestation;
  if (nowSeconds - asOf > BigInt(maxAttestationAge)) {
    const moment = new Date(Number(asOf) * 1_000).toISOString();
    const limit = `${maxAttestationAge} s`;
    throw refuse(`the last attestation is as of ${moment}, which is longer ago than ${limit}.`);
  }
  const above = supply + amount - attested;
  if (above > 0n) {
    const sum = `${gold(supply)} exist, ${gold(attested)} are attested`;
    throw refuse(`that is ${gold(above)} GOLD more than is attested (${sum}).`);
  }
  return attested;
}

const gold = (amount: bigint) => formatDecimal(amount, tokenDecimals);

function adminOf({ chain: { admin } }: Context, config: ProgramConfig): Signer | undefined {
  if (!admin || admin.address === config.admin) return admin;
  throw unavailable("The admin key of this process is not the program's admin.");
}

async function land({ chain }: Context, signed: LoneTransaction & { txHash: string }): Promise<void> {
  const landing = await sendAndWait(chain, signed, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return;
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw new AppError('broadcast_failed', `The chain refused ${signed.txHash}: ${landing.reason}`);
  }
  throw unavailable(
    `The transaction ${signed.txHash} is not confirmed yet; look at the supply before you repeat it.`,
  );
}
