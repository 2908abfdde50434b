import { readLegacyTransaction } from '@karat/wire';
import { type TxSignature, txSignatureOf } from '../src/domain/solana.js';
import { type ApiResponse, expectStatus, type Wallet } from './harness.js';
import type { RoleClient, Treasury } from './karat.js';
import { eventually } from './karat-chain.js';

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The transaction of an order's response. */
export function transactionOf(response: ApiResponse): Uint8Array {
  return Buffer.from(response.body.data.transaction.serializedTx, 'base64');
}

/** A transaction signed by wallets in the order of its signers. */
export function signedBy(transaction: Uint8Array, ...wallets: Wallet[]): Uint8Array {
  const { message } = readLegacyTransaction(transaction);
  const signed = Uint8Array.from(transaction);
  wallets.forEach((wallet, index) => {
    signed.set(wallet.signBytes(message), 1 + 64 * index);
  });
  return signed;
}

/** Base58 of the first signature. */
export function signatureOf(transaction: Uint8Array): TxSignature {
  return txSignatureOf(transaction.subarray(1, 65));
}

/** A new order of a role, with its transaction signed. */
export async function ordered(client: RoleClient, path: string, body: object) {
  const response = expectStatus(await client.post(path, body), 201);
  return { response, signed: signedBy(transactionOf(response), client.wallet) };
}

/** An order of each kind that moves value, by a treasury, and what its record becomes. */
export function ordersOf(treasury: () => Treasury) {
  return {
    purchase: () => ordered(treasury().executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 }),
    withdrawal: () => ordered(treasury().withdrawal, paths.withdrawals, { amount: 2, tokenType: 'usdc' }),
    /** The record behind a path of the trading API, once it has a status. */
    becomes: (path: string, status: string) =>
      eventually(async () => {
        const { data } = expectStatus(await treasury().update.get(`/api/trading/${path}`), 200).body;
        if (data.status !== status) throw new Error(`${path} is ${data.status}`);
        return data;
      }, 15_000),
  };
}

export const paths = {
  purchases: '/api/trading/purchases/partner',
  sales: '/api/trading/sales/partner',
  withdrawals: '/api/trading/withdrawals',
  executives: (partnerId: string) => `/api/distribution/partner/${partnerId}/executive-authority`,
};
