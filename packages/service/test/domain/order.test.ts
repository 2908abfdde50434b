import { expect, test } from 'vitest';
import { orderMove } from '../../src/domain/order.js';

test.each([
  ['execute', ['pending_signature'], 'confirmed'],
  ['fail', ['pending_signature'], 'failed'],
  ['expire', ['pending_signature'], 'expired'],
  ['revert', ['confirmed'], 'pending_signature'],
] as const)('%s moves an order from %j to %s', (event, from, to) => {
  expect(orderMove(event)).toEqual({ from, to });
});
