/**
 * How the rows of `operator_transactions` move. Whoever sends a transaction writes its row before; the indexer moves it:
 * `settleOperation` to `confirmed`, `failOperation` to `failed`, `sweepExpiredOperatorTransactions` to `expired`. From
 * `confirmed` to `expired` none moves by itself: an admin says so (`take-back-operator-transactions.ts`).
 */
import type { Tx } from '../db/client.js';
import { type DeadLetter, resolveDeadLetters } from '../db/dead-letters.js';
import {
  confirmOperatorTransaction,
  failOperatorTransaction,
  findOperatorTransaction,
  findOperatorTransactionsBySignature,
  findSettlementsInTheWay,
  findUnsignedOperatorTransactions,
} from '../db/landed-operator-transactions.js';
import type { OperatorTransaction } from '../db/operator-transactions.js';
import { findRedemption } from '../db/redemptions.js';
import type { Uuid } from '../domain/ids.js';

/** How redeemed gold leaves escrow. */
export type SettlementMode = 'burn' | 'refund' | 'treasury';

/** What an admin did by a call of the program that succeeded. */
export type OperationFacts =
  | {
      kind: 'settle_escrow';
      mode: SettlementMode;
      /** The row's id; all zero for gold that came without a redemption. */
      reference: Uuid;
      /** GOLD in base units. */
      amount: bigint;
      /** Owner of what received the gold. */
      receiver: string;
    }
  | {
      kind:
        | 'create_integrator'
        | 'update_integrator'
        | 'update_executives'
        | 'propose_authority'
        | 'cancel_authority'
        | 'apply_authority'
        | 'set_status';
      /** Undefined for what concerns no partner. */
      partnerId: Uuid | undefined;
    };

type Landed = { signature: string; slot: bigint };

/**
 * Notes that an operator transaction is on chain. Gold that leaves escrow is matched by the reference alone, whichever
 * transaction carried it; what does not match is a dead letter. Changes of partners are matched by the signature, and
 * one that was handed out unsigned by its kind and partner, as long as it is the only one. Doing it again changes
 * nothing.
 */
export async function settleOperation(
  tx: Tx,
  landed: Landed,
  facts: OperationFacts,
  at: Date,
): Promise<DeadLetter[]> {
  if (facts.kind === 'settle_escrow') return settleEscrow(tx, landed, facts, at);
  const { signature: txSignature, slot } = landed;
  const isSameKind = ({ kind }: OperatorTransaction) => kind === facts.kind;
  const own = (await findOperatorTransactionsBySignature(tx, txSignature)).filter(isSameKind);
  const [row, ...others] = own.length > 0 ? own : await findUnsignedOperatorTransactions(tx, facts);
  if (!row || others.length > 0) return [];
  await confirmOperatorTransaction(tx, row.id, { txSignature, slot }, at);
  return [];
}

async function settleEscrow(
  tx: Tx,
  landed: Landed,
  facts: Extract<OperationFacts, { kind: 'settle_escrow' }>,
  at: Date,
): Promise<DeadLetter[]> {
  const { signature: txSignature, slot } = landed;
  const { mode, reference, amount, receiver } = facts;
  const letter = (detail: Record<string, unknown>): DeadLetter[] => {
    const shown = { mode, reference, amount: amount.toString(), receiver };
    return [{ ...landed, reason: 'settlement_mismatch', detail: { ...shown, ...detail } }];
  };
  const row = await findOperatorTransaction(tx, reference);
  if (!row) return letter({ wrong: ['reference'] });
  const { status, txSignature: settledBy } = row;
  if (status === 'confirmed' && settledBy === txSignature) return [];
  const wrong = await differences(tx, row, facts);
  if (wrong.length > 0) return letter({ wrong, status });
  const rivals = await findSettlementsInTheWay(tx, row);
  const confirmed =
    rivals.length === 0 && (await confirmOperatorTransaction(tx, row.id, { txSignature, slot }, at));
  if (!confirmed) {
    const inTheWay = rivals.map(({ id }) => id);
    return letter({ wrong: ['settled_before'], status, settled_by: settledBy, rivals: inTheWay });
  }
  await resolveDeadLetters(tx, txSignature, ['transaction_unavailable', 'undecodable', 'vanished'], at);
  return [];
}

async function differences(
  tx: Tx,
  row: OperatorTransaction,
  { mode, amount, receiver }: Extract<OperationFacts, { kind: 'settle_escrow' }>,
): Promise<string[]> {
  const redemption = row.redemptionId === null ? undefined : await findRedemption(tx, row.redemptionId);
  const same: Record<string, boolean> = {
    mode: row.kind === mode,
    amount: row.amount === amount,
    receiver: mode !== 'refund' || redemption?.userWallet === receiver,
  };
  return Object.keys(same).filter((name) => !same[name]);
}

/** Notes that the chain refused an operator transaction; nothing for a signature that is none of theirs. */
export async function failOperation(
  tx: Tx,
  { signature, slot }: Landed,
  failureReason: string,
  at: Date,
): Promise<void> {
  for (const { id } of await findOperatorTransactionsBySignature(tx, signature))
    await failOperatorTransaction(tx, id, { slot, failureReason }, at);
}
