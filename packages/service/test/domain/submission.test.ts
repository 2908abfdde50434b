import { expect, test } from 'vitest';
import { submissionMove } from '../../src/domain/submission.js';

test.each([
  ['finalize', ['submitted'], 'landed'],
  ['expire', ['submitted'], 'expired'],
] as const)('%s moves a submission from %j to %s', (event, from, to) => {
  expect(submissionMove(event)).toEqual({ from, to });
});
