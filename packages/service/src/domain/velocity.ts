/** Limits of what users and partners may move within 24 hours, and what they have moved. Amounts are base units. */

export const velocityTokens = ['usdc', 'gold'] as const;
export type VelocityToken = (typeof velocityTokens)[number];
export type VelocityAmounts = Record<VelocityToken, bigint>;

export const velocityScopes = ['user', 'partner'] as const;
export type VelocityScope = (typeof velocityScopes)[number];

/** What an operator can set: for the service, for a partner and for a user. Null: no limit of its own. */
export interface VelocityLimits {
  /** Of each user. */
  userUsdc: bigint | null;
  userGold: bigint | null;
  /** Of all users of a partner together. */
  partnerUsdc: bigint | null;
  partnerGold: bigint | null;
}

export const velocityFields = ['userUsdc', 'userGold', 'partnerUsdc', 'partnerGold'] as const;

export const noLimits: VelocityLimits = {
  userUsdc: null,
  userGold: null,
  partnerUsdc: null,
  partnerGold: null,
};

/** Amounts by the hour: those of hour h since the epoch stand at h % 24, up to `hour`. */
export interface VelocityWindow extends Record<VelocityToken, readonly bigint[]> {
  hour: number;
}

/** What open quotes may still move, and when the last of them can land no more, in milliseconds since the Unix epoch. */
export interface Reserved extends VelocityAmounts {
  lapsesAtMs: number;
}

/** The limits that hold for a user or partner, what was moved, and what open quotes may; undefined for nothing yet. */
export interface VelocityAccount {
  limits: Record<VelocityToken, bigint | null>;
  window: VelocityWindow | undefined;
  reserved?: Reserved | undefined;
}

export type Velocity = Record<VelocityScope, VelocityAccount>;

/** A limit that has no room for an amount. */
export interface ExceededLimit {
  scope: VelocityScope;
  token: VelocityToken;
  limit: bigint;
  used: bigint;
  /** By open quotes. */
  reserved: bigint;
  requested: bigint;
  /** When there is room for the amount, if nothing else is moved until then; undefined if it is above the limit itself. */
  availableAtMs: number | undefined;
}

const hours = 24;
const hourMs = 3_600_000;

/** Returns the hour that a moment lies in, counted from the epoch. */
export function hourOf(ms: number): number {
  return Math.floor(ms / hourMs);
}

/** Returns the limits that hold where each of `rows`, from the most general to the most specific, may set some. */
export function effectiveLimits(...rows: (VelocityLimits | undefined)[]): VelocityLimits {
  const merged = { ...noLimits };
  for (const row of rows) for (const field of velocityFields) merged[field] = row?.[field] ?? merged[field];
  return merged;
}

/** Returns whether a change of limits lets something through that the old ones would not. */
export function loosens(before: VelocityLimits, after: VelocityLimits): boolean {
  return velocityFields.some((field) => {
    const [old, wanted] = [before[field], after[field]];
    return old !== null && (wanted === null || wanted > old);
  });
}

/**
 * Returns whether limits of a partner or user replace what is set above by something that it does not cover: there may be
 * no limit above yet, and these would hold in place of one that is set later.
 */
export function overrides(before: VelocityLimits, after: VelocityLimits, above: VelocityLimits): boolean {
  return velocityFields.some((field) => {
    const [old, wanted, most] = [before[field], after[field], above[field]];
    if (wanted === null || (old !== null && wanted <= old)) return false;
    return most === null || wanted > most;
  });
}

/** Returns what was moved of a token in the hour of `nowMs` and the 23 before it. */
export function usedOf(window: VelocityWindow | undefined, token: VelocityToken, nowMs: number): bigint {
  return partsOf(window, token, nowMs).reduce((used, { amount }) => used + amount, 0n);
}

/** Returns a window without amounts that were added to it at `nowMs`. */
export function withoutAmounts(
  window: VelocityWindow,
  amounts: VelocityAmounts,
  nowMs: number,
): VelocityWindow {
  const less = (token: VelocityToken) =>
    window[token].map((amount, index) =>
      index === hourOf(nowMs) % hours ? amount - amounts[token] : amount,
    );
  return { hour: window.hour, usdc: less('usdc'), gold: less('gold') };
}

/** What was moved within the window, by the hour, oldest first. */
function partsOf(window: VelocityWindow | undefined, token: VelocityToken, nowMs: number) {
  if (!window) return [];
  const oldest = Math.max(hourOf(nowMs), window.hour) - hours + 1;
  return window[token]
    .map((amount, index) => ({ hour: window.hour - ((window.hour - index + hours) % hours), amount }))
    .filter(({ hour, amount }) => hour >= oldest && amount > 0n)
    .sort((one, other) => one.hour - other.hour);
}

/** Returns the first limit that has no room for amounts; undefined when all have, or there are none. */
export function findExceeded(
  velocity: Velocity | undefined,
  amounts: VelocityAmounts,
  nowMs: number,
): ExceededLimit | undefined {
  if (!velocity) return undefined;
  for (const scope of velocityScopes) {
    const { limits, window, reserved: held } = velocity[scope];
    for (const token of velocityTokens) {
      const [limit, requested] = [limits[token], amounts[token]];
      if (limit === null || requested === 0n) continue;
      const used = usedOf(window, token, nowMs);
      const reserved = held?.[token] ?? 0n;
      if (used + reserved + requested <= limit) continue;
      const availableAtMs =
        used + requested <= limit
          ? held?.lapsesAtMs
          : roomAt(partsOf(window, token, nowMs), limit - requested, used);
      return { scope, token, limit, used, reserved, requested, availableAtMs };
    }
  }
  return undefined;
}

/** Returns when no more than `most` of what was moved still counts; undefined when that is never. */
function roomAt(
  parts: readonly { hour: number; amount: bigint }[],
  most: bigint,
  used: bigint,
): number | undefined {
  let left = used;
  for (const { hour, amount } of parts) {
    left -= amount;
    if (left <= most) return (hour + hours) * hourMs;
  }
  return undefined;
}

/** Returns when the oldest of what was moved no longer counts; undefined when nothing does. */
export function roomierAtMs(
  window: VelocityWindow | undefined,
  token: VelocityToken,
  nowMs: number,
): number | undefined {
  const [oldest] = partsOf(window, token, nowMs);
  return oldest && (oldest.hour + hours) * hourMs;
}

/** A quote is far from a limit while half of it stays free with that quote. */
const farParts = 2n;
/** What other processes may not know of a process yet, of a limit: an eighth. */
const unknownParts = 8n;

/**
 * Returns whether amounts are so far from the limits of an account that what other processes grant at the same moment need not be
 * waited for. `reserved` of the account may be a moment old, and includes what this process has published.
 * @param mine what this process has reserved, and of that what the others know.
 */
export function isFarFromLimits(
  { limits, window, reserved }: VelocityAccount,
  amounts: VelocityAmounts,
  mine: { reserved: VelocityAmounts; published: VelocityAmounts },
  nowMs: number,
): boolean {
  return velocityTokens.every((token) => {
    const limit = limits[token];
    if (limit === null || amounts[token] === 0n) return true;
    const own = mine.reserved[token] + amounts[token];
    const unknown = own - mine.published[token];
    const all = usedOf(window, token, nowMs) + (reserved?.[token] ?? 0n) + own;
    return all * farParts <= limit && unknown * unknownParts <= limit;
  });
}
