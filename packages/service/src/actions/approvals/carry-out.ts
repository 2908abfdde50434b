import type { Config } from '@karat/program-client';
import type { Instruction } from '@solana/kit';
import { requireSuccess } from '../../chain/admin/admin-operations.js';
import {
  actingRole,
  type PreparedTransaction,
  payerOf,
  prepareTransaction,
  type Role,
  type SignedTransaction,
} from '../../chain/build/prepare-transaction.js';
import type { Context } from '../../context.js';
import {
  insertOperatorTransaction,
  type NewOperatorTransaction,
} from '../../db/approvals/operator-transactions.js';
import type { Tx } from '../../db/client.js';
import type { ChangedBy } from '../../domain/audit.js';
import type { ChainStatus } from '../../domain/program-status.js';
import { type AppError, notAllowed } from '../../errors.js';
import { type Change, recordChange } from '../audit.js';
import type { Settle } from '../complete-idempotency-key.js';
import type { OnChain } from '../partners/read-on-chain.js';
import { land } from './land.js';
import type { Decision, Outcome } from './plan.js';

/** What an operator wants to be done on chain, decided and ready. */
export interface Operation {
  /** Whose keys sign it. */
  signedBy: readonly Role[];
  /** What it was decided on; default: what this process knows of it. */
  config?: Config;
  row: Omit<NewOperatorTransaction, 'txSignature' | 'lastValidBlockHeight' | 'operatorId'>;
  instructions: Instruction[];
  /** The entry of the audit log; `tx_hash` is added to `after`. */
  change: Change;
  /** Looks once more whether it may be done, in the transaction that writes it down. Throws when it may not any more. */
  recheck(tx: Tx): Promise<void>;
  /** Reads what became of what it was about, once the chain has confirmed it in `slot`. */
  readResult?(slot: bigint): Promise<{ onChain: OnChain } | { status: ChainStatus }>;
}

/** A confirmation takes a second or two; a request waits this long for it. */
const waitMs = 20_000;

/**
 * Carries an operation out. What the chain would refuse is not begun. Its row and its audit row are written before it is
 * sent, so that wherever a process dies nothing is done twice: until the chain has it or can no longer take it, the row
 * blocks another. The response is kept only once the chain has confirmed it. Throws `broadcast_failed` with the
 * program's words, `transition_not_allowed`, `service_unavailable` also when it is not confirmed in time.
 */
export async function carryOut(
  ctx: Context,
  by: ChangedBy,
  planned: Operation,
  decision: Decision,
  settle: Settle<Outcome>,
): Promise<Outcome> {
  const operation: Operation = {
    ...planned,
    recheck: async (tx) => {
      await planned.recheck(tx);
      await decision.take(tx);
      await decision.record(tx);
    },
  };
  const config = operation.config ?? ctx.chain.program.config();
  // Throws for a key that the program does not know.
  for (const role of operation.signedBy) actingRole(ctx.chain, config, [role]);
  const payer = payerOf(ctx.chain, config, operation.signedBy);
  const draft = { instructions: operation.instructions, payer };
  const prepared = await prepareTransaction(ctx.chain, config, draft);
  await requireSuccess(ctx.chain, prepared);
  const { txHash } = prepared;
  if (txHash !== undefined) {
    await begin(ctx, by, operation, prepared, async () => {});
    return finish(ctx, operation, { ...prepared, txHash }, settle);
  }
  const { transaction, missing, expiresAtMs } = prepared;
  const outcome: Outcome = {
    kind: 'unsigned',
    transaction,
    signers: missing,
    expiresAt: new Date(expiresAtMs),
  };
  await begin(ctx, by, operation, prepared, (tx) => settle(tx, outcome));
  return outcome;
}

/** Writes down that an operation is under way. */
async function begin(
  ctx: Context,
  by: ChangedBy,
  operation: Operation,
  { txHash, lastValidBlockHeight }: PreparedTransaction,
  settle: (tx: Tx) => Promise<void>,
): Promise<void> {
  const at = new Date(ctx.clock.now());
  const { row, change } = operation;
  await ctx.db.transaction(async (tx) => {
    await operation.recheck(tx);
    const { operatorId } = by;
    const written = { ...row, txSignature: txHash ?? null, lastValidBlockHeight, operatorId };
    if (!(await insertOperatorTransaction(tx, written, at))) throw alreadyUnderWay(row);
    await recordChange(tx, by, { ...change, after: { ...change.after, tx_hash: txHash ?? null } }, at);
    await settle(tx);
  });
}

async function finish(
  ctx: Context,
  operation: Operation,
  prepared: SignedTransaction,
  settle: Settle<Outcome>,
): Promise<Outcome> {
  const { txHash } = prepared;
  const slot = await land(ctx.chain, prepared, 'check again in a minute', waitMs);
  const outcome: Outcome = { kind: 'done', txHash, ...(await operation.readResult?.(slot)) };
  await ctx.db.transaction((tx) => settle(tx, outcome));
  return outcome;
}

function alreadyUnderWay({ redemptionId }: Operation['row']): AppError {
  return notAllowed(
    redemptionId === null
      ? 'The same change is already in progress.'
      : 'The tokens of this redemption have left escrow, or a transaction that takes them out may still land.',
  );
}
