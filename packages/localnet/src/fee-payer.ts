import type { AccountState } from './account.js';
import { SYSTEM_PROGRAM } from './addresses.js';
import { NONCE_BYTES } from './nonce.js';
import type { TransactionError } from './transaction-error.js';

/**
 * Returns why an account cannot pay a fee, undefined when it can (Agave `svm/src/account_loader.rs`,
 * `validate_fee_payer`). `minimumBalance` gives what an account of some bytes must hold.
 */
export function feePayerError(
  payer: AccountState | undefined,
  fee: bigint,
  minimumBalance: (bytes: number) => bigint,
): TransactionError | undefined {
  if (!payer) return 'AccountNotFound';
  const { lamports, data, owner } = payer;
  const isNonce = data.length === NONCE_BYTES;
  if (owner !== SYSTEM_PROGRAM || !(data.length === 0 || isNonce)) return 'InvalidAccountForFee';
  const left = lamports - fee;
  if (left < (isNonce ? minimumBalance(NONCE_BYTES) : 0n)) return 'InsufficientFundsForFee';
  const enough = minimumBalance(data.length);
  const fallsBelow = left > 0n && left < enough && lamports >= enough;
  return fallsBelow ? { InsufficientFundsForRent: { account_index: 0 } } : undefined;
}
