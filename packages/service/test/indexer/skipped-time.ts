import { afterAll, beforeAll, vi } from 'vitest';

/** The machine's monotonic clock, for the tests of one file, with time that a test skips instead of waiting for it. */
export function skippingTime() {
  let skippedMs = 0;
  beforeAll(() => {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + skippedMs);
  });
  afterAll(() => {
    vi.mocked(performance.now).mockRestore();
  });
  return (ms: number) => {
    skippedMs += ms;
  };
}
