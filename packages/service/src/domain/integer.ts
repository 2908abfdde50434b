/**
 * Returns the number of a count, a slot, a time or a place in a list, from a database or a node; NaN for what is no
 * number. Never of an amount of money: beyond 2^53 digits are lost, which nothing that is counted reaches.
 */
export function toInteger(value: unknown): number {
  return Number(value);
}
