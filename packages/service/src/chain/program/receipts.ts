import { getReceiptDecoder, getReceiptSize } from '@karat/program-client';
import { getBase64Encoder } from '@solana/kit';
import type { Chain } from '../chain.js';

/** Returns every receipt on chain, by confirmed state: `payer` paid its rent, `closableAt` is in Unix seconds. Rejects when the node does not respond. */
export async function readReceipts(chain: Chain, abortSignal: AbortSignal) {
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
