import type { ChallengeId } from './ids.js';

export const challengeLifetimeMs = 120_000;

/** What a wallet signs a challenge for: a key of one of the two APIs, or a session of the portal. */
export const challengeSurfaces = ['partner', 'tradebook', 'portal'] as const;
export type ChallengeSurface = (typeof challengeSurfaces)[number];

const beginnings: Record<ChallengeSurface, string> = {
  partner: 'Sign this message to generate an API key for Karat',
  tradebook: 'Sign this message to generate a tradebook API key for Karat',
  portal: 'Sign this message to open the Karat portal',
};

/** Returns the text that a wallet signs, in UTF-8: another one for each surface, so that no signature is good for two. */
export function challengeMessage(surface: ChallengeSurface, id: ChallengeId): string {
  return `${beginnings[surface]}: ${id}`;
}
