import { type Address, isAddress } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import type { Uuid } from '../../domain/ids.js';
import { maxExecutives } from '../../domain/order.js';
import type { TradebookCaller } from '../../domain/principal.js';
import { asWalletAddress } from '../../domain/solana.js';
import { AppError, invalidField } from '../../errors.js';
import { getPartner } from '../partners/get-partner.js';
import { draftOrder, getIntegratorOf, type PlacedOrder } from './place-order.js';

export interface ExecutiveChangeInput {
  /** From the path, as it came. */
  partnerId: string;
  /** Addresses as they came; undefined is none. */
  add?: string[] | undefined;
  remove?: string[] | undefined;
}

/**
 * Drafts the order of a change of a partner's executive authorities: the caller's own partner, or any for an admin. The partner's update
 * authority signs, whichever key requests it. It works while the partner is suspended, when only an admin's key is
 * accepted, or anything is paused, so that a lost key can be replaced at any time. Throws, in this order:
 * `invalid_request` and `invalid_wallet` for what no partner could take, `partner_not_found`, `partner_mismatch`,
 * `onchain_config_missing`, `invalid_request` for what this partner cannot take, `service_unavailable`.
 */
export async function draftExecutiveChange(
  ctx: Context,
  caller: TradebookCaller,
  input: ExecutiveChangeInput,
): Promise<PlacedOrder> {
  const added = addressesOf(input.add ?? [], 'add');
  const removed = addressesOf(input.remove ?? [], 'remove');
  requireConsistent(added, removed);
  const partnerId = await getPartnerId(ctx, caller, input.partnerId);
  const integrator = getIntegratorOf(ctx, partnerId);
  const { executives, executiveCount, updateAuthority } = integrator.data;
  requireFitting(executives.slice(0, executiveCount), added, removed);
  const draft = {
    partnerId,
    integrator,
    signer: updateAuthority,
    termsAt: () => ({ kind: 'executive_update' as const, added, removed }),
    columns: { added, removed },
  };
  return draftOrder(ctx, caller, draft);
}

/**
 * Returns addresses of a list. One to be added has to be a key that can sign; one to be removed may be off the curve,
 * as long as it is there: see `requireFitting`.
 */
function addressesOf(texts: string[], field: 'add' | 'remove'): Address[] {
  return texts.map((text, index) => {
    const address = field === 'add' ? asWalletAddress(text) : isAddress(text) ? text : undefined;
    if (!address || address === noKey) throw invalidWallet(`${field}.${index}`);
    if (texts.indexOf(text) === index) return address;
    throw invalidField(`${field}.${index}`, `${field}.${index} appears twice in ${field}.`);
  });
}

function invalidWallet(field: string): AppError {
  return new AppError('invalid_wallet', `${field} is not a valid public key.`, { field });
}

/** Checks the lists regardless of who the executives are. Throws `invalid_request`. */
function requireConsistent(added: Address[], removed: Address[]): void {
  if (added.length + removed.length === 0) {
    throw invalidField('add', 'add and remove are both empty: name at least one address.');
  }
  const inBoth = added.findIndex((address) => removed.includes(address));
  if (inBoth !== -1) throw invalidField(`add.${inBoth}`, `add.${inBoth} also appears in remove.`);
}

/** Checks the program's rules: every removed executive exists, no added one does, and 1 to 8 remain. */
function requireFitting(present: Address[], added: Address[], removed: Address[]): void {
  removed.forEach((address, index) => {
    if (present.includes(address)) return;
    const field = `remove.${index}`;
    if (!asWalletAddress(address)) throw invalidWallet(field);
    throw invalidField(field, `${field} is not an executive authority of this partner.`);
  });
  added.forEach((address, index) => {
    const field = `add.${index}`;
    if (present.includes(address)) throw invalidField(field, `${field} is already an executive authority.`);
  });
  const left = present.length + added.length - removed.length;
  if (left < 1) throw invalidField('remove', 'remove would leave no executive authority.');
  if (left > maxExecutives) {
    throw invalidField(
      'add',
      `add would lead to ${left} executive authorities; at most ${maxExecutives} are allowed.`,
    );
  }
}

/** Returns the id of any partner for an admin, else only of the caller's own. Throws `partner_mismatch`. */
async function getPartnerId(ctx: Context, caller: TradebookCaller, text: string): Promise<Uuid> {
  const { id } = await getPartner(ctx.db, text);
  if (id === caller.partnerId || caller.scopes.includes('ADMIN')) return id;
  throw new AppError('partner_mismatch', 'This partner is not the partner of your key.');
}
