import { lockOperator } from '../../db/operators/operators.js';
import {
  countViews,
  deleteView,
  findViewByName,
  insertView,
  type SavedView,
  updateViewFilter,
} from '../../db/operators/saved-views.js';
import { isStorable } from '../../domain/encoding.js';
import { asUuid, newUuid, type Uuid } from '../../domain/ids.js';
import { maxFilterLength, maxViewFilters, maxViewsOfList, unsavedFilters } from '../../domain/saved-view.js';
import { AppError, invalidField, notAllowed } from '../../errors.js';
import { isSame, recordChange } from '../audit.js';
import type { ChangeTx } from '../change.js';

/**
 * Saves the filter of a list under a name, for its operator alone, in place of what the name stood for. Throws
 * `invalid_request` for a filter that cannot be kept, and `transition_not_allowed` for one view more than a list may have.
 */
export async function saveView(
  { tx, by, at }: ChangeTx,
  wanted: Omit<SavedView, 'id' | 'createdAt'>,
): Promise<SavedView> {
  requireFilter(wanted.filter);
  // Of two views that are saved at once, one waits for the other.
  await lockOperator(tx, wanted.operatorId);
  const found = await findViewByName(tx, { ...wanted, createdAt: at });
  const view = { id: newUuid(), createdAt: at, ...found, ...wanted };
  const before = found ? toAudited(found) : null;
  const after = toAudited(view);
  if (isSame(before, after)) return view;
  if (found) await updateViewFilter(tx, view);
  else {
    if ((await countViews(tx, view.operatorId, view.list)) >= maxViewsOfList) {
      throw notAllowed(`You have ${maxViewsOfList} views of this list: delete one first.`);
    }
    await insertView(tx, view);
  }
  const change = { action: 'view.save' as const, objectType: 'view', objectId: view.id };
  await recordChange(tx, by, { ...change, before, after }, at);
  return view;
}

/** Deletes a view of an operator and returns it. Throws `not_found`, also for one of another operator. */
export async function removeView(
  { tx, by, at }: ChangeTx,
  { operatorId, viewId }: { operatorId: Uuid; viewId: string },
): Promise<SavedView> {
  const id = asUuid(viewId);
  const deleted = id && (await deleteView(tx, operatorId, id));
  if (!deleted) throw new AppError('not_found', 'You have no view with this id.');
  const change = { action: 'view.delete' as const, objectType: 'view', objectId: deleted.id };
  await recordChange(tx, by, { ...change, before: toAudited(deleted), after: null }, at);
  return deleted;
}

const toAudited = ({ list, name, filter }: SavedView) => ({ list, name, filter });

function requireFilter(filter: SavedView['filter']): void {
  const entries = Object.entries(filter);
  const unsaved = unsavedFilters.find((name) => name in filter);
  if (unsaved) throw invalidField('filter', `filter must not have ${unsaved}: that is not saved.`);
  if (entries.length === 0 || entries.length > maxViewFilters) {
    throw invalidField('filter', `filter must have 1 to ${maxViewFilters} values.`);
  }
  if (entries.some(([, value]) => value.length > maxFilterLength || !isStorable(value))) {
    throw invalidField(
      'filter',
      `Each value of filter must be text of at most ${maxFilterLength} characters.`,
    );
  }
}
