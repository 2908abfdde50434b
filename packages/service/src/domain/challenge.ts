import type { ChallengeId } from './ids.js';

export const challengeLifetimeMs = 120_000;

/** Returns the text that a partner wallet signs for a key of the partner API, in UTF-8. */
export function challengeMessage(id: ChallengeId): string {
  return `Sign this message to generate an API key for Karat: ${id}`;
}

/**
 * Returns the text that a wallet signs for a key of the tradebook API: another one, so that no signature is good for
 * both.
 */
export function tradebookChallengeMessage(id: ChallengeId): string {
  return `Sign this message to generate a tradebook API key for Karat: ${id}`;
}
