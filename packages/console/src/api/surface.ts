import type { components } from '../generated/operator';

/**
 * The shapes of sessions and second factors, which operators and members of partners have in common: where the two APIs
 * differ, the types of one of their surfaces fail.
 */
type Schemas = components['schemas'];

/** Who is signed in, as far as every application needs it. */
export interface Person {
  email: string | null;
  name: string;
  permissions: readonly string[];
  second_factor_required: boolean;
  second_factor_enrolled: boolean;
  /** Whether an identity provider has it, where people sign in at one. */
  second_factor_attested?: boolean;
}

export type Factors = Schemas['SecondFactor'];
export type Passkey = Schemas['Passkey'];
/** The second factors that someone may show, and what browsers need for a passkey. */
export type Offer = Schemas['SecondFactorChallenge'];
export type ChallengeRequest = Schemas['ChallengeSecondFactorRequest'];

/** A second factor as requests carry it. */
export interface Proof {
  token: string;
  passkey?: Record<string, unknown>;
  totp_code?: string;
  recovery_code?: string;
}

/** What a change of one's own second factors carries. */
export interface Permit {
  second_factor?: Proof;
  current_password?: string;
}

/** One's own session, password and second factors. */
interface Account {
  signIn(body: { email: string; password: string }): Promise<Person | Offer>;
  finishSignIn(body: Proof): Promise<Person>;
  signOut(): Promise<object>;
  changePassword(body: { current_password: string; new_password: string }): Promise<object>;
  readFactors(): Promise<Factors>;
  challenge(body: ChallengeRequest): Promise<Offer>;
  confirm(body: Proof): Promise<{ confirmation: string }>;
  /** Confirms the session of someone who has no second factor, by what opened it; undefined for all others. */
  confirmOtherwise?(me: Person): Promise<string> | undefined;
  startPasskey(body: Permit): Promise<Schemas['StartPasskeyResult']>;
  addPasskey(body: { token: string; name: string; passkey: Record<string, unknown> }): Promise<object>;
  renamePasskey(passkeyId: string, body: { name: string }): Promise<object>;
  removePasskey(passkeyId: string, body: Permit): Promise<object>;
  startTotp(body: Permit): Promise<Schemas['StartTotpResult']>;
  confirmTotp(body: { totp_code: string }): Promise<object>;
  removeTotp(body: Permit): Promise<object>;
  renewRecoveryCodes(body: Permit): Promise<object>;
}

/** One of the two APIs that pages are about, as far as what they share has to know it. */
export interface Surface {
  /** Where its lists are. */
  base: '/operator/v1' | '/v1';
  /** What its lists can do: keep filters that a person saves, count the rows of all pages, and be read as CSV. */
  lists: { keepViews: boolean; count: boolean; csv: boolean };
  /** The header without which it takes no change from a page. */
  changeHeader: string;
  /** Whether a change of that path takes an idempotency key, so that it may be sent once more. */
  takesKey(path: string): boolean;
  /** Where it responds who is signed in: 401 without a session. */
  mePath: string;
  readMe(signal?: AbortSignal): Promise<Person>;
  /** Its stream of changes. */
  stream: {
    path: string;
    /** The kind of thing that a message is about. */
    kindOf(message: string): string;
    /** What shows things of a kind, by the beginning of its keys. A kind that is not here may be shown anywhere. */
    shownIn: Partial<Record<string, readonly string[]>>;
  };
  account: Account;
}

let installed: Surface | undefined;

/** Has everything that is shared be about one API; an application calls it before anything else. */
export function installSurface(surface: Surface): void {
  installed = surface;
}

/** Returns the API that this page is about. */
export function surface(): Surface {
  if (!installed) throw new Error('No API is installed.');
  return installed;
}
