import { moveOf, type Transitions } from './transitions.js';

/**
 * What the service sent for a quote: `submitted` until the record of the trade is final (`landed`), or until it can no
 * longer land. That of a redemption stays `submitted`: the redemption itself has the status.
 */
export const submissionStatuses = ['submitted', 'landed', 'expired'] as const;
export type SubmissionStatus = (typeof submissionStatuses)[number];

/** What can happen to it: its record became final, or the finalized chain can no longer take it. */
export type SubmissionEvent = 'finalize' | 'expire';

const transitions: Transitions<SubmissionStatus, SubmissionEvent> = {
  submitted: { finalize: 'landed', expire: 'expired' },
  landed: {},
  expired: {},
};

/** Returns the statuses that an event leads out of, and the one that it leads to. */
export const submissionMove = (event: SubmissionEvent) => moveOf(transitions, event);
