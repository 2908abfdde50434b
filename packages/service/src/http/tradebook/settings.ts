/** Settings of routes that only read. */
export const reading = { auth: 'tradebook' } as const;
