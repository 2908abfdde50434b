import { about, field as partnerField } from '../../views/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const address = '8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD';

/** What the fields of the operator API mean: those of the partner API, and its own. */
export const field = {
  ...partnerField,
  // countries
  countryCode: about('ISO 3166-1 alpha-2 code in upper or lower case; responses have capitals.', 'PK'),
  countryName: about('Name of the country.', 'Pakistan'),
  countryActive: about('Whether residents may be registered as users.', true),
  idType: about('Kind of identity document: the `id_type` of the KYC data.', 'cnic'),
  pattern: about(
    'RE2 expression that the whole `id_number` must match; look-around and back-references are not supported.',
    '[0-9]{5}-[0-9]{7}-[0-9]',
  ),
  expectedIdType: {
    description:
      'The pattern and example that the change is based on. Omit what was not set; send an empty object for a type that was not registered. If they have changed since, the response is 409.',
  },
  idExample: about('A number that matches the pattern, to show to callers.', '42101-1234567-1'),
  // denominations
  denominationCountry: about('ISO 3166-1 alpha-2 code of the country, in upper or lower case.', 'PK'),
  denominationActive: about('Whether it is offered.', true),
  // partners
  partnerName: about('Name of the partner.', 'Acme Gold'),
  partnerStatus: about('`active` or `suspended`; keys of a suspended partner are refused.', 'active'),
  walletStatus: about('`active` or `revoked`; a revoked wallet is never active again.', 'active'),
  walletRevokedAt: about('When the wallet was revoked; null while it is active.', null),
  // partners on chain
  integratorAddress: about('Account of the partner in the program.', address),
  centralVaultAddress: about("Owner of the accounts that hold the partner's reserves.", address),
  onChainStatus: about('`active` or `suspended`, as the program on chain has it.', 'active'),
  onChainWallet: about('Wallet that co-signs trades; must be a registered wallet.', address),
  openFeeBps: about('Fee of trades while the market is open, in basis points.', 50),
  closedFeeBps: about('Fee of trades while the market is closed, in basis points.', 100),
  dailyLimitUsdc: about(
    'Most that the users and the vault together may trade in 24 hours, in USDC before the fee; `none` for no limit.',
    5_000_000,
  ),
  termsSeq: about('How many times its terms on chain (status, fees and limit) have been set so far.', 3),
  expectedTermsSeq: about(
    'The `terms_seq` that the change is based on; 0 for a partner that was not on chain. If it has changed since, the response is 409.',
    3,
  ),
  dailyVolumeUsdc: about(
    'Amount that they traded in the last 24 hours, as the program counts it, hour by hour.',
    0,
  ),
  updateAuthority: about('Wallet that changes the executive authorities.', address),
  withdrawalAuthority: about('Wallet that withdraws from the vault.', address),
  authorityRole: about('Which key of the partner: `wallet`, `update` or `withdrawal`.', 'update'),
  proposedAuthority: about('The proposed key, which replaces the current one when it is applied.', address),
  proposedAuthorities: {
    description:
      'Keys that the admin proposes to replace keys that the partner lost; empty if nothing is proposed.',
  },
  proposalReadyAt: about('When the proposal can be applied.', '2026-03-02T12:00:00.000Z'),
  executiveAuthority: about('A wallet that buys and sells for the vault.', address),
  onChainFault: about(
    'Reason why the state on chain is unknown; present only while `onchain` is absent.',
    'The Solana node does not respond.',
  ),
  // limits
  userDailyUsdc: about(
    'Most USDC that a user may move within 24 hours; null or absent: not set here.',
    10_000,
  ),
  userDailyGold: about('Most GOLD that a user may move within 24 hours; null or absent: not set here.', 5),
  partnerDailyUsdc: about(
    'Most USDC that all users of a partner together may move within 24 hours; null or absent: not set here.',
    2_000_000,
  ),
  partnerDailyGold: about(
    'Most GOLD that all users of a partner together may move within 24 hours; null or absent: not set here.',
    500,
  ),
  limitsUsed: { description: 'What counts against the limits now; null for those of the service.' },
  usedUsdc: about('USDC that was moved within 24 hours, with what is submitted.', 1_250.5),
  usedGold: about('GOLD that was moved within 24 hours, with what is submitted.', 0.75),
  // keys
  keySurface: about('`partner` or `tradebook`.', 'partner'),
  anyKeyStatus: about(
    '`active`, `revoked`, or `expired` for a tradebook key with a limited lifetime.',
    'active',
  ),
  keyScope: about(
    '`PARTNER`, or the roles that a tradebook key was minted with, separated by spaces.',
    'PARTNER',
  ),
  keyPartnerId: about("Id of the partner; null for a key of the program's admin.", uuid),
  keyWallet: about('Wallet that signed for the key.', address),
  keyExpiresAt: about('When the key expires; null if it never does.', null),
  // users
  ofUserWallet: about('Only the user who has this wallet.', address),
  newKycLevel: about(
    'At most 32 lower-case letters, digits and underscores, starting with a letter. Only `full` gets quotes. The level is written to the audit log.',
    'lapsed',
  ),
  kycLevelNow: about('With any level other than `full`, quotes are refused.', 'lapsed'),
  // operators
  operatorId: about('Id of the operator, a UUID.', uuid),
  operatorEmail: about(
    'Address that the operator signs in with; only one account can use an address.',
    'ops@example.com',
  ),
  operatorName: about('Name of the operator, as the audit log shows it.', 'Sana Malik'),
  operatorRole: about('What the operator may do.', 'fulfilment'),
  operatorStatus: about(
    '`active` or `disabled`; a disabled operator can use neither a password nor a token.',
    'active',
  ),
  tokenId: about('Id of the token, a UUID.', uuid),
  tokenName: about('A name for the token.', 'nightly report'),
  tokenStatus: about('`active`, `expired` or `revoked`.', 'active'),
  tokenExpiresAt: about(
    'When the token expires; from then on, requests with it are 401.',
    '2026-05-30T12:00:00.000Z',
  ),
  tokenLastUsedAt: {
    ...partnerField.lastUsedAt,
    description: 'Time of the latest request with this token; null if there was none.',
  },
  tokenRevokedAt: about('When the token was revoked; null if it was not.', null),
  // sessions
  sessionId: about('Id of the session, a UUID; it does not open the session.', uuid),
  sessionCreatedAt: about('When the operator signed in.', '2026-02-14T09:30:00.000Z'),
  sessionLastUsedAt: about('Time of the latest request.', '2026-02-14T09:34:00.000Z'),
  sessionExpiresAt: about('When the session ends at the latest.', '2026-02-14T21:30:00.000Z'),
  sessionAddress: about('IP address that the operator signed in from.', '203.0.113.7'),
  sessionUserAgent: about(
    'What the browser calls itself, at most 300 characters; null if it sent nothing.',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  ),
  sessionFactor: about('Whether it was opened with a second factor.', true),
  sessionCurrent: about('Whether it is the session of this request.', true),
  endedSessions: about('How many sessions were open and have been ended.', 2),
  openedBy: {
    description:
      "Operators who may know the password: the one who opened the account over the API, and those who may know the opener's password. Empty once the password has been set on the command line. Two accounts do not count as two people for an approval if one of them is listed for the other, or if the same operator is listed for both.",
    examples: [[uuid]],
  },
  // second factors
  listedFactor: {
    description:
      'The second factors of the operator; null if there are none, and null for requests of roles other than `admin`.',
  },
  passkeyCount: about('Number of passkeys.', 2),
  hasTotpThere: about('Whether there is an authenticator app.', false),
  factorSince: about('When the oldest of them was added.', '2026-02-14T09:30:00.000Z'),
};
