import { prefixedId, type UserId } from '@karat/service/domain';

/**
 * What a fresh sandbox holds. Amounts are whole tokens and whole SOL. The ids of the first partner and of its first user are those of
 * the examples in the reference, and so are the addresses of `wellKnownKeys`: examples can be sent to a sandbox as they stand.
 */

export interface PartnerPlan {
  /** Short name: key files and the state file use it. */
  slug: string;
  /** A UUIDv7. */
  partnerId: string;
  name: string;
  openFeeBps: number;
  closedFeeBps: number;
  /** Redemption fee as a fraction, in decimal text: 0.015 is 1.5 %. */
  feePercentage: string;
  users: UserPlan[];
}

export interface UserPlan {
  serviceUserId: UserId;
  /** The partner's own identifier of the user. */
  userId: string;
  /** Name of the key file in `keys/`, without ending. */
  key: string;
  fullName: string;
  country: string;
  kycData: { id_type: string; id_number: string };
}

export const partnerPlans: PartnerPlan[] = [
  {
    slug: 'acme',
    partnerId: '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10',
    name: 'Acme Gold',
    openFeeBps: 50,
    closedFeeBps: 75,
    feePercentage: '0.015',
    users: [
      {
        serviceUserId: prefixedId('gu', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'),
        userId: 'acme-ayesha',
        key: 'user-1',
        fullName: 'Ayesha Khan',
        country: 'PK',
        kycData: { id_type: 'cnic', id_number: '42101-1234567-1' },
      },
      {
        serviceUserId: prefixedId('gu', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c11'),
        userId: 'acme-omar',
        key: 'user-2',
        fullName: 'Omar Haddad',
        country: 'AE',
        kycData: { id_type: 'emirates_id', id_number: '784-1990-1234567-1' },
      },
    ],
  },
  {
    slug: 'globex',
    partnerId: '019ca945-0a00-7c3e-9d61-4b8f2a7e5c20',
    name: 'Globex',
    openFeeBps: 80,
    closedFeeBps: 120,
    feePercentage: '0.02',
    users: [
      {
        serviceUserId: prefixedId('gu', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c20'),
        userId: 'globex-salma',
        key: 'user-3',
        fullName: 'Salma Al-Harbi',
        country: 'SA',
        kycData: { id_type: 'national_id', id_number: '1012345678' },
      },
      {
        serviceUserId: prefixedId('gu', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c21'),
        userId: 'globex-bilal',
        key: 'user-4',
        fullName: 'Bilal Ahmed',
        country: 'PK',
        kycData: { id_type: 'cnic', id_number: '35202-7654321-9' },
      },
    ],
  },
];

/**
 * Keys that everybody can derive, as those of other test chains: the reference names their addresses. What they hold is worth nothing.
 */
export const wellKnownKeys: ReadonlySet<string> = new Set(['acme-wallet', 'acme-executive']);

export const spareWalletCount = 8;

export const baseUnitsPerToken = 1_000_000n;

export interface Funding {
  usdc: bigint;
  gold: bigint;
  sol: bigint;
}

/** Users and spare wallets. */
export const userFunding: Funding = { usdc: 100_000n, gold: 50n, sol: 1n };
/** The wallet of the shop: its customer has yet to buy. */
export const shopFunding: Funding = { usdc: 100_000n, gold: 0n, sol: 1n };
/** The wallet from which customers that are made later get GOLD: what they have exists from the beginning. */
export const floatFunding: Funding = { usdc: 0n, gold: 10_000n, sol: 100n };
/** Partner wallets, vaults, executives, update and withdrawal authorities. */
export const partnerFunding: Funding = { usdc: 1_000_000n, gold: 500n, sol: 10n };
/** Attested in a vault, in troy ounces; what exists is the sum of all fundings. */
export const attestedGold = 150_000n;
export const treasuryFunding: Funding = { usdc: 100_000_000n, gold: 100_000n, sol: 0n };
/** Service signer, admin, operations, guardian, market and attestor pay fees and rents, nothing else. */
export const serviceSol = 100n;

/** Patterns of identity numbers, so that the advisory check of `kyc_data` can be tried. */
export const idTypePlans = [
  { country: 'PK', idType: 'cnic', pattern: '[0-9]{5}-[0-9]{7}-[0-9]', example: '42101-1234567-1' },
  {
    country: 'AE',
    idType: 'emirates_id',
    pattern: '784-[0-9]{4}-[0-9]{7}-[0-9]',
    example: '784-1990-1234567-1',
  },
  { country: 'SA', idType: 'national_id', pattern: '[12][0-9]{9}', example: '1012345678' },
];

/** Every country code of ISO 3166-1 alpha-2. */
const isoCountries =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC ' +
  'CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD ' +
  'GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH ' +
  'KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW ' +
  'MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC ' +
  'SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY ' +
  'UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** Not active: the jurisdictions that the FATF calls on its members to act against. */
const inactiveCountries = new Set(['IR', 'KP', 'MM']);

/** Returns the sandbox's country list: all of ISO 3166-1, a few of them inactive. */
export function countryPlans(): { code: string; name: string; active: boolean }[] {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return isoCountries
    .split(' ')
    .map((code) => ({ code, name: names.of(code) ?? code, active: !inactiveCountries.has(code) }));
}

/** Pieces of gold that can be picked up; weights in grams. A tola is 11.6638038 g, a troy ounce 31.1034768 g. */
export const denominationPlans = [
  { id: 'pk_tola_1', label: '1 tola bar', weightG: '11.6638038', country: 'PK', city: 'Karachi' },
  { id: 'pk_tola_5', label: '5 tola bar', weightG: '58.319019', country: 'PK', city: 'Karachi' },
  { id: 'pk_g_10', label: '10 g bar', weightG: '10', country: 'PK', city: 'Lahore' },
  { id: 'ae_oz_1', label: '1 oz bar', weightG: '31.1034768', country: 'AE', city: 'Dubai' },
  { id: 'ae_g_100', label: '100 g bar', weightG: '100', country: 'AE', city: 'Dubai' },
  { id: 'sa_g_5', label: '5 g bar', weightG: '5', country: 'SA', city: 'Riyadh' },
  { id: 'sa_g_50', label: '50 g bar', weightG: '50', country: 'SA', city: 'Jeddah' },
];

/** What the vault holds for the tokens that exist: not offered to anybody, so that quotes and stock stay as they are. */
export const reserveDenomination = {
  id: 'ae_kg_1',
  label: '1 kg bar',
  weightG: '1000',
  country: 'AE',
  city: 'Dubai',
};
/** As many kilogram bars as the attested troy ounces weigh, and one. */
const reserveBars = Math.ceil((Number(attestedGold) * 31.1034768) / 999.9) + 1;

/** Returns the bars that all tokens are backed by. */
export function reserveBarPlans() {
  return Array.from({ length: reserveBars }, (_, index) => ({
    serial: `KG-${String(index + 1).padStart(5, '0')}`,
    refiner: refiners[index % refiners.length] ?? 'Valcambi',
    fineness: '999.9',
    weightG: reserveDenomination.weightG,
    denominationId: reserveDenomination.id,
    city: reserveDenomination.city,
  }));
}

/** Bars of each denomination in the vault of its city. */
export const barsOfEach = 20;
const refiners = ['Valcambi', 'PAMP', 'Emirates Gold'];

/** Returns the bars that are in stock, with serials that say what they are. */
export function barPlans() {
  return denominationPlans.flatMap(({ id, weightG, city }) =>
    Array.from({ length: barsOfEach }, (_, index) => ({
      serial: `${id.toUpperCase().replaceAll('_', '')}-${String(index + 1).padStart(3, '0')}`,
      refiner: refiners[index % refiners.length] ?? 'Valcambi',
      fineness: '999.9',
      weightG,
      denominationId: id,
      city,
    })),
  );
}
