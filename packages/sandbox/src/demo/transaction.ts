import { formatDecimal, tokenDecimals } from '@karat/service/domain';
import {
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import { ApiRefusal } from './api.js';
import type { Cast } from './cast.js';
import { type Balances, balancesOf, confirmed } from './chain.js';
import type { Figure } from './teller.js';

/** Signs the quote's transaction, sends it by `path` and waits until the chain has confirmed it; returns its signature. */
export async function signAndSubmit(
  { api, rpc }: Cast,
  quote: { transaction: string; path: string },
  signers: KeyPairSigner[],
  figure: Figure,
): Promise<string> {
  const bytes = Buffer.from(quote.transaction, 'base64');
  const pairs = signers.map((signer) => signer.keyPair);
  const signed = await partiallySignTransaction(pairs, getTransactionDecoder().decode(bytes));
  const answer = await api.post<{ tx_hash: string }>(quote.path, {
    signed_tx: getBase64EncodedWireTransaction(signed),
  });
  figure('signatures', String(Object.values(signed.signatures).filter((each) => each !== null).length));
  figure('size', `${bytes.length} of 1232 bytes`);
  figure('transaction', answer.tx_hash);
  await confirmed(rpc, answer.tx_hash);
  return answer.tx_hash;
}

/** Reads a record until the indexer has written it; before that the API returns 404 with `code`. */
export async function readWhenThere<T>({ api }: Cast, path: string, code: string): Promise<T> {
  const read = async () => {
    try {
      return await api.get<T>(path);
    } catch (error) {
      if (error instanceof ApiRefusal && error.code === code) return error;
      throw error;
    }
  };
  const answer = await readUntil(read, (each) => !(each instanceof ApiRefusal));
  if (answer instanceof ApiRefusal) throw answer;
  return answer;
}

/** Reads until the response is as expected, for up to 20 s; then returns it as it is. */
export async function readUntil<T>(read: () => Promise<T>, isDone: (answer: T) => boolean): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const answer = await read();
    if (isDone(answer) || Date.now() > end) return answer;
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
