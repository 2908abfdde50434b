import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import {
  countPickupTry,
  findPickupCode,
  lockPickupCode,
  type PickupCode,
  savePickupCode,
} from '../../db/redemptions/pickup-codes.js';
import type { VisibleRedemption } from '../../db/redemptions/redemptions.js';
import type { RedemptionId } from '../../domain/ids.js';
import { codeOf, isCode, issueCode, pickupTries } from '../../domain/pickup-code.js';
import { nextStatus } from '../../domain/redemption.js';
import { AppError, notAllowed, unavailable } from '../../errors.js';
import { recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';
import { getVisibleRedemption } from './get-redemption.js';
import { requireTokensFor } from './settled.js';

type Settings = Pick<Context, 'config'>;

/** Issues the code by which a redemption is picked up, in place of an earlier one. Throws `service_unavailable`. */
export async function issuePickupCode(ctx: Settings, tx: Tx, id: RedemptionId, at: Date): Promise<void> {
  await savePickupCode(tx, issueCode(getSecret(ctx), id), at);
}

/** Returns the code of a redemption of the caller's own; undefined while it has none. */
export async function readPickupCode(
  { config, db }: Settings & { db: Db },
  { id, status }: VisibleRedemption,
): Promise<string | undefined> {
  const secret = config.pickupSecret?.reveal();
  if (status !== 'ready' || secret === undefined) return undefined;
  const issued = await findPickupCode(db, id);
  return issued && codeOf(secret, issued);
}

/** How a code did, of which at most so many wrong ones are tried. */
export type TriedCode = { right: true } | { right: false; attemptsLeft: number };

/**
 * Tries a code, and counts a wrong one, which holds only once the transaction is committed. Those who try at the same time
 * wait for each other. Throws `transition_not_allowed` while the redemption is not ready, and `pickup_code_locked` when no
 * try is left.
 */
export async function tryPickupCode(
  ctx: Settings,
  { tx, by, at }: ChangeTx,
  { redemptionId, code }: { redemptionId: string; code: string },
): Promise<TriedCode> {
  const { id, status } = await getVisibleRedemption(tx, redemptionId);
  nextStatus(status, 'collect');
  const issued = await lockPickupCode(tx, id);
  if (!issued || issued.tries >= pickupTries) {
    // The holder of the lock before this one may have collected it.
    nextStatus((await getVisibleRedemption(tx, redemptionId)).status, 'collect');
    throw codeLocked();
  }
  if (isCode(getSecret(ctx), issued, code)) return { right: true };
  await countPickupTry(tx, id);
  const attemptsLeft = pickupTries - issued.tries - 1;
  const change = { action: 'redemption.wrong_code' as const, objectId: id };
  const after = { attempts_left: attemptsLeft };
  await recordChange(tx, by, { ...change, before: { attempts_left: attemptsLeft + 1 }, after }, at);
  return { right: false, attemptsLeft };
}

/** A redemption for which another code was issued. */
export interface IssuedPickup {
  id: RedemptionId;
  issuedAt: Date;
}

/**
 * Returns a redemption whose code can be replaced, with that code, locked until the transaction ends. Throws
 * `redemption_not_found` or `transition_not_allowed`.
 */
export async function lockReissuable(
  tx: Tx,
  redemptionId: string,
): Promise<{ id: RedemptionId; issued: PickupCode | undefined }> {
  const found = await getVisibleRedemption(tx, redemptionId);
  const issued = await lockPickupCode(tx, found.id);
  const { id, status } = await getVisibleRedemption(tx, redemptionId);
  if (status !== 'ready') throw notAllowed(`A redemption that is ${status} has no pickup code.`);
  await requireTokensFor(tx, id, 'reissue-code');
  return { id, issued };
}

/** Returns what the audit log and an approver see of a code. */
export function shownCode(issued: Pick<PickupCode, 'issuedAt' | 'tries' | 'issues'> | undefined) {
  return {
    code_issued_at: issued?.issuedAt.toISOString() ?? null,
    attempts_left: pickupTries - (issued?.tries ?? 0),
    codes_issued: issued?.issues ?? 0,
  };
}

/** Issues another code for a redemption that is ready. Throws as `lockReissuable` does. */
export async function reissuePickupCode(
  ctx: Settings,
  { tx, by, at }: ChangeTx,
  { redemptionId, reason }: { redemptionId: string; reason: string | undefined },
): Promise<IssuedPickup> {
  const { id, issued } = await lockReissuable(tx, redemptionId);
  await issuePickupCode(ctx, tx, id, at);
  const change = { action: 'redemption.reissue_code' as const, objectId: id, reason };
  const after = shownCode({ issuedAt: at, tries: 0, issues: (issued?.issues ?? 0) + 1 });
  await recordChange(tx, by, { ...change, before: shownCode(issued), after }, at);
  return { id, issuedAt: at };
}

/** Returns the refusal of a wrong code. */
export function wrongCode(attemptsLeft: number): AppError {
  const rest = attemptsLeft === 0 ? 'the code is locked now' : `${attemptsLeft} left`;
  return new AppError('pickup_code_wrong', `This is not the pickup code: ${rest}.`, {
    field: 'pickup_code',
    extra: { attempts_left: attemptsLeft },
  });
}

function codeLocked(): AppError {
  const message = 'The pickup code is locked after too many wrong ones; issue another one.';
  return new AppError('pickup_code_locked', message);
}

function getSecret({ config }: Settings): string {
  const secret = config.pickupSecret?.reveal();
  if (secret !== undefined) return secret;
  throw unavailable('This process has no KARAT_PICKUP_SECRET, which pickup codes need.');
}
