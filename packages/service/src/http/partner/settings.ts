/** Settings of routes that only read, and of those that write a record. */
export const reading = { auth: 'partner' } as const;
export const writing = { ...reading, idempotent: true } as const;
