export { KaratError } from './errors.js';
export type { components, paths } from './generated/partner.js';
export {
  type BuyQuote,
  type Execution,
  Karat,
  type KaratOptions,
  type Operation,
  type Redemption,
  type RedemptionQuote,
  type SellQuote,
  type Trade,
  type WebhookEndpoint,
} from './karat.js';
export type { List } from './list.js';
export { type MintApiKeyOptions, type MintedApiKey, mintApiKey } from './mint-api-key.js';
export {
  type ModifyingSigner,
  type PartialSigner,
  type SignBytes,
  type Signer,
  type StandardWallet,
  signTransaction,
} from './signing.js';
export { type KaratEvent, verifyWebhook } from './webhooks.js';
