import { about, field as partnerField } from '../partner/fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const address = '6srM8pMCEqoDFkWvzHcXh1UgHc8PtmyPi57EYMLCYSN2';

/** What the fields of the operator API mean: those of the partner API, and its own. */
export const field = {
  ...partnerField,
  // countries
  countryCode: about('ISO 3166-1 alpha-2 code, in any case; responses have capitals.', 'PK'),
  countryName: about('Name of the country.', 'Pakistan'),
  countryActive: about('Whether residents may be registered as users.', true),
  idType: about('Kind of identity document, as `id_type` of the KYC data names it.', 'cnic'),
  pattern: about(
    'RE2 expression that the whole of `id_number` has to match: no look-around, no back-references.',
    '[0-9]{5}-[0-9]{7}-[0-9]',
  ),
  // denominations
  denominationCountry: about('ISO 3166-1 alpha-2 code of the country, in any case.', 'PK'),
  denominationActive: about('Whether it is offered.', true),
  // partners
  partnerName: about('Name of the partner.', 'Acme Gold'),
  partnerStatus: about('`active` or `suspended`; keys of a suspended partner are refused.', 'active'),
  walletStatus: about('`active` or `revoked`; a revoked wallet is never active again.', 'active'),
  walletRevokedAt: about('When the wallet was revoked; null while it is active.', null),
  // partners on chain
  integratorAddress: about('Account of the partner in the program.', address),
  centralVaultAddress: about("Owner of the accounts in which the partner's reserves are.", address),
  onChainStatus: about('`active` or `suspended`, of the program alone.', 'active'),
  onChainWallet: about('Wallet that co-signs trades; has to be one of the registered ones.', address),
  openFeeBps: about('Fee of trades while the market is open, in basis points.', 50),
  closedFeeBps: about('Fee of trades while the market is closed, in basis points.', 100),
  dailyLimitUsdc: about(
    'Most that users and vault together may trade in 24 hours, in USDC before the fee; 0: no limit.',
    5_000_000,
  ),
  dailyVolumeUsdc: about('What they traded in the last 24 hours, by the hour, as the program counts it.', 0),
  updateAuthority: about('Wallet that changes the executive authorities.', address),
  withdrawalAuthority: about('Wallet that withdraws from the vault.', address),
  authorityRole: about('Which of the keys of the partner: `wallet`, `update` or `withdrawal`.', 'update'),
  proposedAuthority: about('The proposed key, which replaces the present one when it is applied.', address),
  proposedAuthorities: {
    description: 'What the admin proposes for keys that the partner lost; empty when nothing is proposed.',
  },
  proposalReadyAt: about('When it can be applied.', '2026-03-02T12:00:00.000Z'),
  executiveAuthority: about('A wallet that buys and sells for the vault.', address),
  onChainFault: about(
    'Why nothing is known of the chain at the moment; there only while `onchain` is not.',
    'The Solana node does not respond.',
  ),
  // keys
  keySurface: about('`partner` or `tradebook`.', 'partner'),
  anyKeyStatus: about(
    '`active`, `revoked`, or `expired` for a tradebook key that ended by itself.',
    'active',
  ),
  keyScope: about('`PARTNER`, or the roles that a tradebook key was made with, joined by spaces.', 'PARTNER'),
  keyPartnerId: about("Id of the partner; null for a key of the program's admin.", uuid),
  keyWallet: about('Wallet that signed for the key.', address),
  keyExpiresAt: about('When the key ends by itself; null: never.', null),
  // users
  ofUserWallet: about('Only the user who has this wallet.', address),
  newKycLevel: about(
    'At most 32 lower-case letters, digits and underscores, a letter first. Only `full` gets quotes. It is written to the audit log.',
    'lapsed',
  ),
  kycLevelNow: about('Anything but `full` gets no quotes.', 'lapsed'),
  // operators
  operatorId: about('Id of the operator, a UUID.', uuid),
  operatorEmail: about('Address that the operator signs in with; one account an address.', 'ops@example.com'),
  operatorName: about('Name of the operator, as the audit log shows it.', 'Sana Malik'),
  operatorRole: about('What the operator may do.', 'fulfilment'),
  operatorStatus: about('`active` or `disabled`; a disabled one is let in neither way.', 'active'),
  operatorPassword: about(
    '12 to 1000 characters; only its argon2id hash is kept.',
    'correct horse battery staple',
  ),
  tokenId: about('Id of the token, a UUID.', uuid),
  tokenName: about('A name to distinguish tokens by.', 'nightly report'),
  tokenStatus: about('`active`, `expired` or `revoked`.', 'active'),
  tokenExpiresAt: about(
    'When the token expires: the first use from then on is 401.',
    '2026-05-30T12:00:00.000Z',
  ),
  tokenLastUsedAt: {
    ...partnerField.lastUsedAt,
    description: 'The latest request with this token; null when there was none.',
  },
  tokenRevokedAt: about('When the token was revoked; null while it is good.', null),
};
