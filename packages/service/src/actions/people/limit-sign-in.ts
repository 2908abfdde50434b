import { createHash } from 'node:crypto';
import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { isKnownNetwork, noteNetwork } from '../../db/people/known-networks.js';
import {
  deleteFailures,
  forgiveFailure,
  lockFailures,
  updateFailures,
} from '../../db/people/sign-in-attempts.js';
import { isStorable } from '../../domain/encoding.js';
import type { Uuid } from '../../domain/ids.js';
import { networkKnownMs, signInDelays } from '../../domain/limits.js';
import { asEmail, type PersonKind } from '../../domain/person.js';
import { type DelayRule, type Failures, waitOf, withFailure } from '../../domain/sign-in-delay.js';

/** Where an attempt to sign in comes from, and whose account it is for. */
export interface SignInSource {
  /** Whose accounts it is about: those of operators and of members are counted apart. */
  kind: PersonKind;
  /** The caller's IP address, for the audit log. */
  address: string;
  /** The network whose attempts count together: see `clientNetwork`. */
  network: string;
  /** The /48 that an IPv6 network is in. */
  site?: string | undefined;
  /** As typed; the account need not exist. Empty before it is known. */
  email: string;
  /**
   * Second factors are counted apart from passwords: a right password takes back none of their failures. Whose account it is
   * about is not known before single sign-on: only its network is counted.
   */
  step: 'password' | 'second_factor' | 'single_sign_on';
}

/** An attempt that was counted as failed. */
export interface Attempt extends SignInSource {
  /** Counters other than that of the account and the network together. */
  crowds: Uint8Array[];
  countedAt: Date;
}

/**
 * Counts an attempt to sign in as failed, which `forgiveSignIn` takes back; or counts nothing and returns how many
 * seconds it has to wait. Three counters delay it: that of the account from this network, that of the network over all
 * accounts (and, higher, that of the /48 of an IPv6 network), and that of the account over all networks that it has not signed in from. So attempts from elsewhere do not
 * slow owners in their usual networks, and guesses from many networks are slow together. An account that does not exist
 * is counted in the same way.
 */
export async function admitSignIn(
  ctx: Context,
  source: SignInSource,
): Promise<Attempt | { waitSeconds: number }> {
  const nowMs = ctx.clock.now();
  const now = new Date(nowMs);
  return ctx.db.transaction(async (tx) => {
    const crowds = await crowdsOf(tx, source, now);
    const admitted: [Uint8Array, Failures][] = [];
    // Every transaction locks them in this order.
    const pair = {
      counter: pairCounter(source),
      rule: source.step === 'password' ? signInDelays.pair : signInDelays.factorPair,
    };
    const counters = source.step === 'single_sign_on' ? crowds : [...crowds, pair];
    for (const { counter, rule } of counters) {
      const failures = await lockFailures(tx, counter, now);
      const waitMs = waitOf(failures, rule, nowMs);
      if (waitMs > 0) return { waitSeconds: Math.ceil(waitMs / 1_000) };
      admitted.push([counter, withFailure(failures, rule, nowMs)]);
    }
    for (const [counter, failures] of admitted) await updateFailures(tx, counter, failures);
    return { ...source, crowds: crowds.map(({ counter }) => counter), countedAt: now };
  });
}

/** Takes an admitted attempt back because what was tried was right. */
export async function forgiveAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  for (const counter of attempt.crowds) await forgiveFailure(tx, counter, attempt.countedAt);
  await deleteFailures(tx, pairCounter(attempt));
}

/** Takes the attempt back by which a person signed in: the account is at home in this network from now on. */
export async function forgiveSignIn(tx: Tx, personId: Uuid, attempt: Attempt, at: Date): Promise<void> {
  await forgiveAttempt(tx, attempt);
  await noteNetwork(tx, personId, attempt.network, at);
}

/** Returns the counters of the network and its /48, and the account's unless it is at home in the network. */
async function crowdsOf(
  tx: Tx,
  source: SignInSource,
  now: Date,
): Promise<{ counter: Uint8Array; rule: DelayRule }[]> {
  const since = new Date(now.getTime() - networkKnownMs);
  const { kind } = source;
  const email = accountOf(source);
  const isKnown =
    isStorable(email) && (await isKnownNetwork(tx, { kind, email, network: source.network }, since));
  const networks = [
    { counter: counterOf(kind, 'network', source.network), rule: signInDelays.crowd },
    ...(source.site ? [{ counter: counterOf(kind, 'network', source.site), rule: signInDelays.site }] : []),
  ];
  if (isKnown || source.step === 'single_sign_on') return networks;
  const isPassword = source.step === 'password';
  const counter = counterOf(kind, isPassword ? 'account' : 'account factor', email);
  return [...networks, { counter, rule: isPassword ? signInDelays.crowd : signInDelays.factor }];
}

const pairCounter = (source: SignInSource) =>
  counterOf(
    source.kind,
    source.step === 'password' ? 'pair' : 'pair factor',
    source.network,
    accountOf(source),
  );

/** However an address is written, its attempts count together. */
const accountOf = ({ email }: SignInSource) => asEmail(email) ?? email.toLowerCase();

function counterOf(kind: PersonKind, ...parts: string[]): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest();
}
