import { expect, test } from 'vitest';
import {
  hasEnded,
  operatorTransactionMove,
  operatorTransactionStatuses,
} from '../../src/domain/operator-transaction.js';

test.each([
  ['execute', ['pending'], 'confirmed'],
  ['fail', ['pending'], 'failed'],
  ['expire', ['pending'], 'expired'],
  ['revert', ['confirmed'], 'expired'],
] as const)('%s moves an operator transaction from %j to %s', (event, from, to) => {
  expect(operatorTransactionMove(event)).toEqual({ from, to });
});

test('an operator transaction that failed or expired has ended', () => {
  expect(operatorTransactionStatuses.filter(hasEnded)).toEqual(['failed', 'expired']);
});
