const hour = 3_600;
const day = 24 * hour;

/** The lowest and the highest number that the program takes for each of its settings, which no admin can lift. */
export const settingsBounds = {
  maxAgeOpen: [1, 300],
  maxAgeClosed: [0, 7 * day],
  recoveryDelay: [day, 30 * day],
  changeDelay: [day, 30 * day],
  burnDelay: [hour, 30 * day],
  redemptionTimeout: [30 * day, 365 * day],
  oppositeSideSeconds: [0, day],
  maxAttestationAge: [1, 92 * day],
  maxConfBps: [0, 500],
  minFeeBps: [0, 1_000],
  maxFeeBps: [0, 1_000],
} as const;

/** Decimals of prices in the settings. */
export const priceDecimals = 8;

/** The highest lowest price of USDC: above par, gold could not be bought at par. */
export const maxUsdcPriceE8 = 10n ** 8n;

/** Owners of accounts that may receive inventory. */
export const maxWithdrawOwners = 4;
