import { maxKeyDays } from '../domain/api-key.js';
import { about, field as partnerField } from './fields.js';

export { gold, usdc } from './fields.js';

const uuid = '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10';
const wallet = '4YsDqq79zg6479MpoGXTrxKAs4rXppYLKR45qjDbWv6H';
/** The executive of the sandbox's first partner. */
const executive = 'CAjpbamMuRwbrpsrNu7Sux7FgGmHWc9y3rn39z4Tfh5U';
const otherWallet = '8XKm6Dj4NKcBm86v3o5pNGXtFYJDchmrQLkboovr4gzD';
const at = '2026-03-01T12:00:00.000Z';

/** What the fields of the tradebook API mean, with an example of each; the others as in the partner API. */
export const field = {
  ...partnerField,
  // authentication and keys
  roleWallet: about('Address of a wallet with a role on chain.', executive),
  keyType: about(
    "`PARTNER` for a key with the roles that the wallet has at a partner, `ADMIN` for a key of the admin of Karat's program.",
    'PARTNER',
  ),
  challengePartnerId: about('Id of the partner, a UUID. Needed for `PARTNER`, ignored for `ADMIN`.', uuid),
  challengeMessage: about(
    'The text to sign, exactly as it stands, with the Ed25519 key of the wallet.',
    `Sign this message to generate a tradebook API key for Karat: ch_${uuid}`,
  ),
  signature: about(
    'The 64 bytes of the Ed25519 signature of the whole `message`, or of `message` in the off-chain envelope of a Ledger, in base64 or base58.',
    'Zo4ryw6SAGXuWlwkGf0s3nlPuIvhVObcdMr3AmdUt+fZ2YuJsY1r9J4xhcJ595NGi5QDP9NBULpp+aR9uE6Q1w==',
  ),
  keyName: about('A name for the key.', 'treasury desk'),
  expirationDays: about(
    `Days until the key expires, 1 to ${maxKeyDays}; without it the key does not expire.`,
    90,
  ),
  apiKey: about(
    'The key itself. It is shown only once; the service keeps only its hash.',
    `service_tradebook_${'0'.repeat(64)}`,
  ),
  scope: about(
    'Roles that the key was minted with: `PARTNER_EXECUTIVE_AUTHORITY`, `PARTNER_UPDATE_AUTHORITY`, `PARTNER_WITHDRAWAL_AUTHORITY`, or `ADMIN`. A role that the wallet has since lost on chain no longer counts.',
    'PARTNER_EXECUTIVE_AUTHORITY',
  ),
  keyStatus: about('`active`, `revoked` or `expired`.', 'active'),
  keyPartnerId: about('The partner that the key acts for; null for keys of the admin.', uuid),
  keyExpiresAt: about('When the key expires; null if it never does.', '2026-05-30T12:00:00.000Z'),

  // partner
  partnerName: about('Name of the partner.', 'Acme Gold'),
  partnerStatus: about(
    "`active` or `suspended`. A suspended partner's purchases and sales are refused; the suspension may exist on chain only.",
    'active',
  ),
  centralVault: about('Owner of the token accounts that hold the reserves.', otherWallet),
  executive: about('Wallet that may buy and sell for the vault.', executive),
  updateAuthority: about('Wallet that may change the executives.', otherWallet),
  withdrawalAuthority: about('Wallet that may withdraw, to its own token accounts.', wallet),

  // prices
  priceText: about('USD per troy ounce, at most 8 decimals.', '4100.12'),
  pricePublishedAt: about('When the oracle published this price.', at),
  goldPricePerOunce: about('USD per troy ounce, at most 8 decimals.', 4100.12),
  estimatedAt: about('Time of the estimate.', at),
};
