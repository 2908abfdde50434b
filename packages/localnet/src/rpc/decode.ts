import type { AccountState } from '../account.js';
import { decodeBase58 } from '../base58.js';
import { invalidParams } from '../errors.js';
import { resolveLookups } from '../lookup-tables.js';
import { transactionErrorText } from '../transaction-error.js';
import {
  decodeTransaction,
  type LoadedAddresses,
  TRANSACTION_BYTES_MAX,
  transactionIsSane,
  type WireTransaction,
} from '../wire.js';

const TYPE_NAME = 'solana_transaction::versioned::VersionedTransaction';
/** Lengths of 1,232 bytes in base58 and base64. */
const TEXT_MAX = { base58: 1683, base64: 1644 };
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export type TransactionEncoding = 'base58' | 'base64';

function bytesOf(text: string, encoding: TransactionEncoding): Uint8Array {
  if (text.length > TEXT_MAX[encoding]) {
    throw invalidParams(
      `${encoding} encoded ${TYPE_NAME} too large: ${text.length} bytes (max: encoded/raw ${TEXT_MAX[encoding]}/${TRANSACTION_BYTES_MAX})`,
    );
  }
  if (encoding === 'base58') {
    const bytes = decodeBase58(text);
    if (!bytes) throw invalidParams('invalid base58 encoding: InvalidCharacter');
    return bytes;
  }
  if (!BASE64.test(text)) throw invalidParams('invalid base64 encoding: InvalidByte');
  return Buffer.from(text, 'base64');
}

/** Takes the transaction of a parameter apart; -32602 when it is too large or none. */
export function decodeTransactionParam(text: string, encoding: TransactionEncoding): WireTransaction {
  const bytes = bytesOf(text, encoding);
  if (bytes.length > TRANSACTION_BYTES_MAX) {
    throw invalidParams(
      `decoded ${TYPE_NAME} too large: ${bytes.length} bytes (max: ${TRANSACTION_BYTES_MAX} bytes)`,
    );
  }
  try {
    return decodeTransaction(bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidParams(`failed to deserialize ${TYPE_NAME}: ${reason}`);
  }
}

/** Checks the shape of a transaction and finds the addresses it takes from lookup tables; -32602 when it is unsound. */
export function sanitize(
  transaction: WireTransaction,
  getAccount: (address: string) => AccountState | undefined,
): LoadedAddresses {
  if (!transactionIsSane(transaction))
    throw invalidParams(`invalid transaction: ${transactionErrorText('SanitizeFailure')}`);
  const resolved = resolveLookups(transaction.message.lookups, getAccount);
  if ('err' in resolved) throw invalidParams(`invalid transaction: ${transactionErrorText(resolved.err)}`);
  return resolved.loaded;
}
