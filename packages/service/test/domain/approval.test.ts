import { expect, test } from 'vitest';
import { decisionsOf, refusalOfDecision } from '../../src/domain/approval.js';
import { newUuid } from '../../src/domain/ids.js';
import type { OperatorRole } from '../../src/domain/operator.js';

const nowMs = Date.UTC(2026, 0, 1);
const [requester, other] = [newUuid(), newUuid()];

const operator = (role: OperatorRole = 'fulfilment', openedBy = [newUuid()]) => ({
  ...{ personId: newUuid(), role, openedBy },
});
const request = (more: object = {}) => ({
  ...{ action: 'redemption.refund', requestedBy: requester, status: 'pending' as const },
  expiresAt: new Date(nowMs + 1),
  ...more,
});

test.each([
  ['another role', operator('compliance'), request(), 'insufficient_scope'],
  ['the requester', { ...operator(), personId: requester }, request(), 'forbidden'],
  ['too late', operator(), request({ expiresAt: new Date(nowMs) }), 'transition_not_allowed'],
  ['decided before', operator(), request({ status: 'rejected' }), 'transition_not_allowed'],
] as const)('a request can be neither approved nor rejected: %s', (_, who, what, code) => {
  for (const decision of ['approve', 'reject'] as const)
    expect(refusalOfDecision(decision, who, what, nowMs)?.code).toBe(code);
  expect(decisionsOf(who, { ...what, requesterOpenedBy: [] }, nowMs)).toEqual([]);
});

test('a request is approved and rejected by another person of the role until it lapses', () => {
  expect(decisionsOf(operator(), { ...request(), requesterOpenedBy: [other] }, nowMs)).toEqual([
    'approve',
    'reject',
  ]);
});

test.each([
  ['the requester opened the account of the approver', operator('fulfilment', [requester]), []],
  ['the approver opened the account of the requester', { ...operator(), personId: other }, [other]],
  ['one operator opened both accounts', operator('fulfilment', [other]), [other]],
] as const)('a request is only rejected where %s', (_, who, requesterOpenedBy) => {
  expect(refusalOfDecision('approve', who, request(), nowMs, requesterOpenedBy)?.code).toBe('forbidden');
  expect(decisionsOf(who, { ...request(), requesterOpenedBy: [...requesterOpenedBy] }, nowMs)).toEqual([
    'reject',
  ]);
});
