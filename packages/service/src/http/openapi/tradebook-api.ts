import type { ErrorCode } from '../../errors.js';
import {
  type Conventions,
  docUrlMeaning,
  keyInHeader,
  programErrorMeaning,
  reasonSchema,
} from './conventions.js';
import type { ApiDescription } from './document.js';
import { errorTexts } from './error-texts.js';
import type { JsonSchema } from './examples.js';

const info = {
  title: 'Karat tradebook API',
  description: `Lets a partner manage the reserves in its central vault on chain: buy gold for the vault, sell it, withdraw, and change
who may act as an executive. One GOLD is one troy ounce (31.1034768 g).

**Roles.** What a key may do follows from the roles that its wallet has on chain: \`PARTNER_EXECUTIVE_AUTHORITY\` trades,
\`PARTNER_UPDATE_AUTHORITY\` changes the executives, \`PARTNER_WITHDRAWAL_AUTHORITY\` withdraws, \`ADMIN\` is the admin of the on-chain program. They are
read again for every request: when a wallet loses a role on chain, its keys lose it within 2 seconds.

**Signing.** An order comes with a legacy Solana transaction for exactly one signer, the wallet in \`signingInstructions.signers\`.
Submit it here or send it to any node; either way, the status of the order changes when the chain has it.

**Envelope.** A success is \`{"success": true, "data": …}\`, an error \`{"success": false, "error": {"code", "message", "field"}}\`: the code never
changes its meaning, the message is for people, and \`field\` is there if one input field caused the error. \`reason\` says why, for programs to act
on, \`docUrl\` links the page about the error, and \`programErrorName\` names the error of a program on chain. An unknown path is 404
\`not_found\`, a wrong method 405 \`method_not_allowed\`.

**Numbers.** USDC and GOLD are exact JSON numbers with at most 6 decimals; \`tokenBalanceChange\` is in the smallest units of the token. Trades
are rounded against the caller, in the last decimal.

**Absent fields.** \`null\` for an optional field of a body means that it is absent, except where the field itself says what null does.

**Limits.** \`/api/auth\` takes 10 requests a minute for each IP address. A key may make 600 reads (\`GET\`) and 600 writes a
minute. The routes without a key, for submitting and for the price, take 60 requests a minute each for each IP address.

**Request ids.** \`x-request-id\` is on every response; send your own (1 to 128 printable characters) to find a request again in the logs.

**Compatibility.** Responses may gain fields, and new error codes may appear; the meaning of what is documented here does not change.`,
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
  { name: 'API keys', description: 'Keys of the partner or of the admin.' },
  { name: 'Partner', description: 'The partner, its vault, and the wallets that may act for it.' },
  { name: 'Prices', description: 'The gold price, and estimates of trades.' },
  { name: 'Orders', description: 'Purchases, sales and withdrawals of the central vault.' },
  { name: 'Transactions', description: 'Submission of signed transactions.' },
];

/** Where the tradebook API means something else by a code than the partner API. */
const ownTexts: Partial<Record<ErrorCode, string>> = {
  invalid_signature: "The signature is not this wallet's signature of the message.",
  wallet_not_found: 'The wallet has no role on chain, or no role at this partner.',
  broadcast_failed:
    'The transaction cannot be read, or the network rejected it; `message` gives the reason. An expired transaction gives `Blockhash not found`.',
  onchain_config_missing: 'The partner is not set up on chain.',
  insufficient_scope: 'The wallet of the key does not have the role that this request needs, or has lost it.',
};

function errorSchema(list: ErrorCode[]): JsonSchema {
  return {
    type: 'object',
    required: ['success', 'error'],
    properties: {
      success: { type: 'boolean', description: 'Always false.', examples: [false] },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', description: 'The error code, for programs to act on.', enum: list },
          message: { type: 'string', description: 'Text for people; the wording may change.' },
          field: {
            type: 'string',
            description: 'Path of the input field that caused the error.',
          },
          reason: reasonSchema,
          docUrl: { type: 'string', description: docUrlMeaning },
          programErrorName: { type: 'string', description: programErrorMeaning },
        },
      },
    },
  };
}

const conventions: Conventions = {
  authentication: keyInHeader('A key of the tradebook API, issued by `POST /api/auth/api-key`.'),
  errorTexts: { ...errorTexts, ...ownTexts },
  errorSchema,
  errorsOf: (list) => ({ error: { properties: { code: { enum: list } } } }),
  errorExample: (code, message) => ({ success: false, error: { code, message } }),
};

/** The document of the tradebook API. */
export const tradebookApi: ApiDescription = { info, servers, tags, conventions };
