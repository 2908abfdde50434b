import { domainToASCII } from 'node:url';
import type { Uuid } from './ids.js';

/**
 * People sign in: operators, who run the service, and members, who act for one partner in its portal. Both do so with the
 * same passwords, second factors, sessions and delays.
 */
export const personKinds = ['operator', 'member'] as const;
export type PersonKind = (typeof personKinds)[number];

/** What is known of a person of either kind. */
export interface Person {
  kind: PersonKind;
  personId: Uuid;
  /** Null for a member who signs in with a wallet of the partner. */
  email: string | null;
  name: string;
}

/** Characters of a password. NIST SP 800-63B requires at least 8; these people move gold. */
export const minPasswordLength = 12;
export const maxPasswordLength = 1_000;
export const maxPasskeys = 10;

/** Characters that show nothing or turn the direction of a text around: no address needs one. */
const hidden = /[\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]/u;

/**
 * Returns an address of email in the form by which accounts are found, so that one address is one account: in lower case, with
 * the name of its host as DNS has it (`münchen.de` and `xn--mnchen-3ya.de` are one). Dots are kept: whether they count is for the
 * host to say. Undefined for what is no address, and for what a URL would have behind a host, which the name would lose.
 */
export function asEmail(text: string): string | undefined {
  const [, local = '', host = ''] = /^([^\s@\p{Cc}]{1,64})@([^\s@\p{Cc}/\\?#:%]{1,185})$/u.exec(text) ?? [];
  const name = domainToASCII(host);
  if (local === '' || name === '' || hidden.test(text)) return undefined;
  const email = `${local.normalize('NFC').toLowerCase()}@${name}`;
  return email.length <= 254 ? email : undefined;
}
