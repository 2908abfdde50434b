import { Type } from '@fastify/type-provider-typebox';
import { about } from '../partner/fields.js';
import { freeObject, Nullable } from '../server/schemas.js';

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
  maxUsdcAmount: about('The most that the vault pays, with the fee.', 6_250),
  minimumUsdcAmount: about('The least that the vault gets, after the fee; 0 for any.', 6_000),
  quotedCost: about('What it costs at the price of the quote, with the fee. USDC.', 6_180.904524),
  quotedProceeds: about('What it brings at the price of the quote, after the fee. USDC.', 6_119.4291),
  quotedGoldPrice: about('USD per troy ounce at the quote, at most 8 decimals.', 4_100.12),
  amount: about('Of the token, at most 6 decimals.', 250),
  tokenType: about('`usdc` or `gold`, in any case.', 'usdc'),
  pendingStatus: about('Always `pending_signature`.', 'pending_signature'),
  status: about(
    '`pending_signature`; then `confirmed`, `failed` when the transaction reverted, or `expired` when it can no longer land. The chain alone moves it.',
    'confirmed',
  ),
  metadata: about('Anything that you want to keep with it, at most 4 KiB of JSON.', { reference: 'PO-1042' }),
  serializedTx: about('Base64 of the legacy transaction. Sign it and submit it.', base64),
  walletType: about('Which role signs.', 'PARTNER_AUTHORITY'),
  signers: about('The one wallet that signs and pays the fee of the network.', [wallet]),
  expiresAt: about('When the transaction can no longer land.', '2026-03-01T12:01:00.000Z'),
  signer: about('The wallet that signs.', wallet),
  destination: about('The token account that it goes to: that of the withdrawal authority.', wallet),
  executedGoldAmount: about('GOLD that moved; null unless it is confirmed.', 1.5),
  executedCost: about('USDC that the vault paid, with the fee; null unless it is confirmed.', 6_180.904524),
  executedProceeds: about('USDC that the vault got, after the fee; null unless it is confirmed.', 6_119.4291),
  executedAmount: about('What moved; null unless it is confirmed.', 250),
  executedGoldPrice: about('USD per troy ounce at the execution; null unless it is confirmed.', 4_100.12),
  feeUsdcAmount: about('The fee in USDC; null unless it is confirmed.', 30.904524),
  signature: about('Base58 signature of the transaction; null while the chain has none.', txHash),
  failureReason: about('Why it failed; null unless it did.', null),
  createdAt: about('UTC, with milliseconds.', at),
  updatedAt: about('UTC, with milliseconds.', at),
  executives: about('Addresses of wallets.', [wallet]),
  signedTransaction: about('Base64 of the transaction, signed.', base64),
  transactionId: about(
    'Id of the purchase, sale or withdrawal; a UUID made from the signature for a transaction that carries out none.',
    uuid,
  ),
  submitStatus: about('`confirmed`, or `pending` while the chain has not confirmed it.', 'confirmed'),
  tokenBalanceChange: about(
    'By how much the tokens of the owners of token accounts changed, in millionths; empty when none moved, or nothing is known yet.',
    { [wallet]: { gold: 1_500_000, usdc: -6_180_904_524 } },
  ),
};

export const TransactionView = Type.Object(
  {
    serializedTx: Type.String(orderField.serializedTx),
    signingInstructions: Type.Object({
      walletType: Type.String(orderField.walletType),
      signers: Type.Array(Type.String(), orderField.signers),
      expiresAt: Type.String(orderField.expiresAt),
    }),
  },
  { title: 'Transaction' },
);

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
  metadata: Nullable(freeObject({}), orderField.metadata),
  expiresAt: Nullable(Type.String(), orderField.expiresAt),
  createdAt: Type.String(orderField.createdAt),
  updatedAt: Type.String(orderField.updatedAt),
};
