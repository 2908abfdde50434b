export {
  checkTransaction,
  type Difference,
  type Network,
  type Parties,
  type Quoted,
  type RedemptionRequest,
} from './check.js';
export type { CallOptions } from './client.js';
export { KaratError } from './errors.js';
export type { EventQuery, StreamOptions } from './events.js';
export type { components, operations, paths } from './generated/partner.js';
export { Karat, type KaratOptions } from './karat.js';
export type { List } from './list.js';
export { type MintApiKeyOptions, type MintedApiKey, mintApiKey } from './mint-api-key.js';
export type { Execution } from './operations.js';
export type { Signing } from './pins.js';
export type {
  ModifyingSigner,
  PartialSigner,
  SignBytes,
  Signer,
  StandardWallet,
} from './signing.js';
export type {
  BuyQuote,
  EventTypes,
  KaratEvent,
  Operation,
  Redemption,
  RedemptionQuote,
  SellQuote,
  Trade,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
} from './types.js';
export { verifyWebhook } from './webhooks.js';
