import type { Config as ProgramConfig } from '@karat/program-client';
import type { Address, Instruction } from '@solana/kit';
import { requireSuccess } from '../../chain/admin/admin-operations.js';
import { actingRole, payerOf, prepareTransaction, type Role } from '../../chain/build/prepare-transaction.js';
import { responseOf } from '../../chain/node/landing.js';
import type { Signer } from '../../chain/sign/signer.js';
import type { Context } from '../../context.js';
import { insertTreasuryFundings } from '../../db/treasury/treasury-fundings.js';
import type { TreasuryRole } from '../../db/treasury/treasury-movements.js';
import type { ChangedBy } from '../../domain/audit.js';
import { type Change, recordChange } from '../audit.js';
import { land } from './land.js';
import type { Outcome } from './plan.js';

export interface AdminTask {
  config: ProgramConfig;
  /** Whose key of this process signs; default: the admin's. */
  role?: Role | undefined;
  /** Keys that sign besides those of this process, in place of a role. */
  keys?: readonly Signer[] | undefined;
  /** Builds it; `payer` pays for the transaction and for accounts that it makes. */
  instructions(payer: Address): Promise<Instruction[]>;
  /** Pays in place of the operations key. */
  feePayer?: Address | undefined;
  /** `tx_hash` is added to `after`. */
  change: Change;
  /**
   * What it transfers past the program into the treasury accounts, base units: reconciliation expects it, unless the
   * payer's signature, by which the transaction is known, is missing.
   */
  announced?: { role: TreasuryRole; amount: bigint }[] | undefined;
  /** What to look at before it is repeated. */
  look: string;
}

/**
 * Sends a transaction of the admin; it is handed out unsigned when this process does not hold that key. What the chain would
 * refuse is not begun; all else is in the audit log before it is sent or handed out. Throws `broadcast_failed` with the
 * program's message, and `service_unavailable` for another admin key and when it is not confirmed in time.
 */
export async function actAsAdmin(ctx: Context, by: ChangedBy, task: AdminTask): Promise<Outcome> {
  const { chain } = ctx;
  const { config, role = 'admin', keys, change, announced = [], look } = task;
  if (!keys) actingRole(chain, config, [role]);
  const payer = task.feePayer ?? payerOf(chain, config, [role]);
  const instructions = await task.instructions(payer);
  const prepared = await responseOf(
    prepareTransaction(chain, config, { instructions, payer, keys: keys ?? [] }),
  );
  await requireSuccess(chain, prepared);
  const { txHash, finalTxHash, transaction, missing, expiresAtMs } = prepared;
  await ctx.db.transaction(async (tx) => {
    const at = new Date(ctx.clock.now());
    if (finalTxHash !== undefined && announced.length > 0) {
      const rows = announced.map((each) => ({ txSignature: finalTxHash, ...each, createdAt: at }));
      await insertTreasuryFundings(tx, rows);
    }
    await recordChange(tx, by, { ...change, after: { ...change.after, tx_hash: txHash ?? null } }, at);
  });
  if (txHash === undefined) {
    return { kind: 'unsigned', transaction, signers: missing, expiresAt: new Date(expiresAtMs) };
  }
  await land(chain, { ...prepared, txHash }, `check ${look} before you repeat it`);
  return { kind: 'done', txHash };
}
