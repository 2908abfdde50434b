import { getReceiptDecoder, getReceiptSize } from '@karat/program-client';
import { type Address, getBase64Encoder } from '@solana/kit';
import type { Chain } from '../chain.js';

/** The receipt of an order, which keeps the order from being executed again. */
export interface OrderReceipt {
  address: Address;
  /** Paid its rent and gets it back. */
  payer: Address;
  /** Unix seconds. */
  closableAt: bigint;
}

/** Returns every receipt on chain, by confirmed state. Rejects when the node does not respond. */
export async function readReceipts(chain: Chain, abortSignal: AbortSignal): Promise<OrderReceipt[]> {
  const found = await chain.rpc
    .getProgramAccounts(chain.programAddress, {
      commitment: 'confirmed',
      encoding: 'base64',
      filters: [{ dataSize: BigInt(getReceiptSize()) }],
    })
    .send({ abortSignal });
  return found.map(({ pubkey, account }) => {
    const { payer, closableAt } = getReceiptDecoder().decode(getBase64Encoder().encode(account.data[0]));
    return { address: pubkey, payer, closableAt };
  });
}
