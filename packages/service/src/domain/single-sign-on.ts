import { createHash, randomBytes } from 'node:crypto';
import type { OperatorRole } from './operator.js';

/** How long a sign-in at the identity provider may take. */
export const signOnMs = 10 * 60_000;

/** How fresh a sign-in at the identity provider must be to confirm what a session does. */
export const freshSignOnMs = 5 * 60_000;

/** How far the clocks of the identity provider and of this machine may be apart. */
export const maxSkewMs = 30_000;

/** What the identity provider says of a person who signed in there. */
export interface Identity {
  issuer: string;
  /** By which the issuer knows the person, for good: addresses are given to others, this is not. */
  subject: string;
  /** A label for people to read; proof of nothing. */
  email: string | undefined;
  name: string | undefined;
  groups: readonly string[];
  /** Whether the issuer attests to a second factor. */
  attested: boolean;
  /** Whether the person showed it within `freshSignOnMs`, on request. */
  fresh: boolean;
}

/** The role that a group of the identity provider has here. */
export interface GroupRole {
  group: string;
  role: OperatorRole;
}

/** Returns the role of the first group of the list that a person is in, by its exact name; undefined for none. */
export function roleOfGroups(
  roles: readonly GroupRole[],
  groups: readonly string[],
): OperatorRole | undefined {
  return roles.find(({ group }) => groups.includes(group))?.role;
}

/** A value of `acr`, or one among those of `amr`, which attests to a second factor. */
export interface Attestation {
  claim: 'acr' | 'amr';
  value: string;
}

/** Returns whether the claims of an ID token have one of the values. */
export function isAttested(
  attestations: readonly Attestation[],
  { acr, amr }: Readonly<Record<string, unknown>>,
): boolean {
  const methods: readonly unknown[] = Array.isArray(amr) ? amr : [];
  return attestations.some(({ claim, value }) => (claim === 'acr' ? acr === value : methods.includes(value)));
}

/** What one sign-in at the identity provider is held to. */
export interface SignOnChecks {
  state: string;
  nonce: string;
  /** Of PKCE. */
  codeVerifier: string;
}

/** Returns a secret for one sign-in, which the browser keeps until it comes back: 256 random bits in hex. */
export const newSignOnSecret = (): string => randomBytes(32).toString('hex');

/** Returns what the secret of a sign-in gives: a response is only for the browser that began it. */
export function signOnChecks(secret: string): SignOnChecks {
  const derived = (use: string) => createHash('sha256').update(`karat ${use} ${secret}`).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), codeVerifier: derived('code_verifier') };
}
