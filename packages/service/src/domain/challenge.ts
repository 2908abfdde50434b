import type { ChallengeId } from './ids.js';

/** How long a challenge may be answered. */
export const challengeLifetimeMs = 120_000;

/** The text that a partner wallet signs, in UTF-8. */
export function challengeMessage(id: ChallengeId): string {
  return `Sign this message to generate an API key for Karat: ${id}`;
}
