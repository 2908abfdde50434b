import { lifetimeMs } from '../../domain/lifetime.js';
import { velocityScopes, velocityTokens } from '../../domain/velocity.js';
import { codeSamples } from './code-samples.js';
import { type Conventions, flatErrors, keyInHeader } from './conventions.js';
import type { ApiDescription } from './document.js';
import { errorTexts } from './error-texts.js';

const amount = (description: string) => ({ type: 'number', description });
const limitDetails = {
  type: 'object',
  description: 'With `limit_exceeded`: the limit. GOLD and USDC as in the rest of the API.',
  required: ['limit', 'period_hours', 'amount', 'used', 'reserved', 'requested', 'available_at'],
  properties: {
    limit: {
      type: 'string',
      description:
        'Which limit it is: of the user, or of all users of the partner together; in USDC or in GOLD.',
      enum: velocityScopes.flatMap((scope) => velocityTokens.map((token) => `${scope}_daily_${token}`)),
    },
    period_hours: { type: 'integer', description: 'Hours that the limit looks back.' },
    amount: amount('The limit itself.'),
    used: amount('What was moved in that time, with what was submitted and may still land.'),
    reserved: amount('What quotes that can still land may move; of a submission 0.'),
    requested: amount('What the request would move at most.'),
    available_at: {
      type: ['string', 'null'],
      description: 'When there is room for the request, if nothing else is moved until then; null: never.',
    },
  },
};

const info = {
  title: 'Karat partner API',
  description: `Lets a partner sell gold to its customers: register users, quote and submit buys and sells of the GOLD token against
USDC, and redeem GOLD for bars. One GOLD is one troy ounce (31.1034768 g).

**Signing.** A quote comes with a Solana transaction that the service has signed. The partner and the user sign the same bytes, and it is
submitted here or sent to any node. The record appears when the chain has confirmed it. A quote is valid for about ${lifetimeMs / 1_000} seconds.

**Numbers.** USDC and GOLD are exact JSON numbers with at most 6 decimals. Trades are rounded against the caller, in the last decimal.

**Absent fields.** \`null\` for an optional field of a body means that it is absent, except where the field itself says what null does.

**Errors.** Every response is JSON. A response that is not 2xx has \`error\` (a code whose meaning never changes), \`message\` (text for people)
and, if one input field caused it, \`field\`. \`reason\` says why, for programs to act on, and \`doc_url\` links the page about the error;
\`program_error_name\` names the error of a program on chain. An unknown path is 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`.

**Samples** in TypeScript, Python and Go are parts of one program each, which goes through this page from its top: what one sample
makes, such as a \`quote\`, others use. \`must\` in Go returns the value of a call, and ends the program with its error.

**Request ids.** \`x-request-id\` is on every response; send your own (1 to 128 printable characters) to find a request again in the logs.

**Compatibility.** Responses may gain fields, and new error codes may appear; the meaning of what is documented here does not change within \`/v1\`.`,
};

const servers = [
  { url: '/', description: 'The host that serves this document' },
  { url: 'http://127.0.0.1:8080', description: 'A sandbox on this machine' },
];

const tags = [
  { name: 'Authentication', description: 'A key is minted by signing a challenge with the partner wallet.' },
  { name: 'API keys', description: 'Keys of the partner.' },
  { name: 'Session', description: 'Signing in to the portal, as a member of the partner.' },
  { name: 'Second factor', description: 'Passkeys, the authenticator app and recovery codes of a member.' },
  { name: 'Members', description: 'People who use the portal for the partner, and invitations.' },
  {
    name: 'Discovery',
    description: 'Who the caller is, and where: the partner, the network, the countries.',
  },
  { name: 'Prices', description: 'The price of gold, now and in the past.' },
  {
    name: 'Users',
    description: 'Customers of the partner, with the KYC record that the partner vouches for.',
  },
  { name: 'Trades', description: 'Buys and sells of GOLD: quotes, submission and records.' },
  {
    name: 'Redemptions',
    description: 'Exchange of GOLD for a bar that is picked up in a city.',
  },
  {
    name: 'Events',
    description: 'What has happened, without a gap: a log to read from, and a stream of it.',
  },
  { name: 'Vault', description: 'What the vault of the partner holds, and the orders that moved it.' },
  { name: 'Webhooks', description: 'Events sent to you, signed, as soon as they happen.' },
  {
    name: 'Requests',
    description: 'Why a request failed: the log of your requests of the last 7 days.',
  },
  {
    name: 'Reserves',
    description: 'Public signed statements of the gold held and the tokens outstanding.',
  },
  {
    name: 'Statements',
    description: "Signed statements of the partner's months, and receipts for its customers.",
  },
  { name: 'Transactions', description: 'What a transaction does, before it is signed or sent.' },
  { name: 'Service', description: 'For load balancers and monitoring.' },
];

const conventions: Conventions = {
  authentication: {
    schemes: {
      ...keyInHeader('A key of scope `PARTNER`, issued by `POST /v1/auth/api-key`.').schemes,
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'karat_portal',
        description: 'A session of the portal, in place of a key, less what the role of the member excludes.',
      },
    },
    errors: (method) => [
      'invalid_request',
      'unauthorized',
      'insufficient_scope',
      'partner_suspended',
      'second_factor_required',
      ...(method === 'get' ? [] : (['forbidden'] as const)),
    ],
  },
  errorTexts,
  samples: codeSamples,
  ...flatErrors('Path of the input field that caused the error, such as `kyc.full_name`.', {
    service_user_id: {
      type: 'string',
      description: 'With `user_already_exists`: the existing user, when it is one of your own.',
    },
    details: limitDetails,
  }),
};

export const partnerApi: ApiDescription = { info, servers, tags, conventions };
