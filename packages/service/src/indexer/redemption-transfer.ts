import type { Address, TransactionError } from '@solana/kit';
import {
  getTransferCheckedInstructionDataDecoder,
  TOKEN_PROGRAM_ADDRESS,
  TRANSFER_CHECKED_DISCRIMINATOR,
} from '@solana-program/token';
import type { RedemptionFacts } from '../actions/settle-landed-redemption.js';
import type { DeadLetter } from '../db/dead-letters.js';
import { asId } from '../domain/ids.js';
import type { KaratMemo } from '../domain/memo.js';
import { failureReason } from './failure.js';
import { requireSigners } from './memos.js';
import type { ChainInstruction, ChainTransaction } from './transaction.js';

/** What stands beside a `redeem` memo is not the one transfer that it announces. */
export type RedemptionFault = Pick<DeadLetter, 'reason' | 'detail'>;

/**
 * The redemption that a memo of the service announces: the transaction has to carry one call of the token program, a
 * `TransferChecked` of its own message for the memo's amount, and what the account received has to be that amount. Throws a
 * `Refusal` for a failed one that the owner of the tokens did not sign.
 */
export function readRedemption(
  transaction: ChainTransaction,
  memo: KaratMemo,
  programAddress: Address,
): RedemptionFacts | RedemptionFault {
  const id = asId('red', memo.id);
  const calls = transaction.instructions.filter(({ program }) => program === TOKEN_PROGRAM_ADDRESS);
  const transfer = calls[0] && readTransfer(calls[0]);
  if (!id || !transfer || calls.length > 1) {
    return fault({ id: memo.id, wrong: ['transfer'], token_calls: calls.length });
  }
  const { amount, destination, authority } = transfer;
  // A transfer that failed moved nothing, whoever it names: only its signature says that the user meant it.
  if (transaction.error !== null) requireSigners(transaction, id, { user: authority });
  const received = transaction.tokenChanges.get(destination) ?? 0n;
  const wrong = [
    ...(amount === memo.amount ? [] : ['memo']),
    ...(transaction.error !== null || received === amount ? [] : ['balance']),
  ];
  if (wrong.length > 0) {
    const figures = { memo: memo.amount, transfer: amount, received };
    return fault({
      id,
      wrong,
      ...Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, String(value)])),
    });
  }
  return {
    id,
    amount,
    userWallet: authority,
    escrowAccount: destination,
    failureReason: reasonOf(transaction.error, transaction, programAddress),
  };
}

/** GOLD that came into escrow by a successful transaction, base units; 0 for none. */
export function cameIntoEscrow(transaction: ChainTransaction, escrowGold: Address | undefined): bigint {
  if (transaction.error !== null || escrowGold === undefined) return 0n;
  const change = transaction.tokenChanges.get(escrowGold) ?? 0n;
  return change > 0n ? change : 0n;
}

function fault(detail: Record<string, unknown>): RedemptionFault {
  return { reason: 'redemption_mismatch', detail };
}

function reasonOf(
  error: TransactionError | null,
  transaction: ChainTransaction,
  programAddress: Address,
): string | null {
  return error === null ? null : failureReason(error, transaction.instructions, programAddress);
}

function readTransfer({ accounts, data, depth }: ChainInstruction) {
  const { fixedSize } = getTransferCheckedInstructionDataDecoder();
  if (depth !== 1 || data.length !== fixedSize || data[0] !== TRANSFER_CHECKED_DISCRIMINATOR)
    return undefined;
  const [, , destination, authority] = accounts;
  if (!destination || !authority) return undefined;
  return { destination, authority, amount: getTransferCheckedInstructionDataDecoder().decode(data).amount };
}
