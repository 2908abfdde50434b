import { Type } from '@fastify/type-provider-typebox';
import { failureNames } from './failure-view.js';
import { about } from './fields.js';
import { freeObject, Nullable, titled } from './schemas.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const wallet = '4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H';
const base64 = 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==';
const txHash = '4QBahSvnRE56fqvkgdXrS51BVNHZVSUbaZcM3eb4K9h88PK7bxEXdXf7icvoPVtKwKJ14YXtVMyF7LPp6QSsSzE8';
const at = '2026-03-01T12:00:00.000Z';

export const orderField = {
  purchaseId: about('Id of the purchase, a UUID.', uuid),
  sellId: about('Id of the sale, a UUID.', uuid),
  withdrawalId: about('Id of the withdrawal, a UUID.', uuid),
  partnerId: about('Id of the partner, a UUID.', uuid),
  goldAmount: about('Troy ounces, at most 6 decimals.', 1.5),
  maxUsdcAmount: about('The most that the vault pays, fee included.', 6_250),
  minimumUsdcAmount: about('The least that the vault accepts, after the fee; 0 accepts any amount.', 6_000),
  quotedCost: about('Cost at the price of the quote, fee included. USDC.', 6_180.904524),
  quotedProceeds: about('Proceeds at the price of the quote, after the fee. USDC.', 6_119.4291),
  quotedGoldPrice: about('USD per troy ounce at the time of the quote, at most 8 decimals.', 4_100.12),
  amount: about('Amount of the token, at most 6 decimals.', 250),
  tokenType: about('`usdc` or `gold`, in upper or lower case.', 'usdc'),
  pendingStatus: about('Always `pending_signature`.', 'pending_signature'),
  status: about(
    '`pending_signature`; then `confirmed`, `failed` if the transaction reverted, or `expired` if it can no longer land: both are final. Only the chain changes it.',
    'confirmed',
  ),
  metadata: about('Anything that you want to store with the order, at most 4 KiB of JSON.', {
    reference: 'PO-1042',
  }),
  serializedTx: about('Base64 of the legacy transaction. Sign it and submit it.', base64),
  walletType: about('Which role signs.', 'PARTNER_AUTHORITY'),
  signers: about('The only wallet that signs; it pays the network fee.', [wallet]),
  expiresAt: about('When the transaction can no longer land.', '2026-03-01T12:01:00.000Z'),
  signer: about('The wallet that signs.', wallet),
  destination: about(
    'The token account that receives it, which belongs to the withdrawal authority.',
    wallet,
  ),
  executedGoldAmount: about('GOLD that moved; null unless it is confirmed.', 1.5),
  executedCost: about('USDC that the vault paid, fee included; null unless it is confirmed.', 6_180.904524),
  executedProceeds: about(
    'USDC that the vault received, after the fee; null unless it is confirmed.',
    6_119.4291,
  ),
  executedAmount: about('Amount that moved; null unless it is confirmed.', 250),
  executedGoldPrice: about('USD per troy ounce at the execution; null unless it is confirmed.', 4_100.12),
  feeUsdcAmount: about('The fee in USDC; null unless it is confirmed.', 30.904524),
  signature: about('Base58 signature of the transaction; null until the transaction is on chain.', txHash),
  failureReason: about('Reason why it failed; null if it did not fail.', null),
  createdAt: about('UTC, with milliseconds.', at),
  updatedAt: about('UTC, with milliseconds.', at),
  executives: about('Addresses of wallets.', [wallet]),
  signedTransaction: about('Base64 of the transaction, signed.', base64),
  transactionId: about(
    'Id of the purchase, sale or withdrawal; if the transaction executes none of these, a UUID derived from its signature.',
    uuid,
  ),
  submitStatus: about('`confirmed`, or `pending` while the chain has not confirmed it.', 'confirmed'),
  tokenBalanceChange: about(
    'Changes of token balances by owner, in millionths of a token; empty if no tokens moved, or if nothing is known yet.',
    { [wallet]: { gold: 1_500_000, usdc: -6_180_904_524 } },
  ),
};

export const TransactionView = titled('Transaction', {
  serializedTx: Type.String(orderField.serializedTx),
  signingInstructions: Type.Object({
    walletType: Type.String(orderField.walletType),
    signers: Type.Array(Type.String(), orderField.signers),
    expiresAt: Type.String(orderField.expiresAt),
  }),
});

export const Metadata = Type.Optional(freeObject(orderField.metadata));

/** What the response to every new order ends with. */
export const placedParts = {
  status: Type.Literal('pending_signature', orderField.pendingStatus),
  transaction: TransactionView,
  createdAt: Type.String(orderField.createdAt),
};

export const recordParts = {
  signer: Type.String(orderField.signer),
  signature: Nullable(Type.String(), orderField.signature),
  failureReason: Nullable(Type.String(), orderField.failureReason),
  ...failureNames,
  metadata: Nullable(freeObject({}), orderField.metadata),
  expiresAt: Nullable(Type.String(), orderField.expiresAt),
  createdAt: Type.String(orderField.createdAt),
  updatedAt: Type.String(orderField.updatedAt),
};
