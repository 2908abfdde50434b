import { findRedemptionPda, getRedeemInstructionAsync } from '@karat/program-client';
import { memoProgram } from '@karat/signer';
import { signatureBytes } from '@karat/wire';
import { AccountRole, type Address, type Blockhash, createNoopSigner } from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { type RedemptionId, redemptionBytes, type Uuid, uuidBytes } from '../../domain/ids.js';
import { formatMemo } from '../../domain/memo.js';
import type { Gold } from '../../domain/money.js';
import { type TxSignature, txSignatureOf } from '../../domain/solana.js';
import type { Chain } from '../chain.js';
import { goldOf, tokenAccountOf } from '../program/token-accounts.js';
import { signQuote } from '../sign/signer.js';

import { compileLegacyMessage } from './compile-message.js';

/**
 * Compute units that a redemption may use: about 25,000 for the memo, 10,000 for the program, and 1,500 more for each bump
 * below 255 of the redemption's address.
 */
export const redemptionComputeUnitLimit = 60_000;

export interface RedemptionPayment {
  redemptionId: RedemptionId;
  partnerId: Uuid;
  /** GOLD, base units. */
  amount: Gold;
  /** Wallet of the user, who pays from its associated token account. */
  user: Address;
  goldMint: Address;
  escrowGold: Address;
  blockhash: Blockhash;
}

export const redeemPosition = 3;

/** A redemption that the service has signed, and the user has not. */
export interface SignedRedemption {
  /** Wire format. */
  transaction: Uint8Array;
  /** Base58 signature of the service, which is the transaction's id. */
  txHash: TxSignature;
}

/**
 * Builds and signs a redemption with @solana/kit: each is a row of the database too, which takes longer. Its instructions are
 * compute budget, the service's memo, and `redeem`. The service pays the rent of the redemption's account, and gets it back
 * when the redemption is settled.
 */
export async function buildRedemption(
  chain: Pick<Chain, 'programAddress' | 'computeUnitPrice' | 'signer'>,
  payment: RedemptionPayment,
): Promise<SignedRedemption> {
  const { programAddress, computeUnitPrice, signer } = chain;
  const { redemptionId, partnerId, amount, goldMint, escrowGold } = payment;
  const service = createNoopSigner(signer.address);
  const id = redemptionBytes(redemptionId);
  const [redemption] = await findRedemptionPda({ id }, { programAddress });
  const memo = formatMemo({ kind: 'redeem', id: redemptionId, amount });
  const message = compileLegacyMessage(signer.address, payment.blockhash, [
    getSetComputeUnitLimitInstruction({ units: redemptionComputeUnitLimit }),
    getSetComputeUnitPriceInstruction({ microLamports: computeUnitPrice }),
    {
      programAddress: memoProgram,
      accounts: [{ address: signer.address, role: AccountRole.READONLY_SIGNER }],
      data: Buffer.from(memo, 'utf8'),
    },
    await getRedeemInstructionAsync(
      {
        payer: service,
        serviceSigner: service,
        user: createNoopSigner(payment.user),
        userGold: tokenAccountOf(payment.user, goldOf(payment)),
        escrowGold,
        goldMint,
        redemption,
        id,
        partnerId: uuidBytes(partnerId),
        amount,
      },
      { programAddress },
    ),
  ]);
  const transaction = await signQuote(signer, message);
  return { transaction, txHash: txSignatureOf(transaction.subarray(1, 1 + signatureBytes)) };
}
