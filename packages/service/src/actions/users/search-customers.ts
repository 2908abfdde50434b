import type { Context } from '../../context.js';
import { findKycKeys } from '../../db/kyc-keys.js';
import { findPartnerIds } from '../../db/partners/partners.js';
import { findUsersByTerms, type SealedKyc, type User } from '../../db/users.js';
import { type ChangedBy, searchKycAction } from '../../domain/audit.js';
import type { Kyc } from '../../domain/kyc.js';
import { type KycSearch, nameTerms, numberTerms } from '../../domain/kyc-terms.js';
import { invalidField } from '../../errors.js';
import { type Change, recordChanges } from '../audit.js';

/** A search that finds more is one for which the words do not suffice. */
const maxFound = 20;

/** A user whose KYC record was found. */
export interface FoundCustomer {
  user: User;
  /** Undefined for a record that cannot be read. */
  kyc: Kyc | undefined;
}

/**
 * Finds users of all partners by their KYC records, newest first and at most 20, for operators who may read KYC data. The
 * audit log, written before anything is shown, has an entry for the search and one for each record that it shows: who
 * looked, why and at whom, and nothing of the text. Throws `invalid_request` if there is nothing to search for.
 */
export async function searchCustomers(
  ctx: Context,
  by: ChangedBy,
  { reason, ...search }: KycSearch & { reason: string },
): Promise<{ found: FoundCustomer[]; hasMore: boolean }> {
  const terms = wantedTerms(search);
  // One snapshot: a rotation moves records from one data key to another.
  const rows = await ctx.db.transaction(
    async (tx) => {
      const lists = await ctx.kyc.blind(await findKycKeys(tx), await findPartnerIds(tx), terms);
      return findUsersByTerms(tx, lists, maxFound + 1);
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
  const found = await Promise.all(
    rows.slice(0, maxFound).map(async ({ user, kyc }) => ({ user, kyc: await openFound(ctx, kyc) })),
  );
  const changes = [{ ...lookFor(search, found.length), reason }, ...found.map(({ user }) => lookAt(user))];
  const at = new Date(ctx.clock.now());
  await ctx.db.transaction((tx) => recordChanges(tx, by, changes, at));
  return { found, hasMore: rows.length > maxFound };
}

function wantedTerms({ fullName, idNumber }: KycSearch): string[] {
  if (fullName === undefined && idNumber === undefined) {
    throw invalidField('full_name', 'Send full_name, id_number or both.');
  }
  return [
    ...(fullName === undefined ? [] : someOf(nameTerms(fullName), 'full_name')),
    ...(idNumber === undefined ? [] : someOf(numberTerms(idNumber), 'id_number')),
  ];
}

function someOf(terms: string[], field: string): string[] {
  if (terms.length > 0) return terms;
  throw invalidField(field, `${field} must have a letter or a digit.`);
}

/** One record that was changed must not keep the others from being found. */
async function openFound(ctx: Context, sealed: SealedKyc): Promise<Kyc | undefined> {
  try {
    return await ctx.kyc.open(sealed);
  } catch (err) {
    ctx.log.error({ err, user_id: sealed.userId }, 'a KYC record that was found cannot be read');
    return undefined;
  }
}

const lookFor = ({ fullName, idNumber }: KycSearch, found: number): Change => ({
  action: searchKycAction,
  objectId: 'search',
  after: {
    by: [...(fullName === undefined ? [] : ['full_name']), ...(idNumber === undefined ? [] : ['id_number'])],
    found,
  },
});

const lookAt = ({ id }: User): Change => ({
  action: 'user.read_kyc',
  objectId: id,
});
