import { formatDecimal, tokenDecimals } from '@karat/service/domain';
import { getTransactionDecoder } from '@solana/kit';
import type { Cast } from './cast.js';
import { type Balances, balancesOf } from './chain.js';
import type { Figure } from './teller.js';

/**
 * Has the transaction of a quote signed, submits it and waits until the chain has confirmed it; returns its signature. Throws when
 * it failed or expired. `buys.execute` does the same in one call.
 */
export async function signAndSubmit(
  { karat }: Cast,
  quote: { id: string; sign(): Promise<string>; submit(signed: string): Promise<{ tx_hash: string }> },
  figure: Figure,
): Promise<string> {
  const signed = await quote.sign();
  const { tx_hash: hash } = await quote.submit(signed);
  const bytes = Buffer.from(signed, 'base64');
  const { signatures } = getTransactionDecoder().decode(bytes);
  figure('signatures', String(Object.values(signatures).filter((each) => each !== null).length));
  figure('size', `${bytes.length} of 1232 bytes`);
  figure('transaction', hash);
  const { status, message } = await karat.operations.outcome(quote.id);
  if (status !== 'confirmed' && status !== 'finalized')
    throw new Error(`The transaction has ${status}: ${message}`);
  return hash;
}

/** Reads until the response is as expected, for up to 20 s; then returns it as it is. */
export async function readUntil<T>(read: () => Promise<T>, isDone: (response: T) => boolean): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const response = await read();
    if (isDone(response) || Date.now() > end) return response;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function customerBalances({ rpc, customer, mints }: Cast): Promise<Balances> {
  return balancesOf(rpc, customer.wallet.address, mints);
}

/** `12.5 -> 12.75` of two amounts in base units. */
export function change(from: bigint, to: bigint): string {
  return `${formatDecimal(from, tokenDecimals)} -> ${formatDecimal(to, tokenDecimals)}`;
}
