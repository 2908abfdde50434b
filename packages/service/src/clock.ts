/** Where the service reads the time. Tests and the sandbox bring their own, so that time can be moved. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
