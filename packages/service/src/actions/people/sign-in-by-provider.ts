import type { Context } from '../../context.js';
import type { Tx } from '../../db/client.js';
import { insertOperator, type OperatorRow } from '../../db/operators/operators.js';
import { findPersonByIdentity } from '../../db/people/people.js';
import { endSessionsOf } from '../../db/people/sessions.js';
import { newUuid, type Uuid } from '../../domain/ids.js';
import type { OperatorRole } from '../../domain/operator.js';
import { hashSecret } from '../../domain/session.js';
import { type Identity, roleOfGroups } from '../../domain/single-sign-on.js';
import { AppError } from '../../errors.js';
import { recordChange } from '../audit.js';
import { changeOperator } from '../operators/change-operator.js';
import { beginConfirmation } from './confirm.js';
import type { IdentityProvider, SignOnResponse } from './identity-provider.js';
import { forgiveAttempt, forgiveSignIn } from './limit-sign-in.js';
import { readPersonName } from './read-account.js';
import { findFactors, hasFactor, type Offer, offerFactors } from './second-factor.js';
import { openSession, type SignInRequest, signInChange } from './sign-in.js';

/** What became of an identity: a session, confirmed by a fresh sign-in, or the second step. */
type SignedOn =
  | { secret: string; confirmation: { secret: string; expiresAt: Date } | undefined }
  | { offer: Offer };

/** Why a person who signed in at the provider is refused here; what was done because of it stays done. */
interface Refusal {
  refused: string;
  personId?: Uuid;
}

const method = 'single_sign_on';

/** What a browser brings back from the identity provider. */
interface Returned {
  /** Of the sign-in that it began. */
  begun: string | undefined;
  redirectUri: string;
  response: SignOnResponse;
}

/**
 * Redeems what a browser brings back from the identity provider, and signs its person in. Throws what `IdentityProvider.finish`
 * throws, which counts as a failed attempt of the network unless the provider is away, and what `signInByProvider` throws.
 */
export async function signOn(
  ctx: Context,
  provider: IdentityProvider,
  { begun, redirectUri, response }: Returned,
  input: SignInRequest,
): Promise<SignedOn> {
  try {
    const identity = await provider.finish(begun, { redirectUri, response });
    return await signInByProvider(ctx, identity, input);
  } catch (error) {
    if (error instanceof AppError) await recordFailure(ctx, error, input);
    throw error;
  }
}

async function recordFailure(ctx: Context, { code }: AppError, input: SignInRequest): Promise<void> {
  const { attempt, requestId } = input;
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction(async (tx) => {
    if (code === 'service_unavailable') await forgiveAttempt(tx, attempt);
    if (code !== 'unauthorized') return;
    const change = signInChange('operator.sign_in_failed', 'unknown', attempt.address, method);
    await recordChange(tx, { personId: null, requestId }, change, at);
  });
}

/**
 * Opens a session for the operator whom the provider knows by this issuer and subject, who is made the first time; an address
 * matches no account. Name and role follow the provider. Where it does not attest to a second factor, an operator who has one is
 * offered the second step. Throws `forbidden`, and writes it to the audit log, for those whose groups have no role here, whose
 * sessions end, for disabled operators, and for a new one whose email another account has.
 */
async function signInByProvider(ctx: Context, identity: Identity, input: SignInRequest): Promise<SignedOn> {
  const { attempt, requestId } = input;
  const at = new Date(ctx.clock.now());
  const done = await ctx.db.transaction(async (tx): Promise<SignedOn | Refusal> => {
    const found = await updateOperator(ctx, tx, identity, { requestId, at });
    if ('refused' in found) {
      const { refused, personId } = found;
      // Those who may sign in no more are not to stay signed in.
      if (personId) await endSessionsOf(tx, personId, at);
      await forgiveAttempt(tx, attempt);
      const change = signInChange('operator.sign_in_failed', personId ?? 'unknown', attempt.address, method);
      await recordChange(tx, { personId: null, requestId }, { ...change, reason: refused }, at);
      return found;
    }
    const factors = await findFactors(tx, found.id);
    if (hasFactor(factors) && !identity.attested) {
      await forgiveAttempt(tx, attempt);
      const purpose = { personId: found.id, purpose: 'sign_in' } as const;
      const offer = await offerFactors(ctx, tx, purpose, { factors, site: input.site });
      const change = signInChange('operator.sign_in_password', found.id, attempt.address, method);
      await recordChange(tx, { personId: found.id, requestId }, change, at);
      return { offer };
    }
    await forgiveSignIn(tx, found.id, attempt, at);
    const { address } = attempt;
    const shown = { kind: 'operator', address, method, isVerified: identity.attested } as const;
    const { secret } = await openSession(ctx, tx, found, { ...input, ...shown });
    const confirmation = identity.fresh ? await beginConfirmation(ctx, tx, hashSecret(secret)) : undefined;
    return { secret, confirmation };
  });
  if ('refused' in done) throw new AppError('forbidden', done.refused);
  return done;
}

type At = { requestId: string; at: Date };

/** Makes an operator what the provider says, or returns why there is none. */
async function updateOperator(
  ctx: Context,
  tx: Tx,
  identity: Identity,
  { requestId, at }: At,
): Promise<OperatorRow | Refusal> {
  const found = await findPersonByIdentity(tx, identity);
  const personId = found?.id;
  const known = personId && { personId };
  if (found && found.status !== 'active') {
    return { refused: 'Your account here is disabled: an admin can enable it.', ...known };
  }
  const role = roleOfGroups(ctx.config.oidcRoles, identity.groups);
  if (!role) {
    const refused =
      'None of your groups at the identity provider has a role here: have yourself added to one of those in KARAT_OIDC_ROLES.';
    return { refused, ...known };
  }
  if (!personId) return makeOperator(tx, identity, { role, requestId, at });
  const by = { personId, requestId };
  const reason = 'As the identity provider says';
  const input = { operatorId: personId, name: nameOf(identity), role, reason, byProvider: true };
  const changed = await changeOperator({ tx, by, at }, input);
  if (changed.status === 'active') return changed;
  throw new AppError('unauthorized', 'The account has just changed: sign in again.');
}

async function makeOperator(
  tx: Tx,
  { issuer, subject, email, ...identity }: Identity,
  { role, requestId, at }: At & { role: OperatorRole },
): Promise<OperatorRow | Refusal> {
  if (email === undefined) {
    return { refused: 'The identity provider names no email of yours: it must send the claim email.' };
  }
  const account = { email, name: nameOf(identity) ?? email.slice(0, 100), role };
  const id = newUuid();
  const row = { id, ...account, issuer, subject, createdAt: at, updatedAt: at };
  if (await insertOperator(tx, row)) {
    const change = { action: 'operator.create' as const, objectId: id };
    const after = { ...account, issuer, subject };
    await recordChange(tx, { personId: id, requestId }, { ...change, after }, at);
  }
  const made = await findPersonByIdentity(tx, { issuer, subject });
  // Another window of the same person may have been first.
  if (made) return made as OperatorRow;
  const refused = `Another account has the email ${email}. If it is yours, have it linked: karat operator link --email ${email} --issuer ${issuer} --subject ${subject}`;
  return { refused };
}

/** Returns the name of a person as an account can have it; undefined for none. */
function nameOf({ name }: Pick<Identity, 'name'>): string | undefined {
  try {
    return name === undefined ? undefined : readPersonName([...name].slice(0, 100).join(''));
  } catch {
    return undefined;
  }
}
