import type { Address, ReadonlyUint8Array } from '@solana/kit';
import { memoProgram } from '../chain/build-trade.js';
import { type KaratMemo, parseMemo } from '../domain/memo.js';
import type { ChainTransaction } from './transaction.js';

/**
 * The memos of the service in a transaction: those of the message itself that name a trusted key among their accounts,
 * where that key signed the transaction. What anyone else writes is not a memo of the service, whatever it says. Text
 * that starts as ours and is not in our form comes as undefined.
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

function readText(data: ReadonlyUint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(data));
  } catch {
    return undefined;
  }
}
