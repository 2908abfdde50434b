import { memoProgram } from '@karat/signer';
import type { Address, ReadonlyUint8Array } from '@solana/kit';

import { type KaratMemo, parseMemo } from '../../domain/memo.js';
import { Refusal } from './refusal.js';
import type { ChainTransaction } from './transaction.js';

/**
 * Returns the memos of the service in a transaction: those of the message itself that name a trusted key among their
 * accounts, where that key signed the transaction. Text that anyone else writes is not a memo of the service, whatever
 * its content. Text that starts as ours and is not in our form comes as undefined.
 */
export function serviceMemos(
  transaction: ChainTransaction,
  trusted: ReadonlySet<Address>,
): (KaratMemo | undefined)[] {
  const memos: (KaratMemo | undefined)[] = [];
  for (const { program, depth, accounts, data } of transaction.instructions) {
    if (program !== memoProgram || depth !== 1) continue;
    if (!accounts.some((account) => trusted.has(account) && transaction.signers.has(account))) continue;
    const text = readText(data);
    if (text?.startsWith('karat|')) memos.push(parseMemo(text));
  }
  return memos;
}

/** Returns the one memo of the service, or undefined when there is none. */
export function memoOf(transaction: ChainTransaction, trusted: ReadonlySet<Address>): KaratMemo | undefined {
  const memos = serviceMemos(transaction, trusted);
  if (memos.length === 0) return undefined;
  if (memos.length > 1) throw new Refusal('several_memos', { memos: memos.length });
  const [memo] = memos;
  if (!memo) throw new Refusal('memo_malformed');
  return memo;
}

/** Throws a `Refusal` when one of those did not sign the transaction that a memo of the service speaks of. */
export function requireSigners(
  { signers }: ChainTransaction,
  id: string,
  wanted: Record<string, Address>,
): void {
  const missing = Object.entries(wanted).flatMap(([who, key]) => (signers.has(key) ? [] : [who]));
  if (missing.length > 0) throw new Refusal('signature_missing', { id, missing });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readText(data: ReadonlyUint8Array): string | undefined {
  try {
    return utf8.decode(data as Uint8Array);
  } catch {
    return undefined;
  }
}
