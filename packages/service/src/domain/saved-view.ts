/** Lists of the operator API whose filters an operator can save. */
export const viewLists = [
  'audit',
  'bars',
  'dead-letters',
  'denominations',
  'operators',
  'orders',
  'partners',
  'redemptions',
  'trades',
  'users',
  'webhook-endpoints',
] as const;
export type ViewList = (typeof viewLists)[number];

/** Views that an operator may have of one list: more tabs than that are no help. */
export const maxViewsOfList = 20;

/** Filters that a view may have, and characters of the value of one. */
export const maxViewFilters = 20;
export const maxFilterLength = 200;

/** What a filter is called. */
export const filterNamePattern = '^[a-z_]{1,40}$';

/** What is typed into a search is kept nowhere, because it may name a customer; a place in a list is of the moment. */
export const unsavedFilters = ['q', 'cursor'] as const;
