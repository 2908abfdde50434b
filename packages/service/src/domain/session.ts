/** How long a session of an operator lives, whatever is done with it. */
export const sessionLifetimeMs = 12 * 60 * 60_000;
/** How long it lives without a request. */
export const sessionIdleMs = 30 * 60_000;
