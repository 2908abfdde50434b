import { randomBytes } from 'node:crypto';

const prefix = 'karat_operator_';
/** Days after which a token ends at the latest. */
export const maxTokenDays = 365;

/** Returns a new bearer token of an operator: its prefix and 256 random bits in hex. Shown once, never stored. */
export function newOperatorToken(): string {
  return `${prefix}${randomBytes(32).toString('hex')}`;
}

/** Returns the token of an `authorization` header, or undefined for anything that can be none. */
export function readBearerToken(header: string | undefined): string | undefined {
  return /^Bearer (karat_operator_[0-9a-f]{64})$/.exec(header ?? '')?.[1];
}
