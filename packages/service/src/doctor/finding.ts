/** What `karat doctor` looks at, in the order of its report. */
export type Check = 'configuration' | 'keys' | 'database' | 'node' | 'program' | 'price' | 'operation';

/**
 * One thing that was looked at. `failed` keeps Karat, or a part of it, from working; `warning` will, or is a risk;
 * `skipped` could not be looked at because of something else that is wrong.
 */
export interface Finding {
  check: Check;
  verdict: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found. Holds no secret. */
  says: string;
  /** What to do about it; with every warning and failure. */
  remedy?: string;
}

export function findingsOf(check: Check) {
  return {
    ok: (says: string): Finding => ({ check, verdict: 'ok', says }),
    warning: (says: string, remedy: string): Finding => ({ check, verdict: 'warning', says, remedy }),
    failed: (says: string, remedy: string): Finding => ({ check, verdict: 'failed', says, remedy }),
    skipped: (says: string): Finding => ({ check, verdict: 'skipped', says }),
  };
}
