import { amountNumber, formatDecimal, tokenDecimals } from '@karat/service/domain';
import {
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import type { Api } from './api.js';
import type { Figure } from './teller.js';

/** The transaction of a new order, and who has to sign it. */
export interface OrderTransaction {
  serializedTx: string;
  signingInstructions: { walletType: string; signers: string[]; expiresAt: string };
}

/** By how much tokens changed, in base units: negative for a decrease. */
export interface TokenChange {
  gold: bigint;
  usdc: bigint;
}

interface Submitted {
  status: string;
  transaction: {
    transactionId: string;
    signature: string;
    tokenBalanceChange: Record<string, { gold: number; usdc: number }>;
  };
}

/** Shows who must sign, and until when. */
export function printSigning({ signingInstructions }: OrderTransaction, figure: Figure): void {
  const { walletType, signers, expiresAt } = signingInstructions;
  figure('to be signed', `by ${signers.join(', ')} (${walletType}), until ${expiresAt}`);
}

/** Signs the transaction of an order, submits it and waits for the chain. Throws when it was not confirmed. */
export async function signAndSubmitOrder(
  api: Api,
  transaction: OrderTransaction,
  wallet: KeyPairSigner,
  figure: Figure,
): Promise<Submitted['transaction']> {
  const bytes = Buffer.from(transaction.serializedTx, 'base64');
  const signed = await partiallySignTransaction([wallet.keyPair], getTransactionDecoder().decode(bytes));
  const response = await api.post<Submitted>('/api/transactions/submit', {
    signedTransaction: getBase64EncodedWireTransaction(signed),
  });
  figure('size', `${bytes.length} of 1232 bytes`);
  figure('transaction', response.transaction.signature);
  figure('status', response.status);
  if (response.status !== 'confirmed') throw new Error(`The transaction is ${response.status}`);
  return response.transaction;
}

/** Returns what a submitted transaction did to the tokens of one owner. */
export function changeOf({ tokenBalanceChange }: Submitted['transaction'], owner: string): TokenChange {
  const { gold, usdc } = tokenBalanceChange[owner] ?? { gold: 0, usdc: 0 };
  return { gold: BigInt(gold), usdc: BigInt(usdc) };
}

/** `+2 GOLD, -8241.123456 USDC`, without what did not change. */
export function printChange({ gold, usdc }: TokenChange): string {
  const parts = [
    [gold, 'GOLD'],
    [usdc, 'USDC'],
  ] as const;
  const text = (amount: bigint) => `${amount > 0n ? '+' : ''}${formatDecimal(amount, tokenDecimals)}`;
  return parts
    .filter(([amount]) => amount !== 0n)
    .map(([amount, name]) => `${text(amount)} ${name}`)
    .join(', ');
}

/** Returns whether a record agrees with the chain: amounts as the API writes them, negative for what was given. */
export function isChange(change: TokenChange, record: { gold: number; usdc: number }): boolean {
  return amountNumber(change.gold) === record.gold && amountNumber(change.usdc) === record.usdc;
}
