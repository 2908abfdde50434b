import type { Instruction } from '@solana/kit';
import { sendAndWait, signAlone } from '../chain/admin-transactions.js';
import type { Signer } from '../chain/signer.js';
import type { Context } from '../context.js';
import type { HouseRole } from '../db/house-movements.js';
import { insertTreasuryFundings } from '../db/treasury-fundings.js';
import type { ChangedBy } from '../domain/audit.js';
import { AppError } from '../errors.js';
import { recordChange } from './audit.js';

const waitMs = 30_000;

/**
 * Sends a transaction of the admin that moves tokens of the treasury accounts without a record of the service, and returns
 * its signature. It is announced in the database and the audit log before it is sent, so that reconciliation takes it for
 * what it is; `announced` are base units. Throws `broadcast_failed` with the chain's message, and `service_unavailable` when
 * the node does not respond or the transaction is not confirmed in time.
 */
export async function sendAnnounced(
  ctx: Context,
  by: ChangedBy,
  sent: {
    admin: Signer;
    instructions: Instruction[];
    announced: { role: HouseRole; amount: bigint }[];
    action: 'treasury.fund' | 'treasury.sweep_escrow';
    after: Record<string, unknown>;
    reason: string | undefined;
  },
): Promise<string> {
  const { chain } = ctx;
  const { admin, instructions, announced, action, after, reason } = sent;
  const computeUnitPrice = BigInt(ctx.config.priorityFeeCapMicroLamports);
  const signed = await signAlone(chain, admin, instructions, computeUnitPrice).catch((cause: unknown) => {
    throw new AppError('service_unavailable', 'The Solana node does not respond; try again.', { cause });
  });
  const { txHash } = signed;
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    const rows = announced.map((each) => ({ txSignature: txHash, ...each, createdAt: at }));
    await insertTreasuryFundings(tx, rows);
    const change = { action, objectType: 'treasury', objectId: chain.programAddress };
    await recordChange(tx, by, { ...change, before: null, after: { ...after, tx_hash: txHash }, reason }, at);
  });
  const landing = await sendAndWait(chain, signed, AbortSignal.timeout(waitMs));
  if (landing.kind === 'confirmed') return txHash;
  if (landing.kind === 'failed' || landing.kind === 'refused') {
    throw new AppError('broadcast_failed', `The chain refused ${txHash}: ${landing.reason}`);
  }
  const message = `The transaction ${txHash} is not confirmed yet; look at the treasury before you repeat it.`;
  throw new AppError('service_unavailable', message);
}
