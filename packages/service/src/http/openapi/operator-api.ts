import type { ErrorCode } from '../../errors.js';
import { type Authentication, type Conventions, flatErrors } from './conventions.js';
import type { ApiDescription } from './document.js';
import { errorTexts } from './error-texts.js';

const info = {
  title: 'Karat operator API',
  description: `For the people who run the service: partners, catalogue, users, redemptions and their tokens, and the state of chain and indexer.
It has a port of its own, which only this machine reaches unless configured otherwise.

**Ways in.** A bearer token, or the cookie of a session, which lives for 12 hours. A change made with the cookie needs \`x-karat-console: 1\` and an
\`Origin\` of this very host; without them it is 403 \`forbidden\`.

**Roles.** \`viewer\` reads everything but KYC data. \`fulfilment\` also moves, refunds and burns redemptions. \`compliance\` reads what a viewer reads and KYC
data, suspends users and revokes keys. \`admin\` may do everything. What a role may not do is 403 \`insufficient_scope\`.

**Audit log.** Every change, and every look at KYC data, is an entry that cannot be changed, written in the same transaction; each carries the hash
of the one before it. Write no KYC data into reasons and notes.

**Bodies.** A field that is not named here is refused (\`invalid_request\`), so that no misspelt one is silently lost. Free text is kept and given back
as it came: escape it wherever it is shown.

**Errors.** Every response is JSON. One that is not 2xx has \`error\` (a code that never changes its meaning), \`message\` (text for people)
and, when one input field caused it, \`field\`. A path that does not exist is 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`.

**Limits.** An operator may make 600 requests a minute, with all tokens and sessions together. Every response shows what is left in \`ratelimit-limit\`,
\`ratelimit-remaining\` and \`ratelimit-reset\` (seconds); what is above is 429 \`rate_limited\` with \`retry-after\`. Signing in has a limit of its own.

**Request ids.** \`x-request-id\` is on every response, and in the audit log; send your own (1 to 128 printable characters) to find a request again.`,
};

const servers = [
  { url: '/', description: 'The host that serves this document' },
  { url: 'http://127.0.0.1:8090', description: 'A sandbox on this machine' },
];

const tags = [
  { name: 'Session', description: 'Signing in and out with a password.' },
  { name: 'Operators', description: 'The people of the service and their tokens.' },
  { name: 'Partners', description: 'Partners, their wallets, and what they are on chain.' },
  { name: 'API keys', description: 'Keys of partners, for both of their APIs.' },
  { name: 'Countries', description: 'Where users may live, and what their identity documents look like.' },
  { name: 'Denominations', description: 'The pieces of gold that are handed over.' },
  { name: 'Users', description: 'Customers of partners.' },
  { name: 'Redemptions', description: 'Gold to prepare and to hand over, and the tokens paid for it.' },
  { name: 'Approvals', description: 'What one operator requested and another has to approve.' },
  { name: 'Records', description: 'Trades of users and orders of partners, as the chain has them.' },
  { name: 'Audit', description: 'Every change that operators made.' },
  { name: 'Chain', description: 'What the program on chain allows at the moment.' },
  { name: 'Operation', description: 'Price, indexer, dead letters and treasury.' },
];

/** Where the operator API means something else by a code than the partner API. */
const ownTexts: Partial<Record<ErrorCode, string>> = {
  unauthorized: 'The token is not valid, or the session is not open.',
  insufficient_scope: 'Your role may not do this.',
  forbidden: 'The cookie was sent without `x-karat-console: 1`, or from a page of another host.',
  wallet_not_found: 'The partner has no such wallet.',
  not_found: 'The object or the path does not exist.',
  onchain_config_missing: 'The partner is not on chain.',
  partner_not_found: 'There is no such partner.',
  already_revoked: 'The key, wallet or token is revoked already.',
  broadcast_failed: 'The network refused the transaction; `message` gives the reason.',
};

const authentication: Authentication = {
  schemes: {
    token: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of an operator: `karat_operator_` and 64 hexadecimal digits.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'karat_session',
      description:
        'The cookie of `POST /operator/v1/session`. A change also needs the header `x-karat-console: 1` and an `Origin` of this host.',
    },
  },
  errors: (method) => [
    'unauthorized',
    'insufficient_scope',
    ...(method === 'get' ? [] : (['forbidden'] as const)),
  ],
};

const conventions: Conventions = {
  authentication,
  errorTexts: { ...errorTexts, ...ownTexts },
  ...flatErrors('The one input field that is to blame, by its path.'),
};

/** The document of the operator API. */
export const operatorApi: ApiDescription = { info, servers, tags, conventions };
