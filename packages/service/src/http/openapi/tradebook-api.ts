import type { ErrorCode } from '../../errors.js';
import { type Conventions, keyInHeader } from './conventions.js';
import type { ApiDescription } from './document.js';
import { errorTexts } from './error-texts.js';
import type { JsonSchema } from './examples.js';

const info = {
  title: 'Karat tradebook API',
  description: `Lets a partner govern the reserves that it holds in its central vault on chain: buy gold for it, sell it, withdraw, and change
who may act as an executive. One GOLD is one troy ounce (31.1034768 g).

**Roles.** What a key may do follows from the roles that its wallet has on chain: \`PARTNER_EXECUTIVE_AUTHORITY\` trades,
\`PARTNER_UPDATE_AUTHORITY\` changes the executives, \`PARTNER_WITHDRAWAL_AUTHORITY\` withdraws, \`ADMIN\` is the admin of the on-chain program. They are
read again for every request: a role that is lost on chain is lost for its keys within 2 seconds.

**Signing.** An order comes with a legacy Solana transaction that exactly one wallet signs, the one that \`signingInstructions.signers\` names.
Submit it here or send it to any node; either way the order's status moves when the chain has it.

**Envelope.** A success is \`{"success": true, "data": …}\`, everything else \`{"success": false, "error": {"code", "message", "field"}}\`: the code never
changes its meaning, the message is for people, and \`field\` is there when one input field is to blame. A path that does not exist is 404
\`not_found\`, a wrong method 405 \`method_not_allowed\`.

**Numbers.** USDC and GOLD are JSON numbers with at most 6 decimals and exact; \`tokenBalanceChange\` counts in the smallest units of the chain. Trades
are rounded against the caller, in the last decimal.

**Limits.** \`/api/auth\` takes 10 requests a minute and IP address, together with \`/v1/auth\` of the partner API. A key may make 600 requests
a minute. Of the routes without a key, submitting takes 60 requests a minute and IP address, and so does the price.

**Request ids.** \`x-request-id\` is on every response; send your own (1 to 128 printable characters) to find a request again in the logs.

**Compatibility.** Responses may gain fields, and errors may gain codes; what is here does not change its meaning.`,
};

const servers = [
  { url: '/', description: 'The host that serves this document' },
  { url: 'http://127.0.0.1:8080', description: 'A sandbox on this machine' },
];

const tags = [
  {
    name: 'Authentication',
    description: 'A key is minted by signing a challenge with a wallet that has a role on chain.',
  },
  { name: 'API keys', description: 'Keys of the partner, or of the admin.' },
  { name: 'Partner', description: 'The partner, its vault, and who may act for it.' },
  { name: 'Prices', description: 'The gold price, and what trades would come to.' },
  { name: 'Orders', description: 'Purchases, sales and withdrawals of the central vault.' },
  { name: 'Transactions', description: 'Submission of signed transactions.' },
];

/** Where the tradebook API means something else by a code than the partner API. */
const ownTexts: Partial<Record<ErrorCode, string>> = {
  invalid_signature: 'The signature is not one of the message by this wallet.',
  wallet_not_found: 'The wallet has no role on chain, or none of this partner.',
  broadcast_failed:
    'The transaction cannot be read, or the network refused it; `message` gives the reason. An expired one is `Blockhash not found`.',
  onchain_config_missing: 'The partner is not set up on chain.',
  insufficient_scope: 'The wallet of the key does not have the role that this needs, or has lost it.',
};

function errorSchema(list: ErrorCode[]): JsonSchema {
  return {
    type: 'object',
    required: ['success', 'error'],
    properties: {
      success: { type: 'boolean', const: false },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', description: 'What a program decides by.', enum: list },
          message: { type: 'string', description: 'Text for people; it may change.' },
          field: {
            type: 'string',
            description: 'The one input field that is to blame, by its path.',
          },
        },
      },
    },
  };
}

const conventions: Conventions = {
  authentication: keyInHeader('A key of the tradebook API, as `POST /api/auth/api-key` gives it out.'),
  errorTexts: { ...errorTexts, ...ownTexts },
  errorSchema,
  errorsOf: (list) => ({ error: { properties: { code: { enum: list } } } }),
  errorExample: (code, message) => ({ success: false, error: { code, message } }),
};

/** The document of the tradebook API. */
export const tradebookApi: ApiDescription = { info, servers, tags, conventions };
