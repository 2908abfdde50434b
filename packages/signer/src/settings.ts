/** The keys that a process may hold, with the settings that say where each is. */
export const keySettings = {
  service: { setting: 'serviceSignerUrl', variable: 'KARAT_SERVICE_SIGNER' },
  otherService: { setting: 'otherServiceSignerUrl', variable: 'KARAT_OTHER_SERVICE_SIGNER' },
  admin: { setting: 'adminSignerUrl', variable: 'KARAT_ADMIN_SIGNER' },
  operations: { setting: 'operationsSignerUrl', variable: 'KARAT_OPERATIONS_SIGNER' },
  guardian: { setting: 'guardianSignerUrl', variable: 'KARAT_GUARDIAN_SIGNER' },
  market: { setting: 'marketSignerUrl', variable: 'KARAT_MARKET_SIGNER' },
  reserves: { setting: 'reservesSignerUrl', variable: 'KARAT_RESERVES_SIGNER' },
} as const;

export type KeyName = keyof typeof keySettings;

/** The role in which each key signs. All but that of the reserves sign transactions. */
export const roles = {
  service: 'service',
  otherService: 'service',
  admin: 'admin',
  operations: 'operations',
  guardian: 'guardian',
  market: 'market',
  reserves: 'reserves',
} as const satisfies Record<KeyName, string>;

/**
 * Who reaches the keys of a process through its socket, and the keys that it may hold for them: an attacker who takes over
 * one of these callers gets no signature of another's keys.
 */
export const audiences = {
  partners: ['service', 'otherService'],
  operators: ['operations', 'guardian', 'market', 'admin'],
  keeper: ['market', 'operations', 'reserves'],
} as const satisfies Record<string, readonly KeyName[]>;

/**
 * How long a signature of each key may take: what waits for a quote needs a response, and a place of other keys may wait for
 * a person.
 */
export const signWithinMs = (name: KeyName): number => (roles[name] === 'service' ? 3_000 : 30_000);

/** Signatures a minute of each key in one process, quotes of trades not counted. */
export const maxSignaturesPerMinute = 60_000;

/** Names and defaults of the settings that a process which holds keys reads, be it this package's or the service's own. */
export const signingSettings = {
  programId: { name: 'KARAT_PROGRAM_ID' },
  /** USDC and GOLD that a quote may take of a user, at most. */
  signMaxUsdc: { name: 'KARAT_SIGN_MAX_USDC', default: '1000000' },
  signMaxGold: { name: 'KARAT_SIGN_MAX_GOLD', default: '1000' },
  /** SOL that the signatures of a key within an hour may cost it, in one process; of quotes, a hundredth of redemptions alone. */
  signMaxLamportsPerHour: { name: 'KARAT_SIGN_MAX_SOL', default: '1' },
  /** While this file exists, nothing is signed. */
  signKillFile: { name: 'KARAT_SIGN_KILL_FILE', default: '' },
  /** Micro-lamports per compute unit, at most. */
  priorityFeeCapMicroLamports: { name: 'KARAT_PRIORITY_FEE_CAP', default: '100000' },
  logLevel: { name: 'KARAT_LOG_LEVEL', default: 'info' },
} as const;
