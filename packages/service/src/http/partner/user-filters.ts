import { Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { findUserIdOf } from '../../db/users.js';
import { asUserId, type UserId, type Uuid } from '../../domain/ids.js';
import { field } from '../../views/fields.js';
import { filterBy, storable } from '../server/lists.js';

/** Parameters that select by user: its id here, or the partner's own. */
export const userFilters = {
  service_user_id: Type.String({ ...field.serviceUserId, description: 'Only those of this user.' }),
  user_id: Type.String({ ...field.userId, description: 'Only those of the user with this `user_id`.' }),
};

/** Reads these parameters in the `find` of a list; undefined when neither is given. */
export async function filterByUser(
  { db }: Pick<Context, 'db'>,
  partnerId: Uuid,
  query: { service_user_id?: string; user_id?: string },
): Promise<UserId | undefined> {
  const id = filterBy(query.service_user_id, asUserId);
  const own = filterBy(query.user_id, storable);
  if (own === undefined) return id;
  const found = await findUserIdOf(db, partnerId, own);
  return filterBy(own, () => (id === undefined || id === found ? found : undefined));
}
