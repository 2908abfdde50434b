import { sessionLifetimeMs } from '../../domain/session.js';
import { spanInWords } from '../../domain/words.js';
import type { ErrorCode } from '../../errors.js';
import { type Authentication, type Conventions, flatErrors } from './conventions.js';
import type { ApiDescription } from './document.js';
import { errorTexts } from './error-texts.js';

const info = {
  title: 'Karat operator API',
  description: `For the people who run the service: partners, catalogue, users, redemptions and their tokens, and the state of the chain and the indexer.
The API has its own port, which only this machine can reach unless configured otherwise.

**Authentication.** Use a bearer token, or the cookie of a session, which lasts ${spanInWords(sessionLifetimeMs)}. A change made with the cookie needs \`x-karat-console: 1\` and an
\`Origin\` of this host; without them it is 403 \`forbidden\`.

**Roles.** \`viewer\` reads everything but KYC data. \`fulfilment\` also moves, refunds and burns redemptions. \`compliance\` reads what a viewer reads and KYC
data, suspends users, revokes keys and sets velocity limits. \`admin\` may do everything. A request that the role does not allow is 403 \`insufficient_scope\`.

**Second factor.** Operators with passkeys or an authenticator app sign in in two steps. With \`KARAT_SECOND_FACTOR=required\`, which is the
default, sessions of \`fulfilment\`, \`compliance\` and \`admin\` need one: until it is added, every route except those under \`/me\` is 403 \`second_factor_required\`. Approving
takes a fresh one, and whatever takes two people where two are required takes one of the last five minutes, also where one person is enough: see
\`POST /me/second-factor/confirm\`. Tokens have none; where roles need a second factor, they cannot approve.

**Audit log.** Every change, and every read of KYC data, is an immutable entry, written in the same transaction; each carries the hash
of the entry before it. Do not write KYC data into reasons and notes.

**Bodies.** Unknown fields and parameters are refused (\`invalid_request\`), so that a misspelt one is not silently ignored. Free text is stored and returned
unchanged: escape it wherever it is shown.

**Absent fields.** \`null\` for an optional field of a body means that it is absent, except where the field itself says what null does.

**Errors.** Every response is JSON. A response that is not 2xx has \`error\` (a code whose meaning never changes), \`message\` (text for people)
and, if one input field caused it, \`field\`. An unknown path is 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`.

**Limits.** An operator may make 600 requests a minute, across all tokens and sessions. Every response shows what is left in \`ratelimit-limit\`,
\`ratelimit-remaining\` and \`ratelimit-reset\` (seconds), except the 503 of an overloaded process, which refuses a request before it identifies
the caller. Requests above the limit are 429 \`rate_limited\`; that response and that 503 have the seconds to wait in \`retry-after\`. Signing in has a separate limit.

**Request ids.** \`x-request-id\` is on every response, and in the audit log; send your own (1 to 128 printable characters) to find a request again.`,
};

const servers = [
  { url: '/', description: 'The host that serves this document' },
  { url: 'http://127.0.0.1:8090', description: 'A sandbox on this machine' },
];

const tags = [
  { name: 'Session', description: 'Signing in and out, with a password and a second factor; open sessions.' },
  {
    name: 'Second factor',
    description: 'The passkeys, authenticator app and recovery codes of your own account.',
  },
  { name: 'Overview', description: 'What waits, how the service is, and what changes.' },
  { name: 'Operators', description: 'The people of the service and their tokens.' },
  { name: 'Partners', description: 'Partners, their wallets, and their state on chain.' },
  { name: 'API keys', description: 'Keys of partners, for both partner-facing APIs.' },
  { name: 'Webhooks', description: 'Where partners have their events sent, and what came of it.' },
  {
    name: 'Countries',
    description: 'Countries where users may live, and patterns for their identity documents.',
  },
  { name: 'Denominations', description: 'The pieces of gold that are handed over.' },
  { name: 'Users', description: 'Customers of partners.' },
  { name: 'Limits', description: 'What users and partners may move within 24 hours.' },
  { name: 'Redemptions', description: 'Redemptions to prepare and hand over, and the tokens paid for them.' },
  { name: 'Bars', description: 'Bars in the vaults, and the stock of each city.' },
  { name: 'Approvals', description: 'Requests of one operator that another must approve.' },
  { name: 'Records', description: 'Trades of users and orders of partners, as they are on chain.' },
  { name: 'Audit', description: 'Every change that operators made.' },
  { name: 'Chain', description: 'Pauses and market state of the program on chain.' },
  { name: 'Operation', description: 'Price, indexer, dead letters and treasury.' },
];

/** Where the operator API means something else by a code than the partner API. */
const ownTexts: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'The token is not valid, or the session has ended.',
  insufficient_scope: 'Your role does not allow this.',
  forbidden: 'The cookie was sent without `x-karat-console: 1`, or from a page on another host.',
  wallet_not_found: 'The partner has no such wallet.',
  not_found: 'The object or the path does not exist.',
  invalid_challenge: 'The challenge was already used, has expired, or was issued for something else.',
  onchain_config_missing: 'The partner is not on chain.',
  partner_not_found: 'There is no such partner.',
  already_revoked: 'The key, wallet or token is already revoked.',
  payload_too_large: 'The body is larger than 64 KiB, or than 256 KiB where bars are taken into stock.',
  invalid_city: 'No denomination is handed over in this city.',
  broadcast_failed: 'The network rejected the transaction; `message` gives the reason.',
};

const authentication: Authentication = {
  schemes: {
    token: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of an operator: `karat_operator_` followed by 64 hexadecimal digits.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'karat_session',
      description:
        'The cookie that `POST /operator/v1/session` sets. A change also needs the header `x-karat-console: 1` and an `Origin` of this host.',
    },
  },
  errors: (method) => [
    'unauthorized',
    'insufficient_scope',
    'second_factor_required',
    ...(method === 'get' ? [] : (['forbidden'] as const)),
  ],
};

const conventions: Conventions = {
  authentication,
  errorTexts: { ...errorTexts, ...ownTexts },
  ...flatErrors('Path of the input field that caused the error.', {
    attempts_left: {
      type: 'integer',
      description: 'Of `pickup_code_wrong`: how often another code may be tried.',
    },
  }),
};

/** The document of the operator API. */
export const operatorApi: ApiDescription = { info, servers, tags, conventions };
