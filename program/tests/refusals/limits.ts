import type { Token } from '../fixture.js';
import type { Build } from './accounts.js';
import type { Refusal } from './refusal.js';

/** A trade of which the partner's limit, or that of what it takes out of the treasury, allows next to nothing. */
export function overLimit(instruction: Build, takes: Token): Refusal[] {
  return [
    {
      error: 'DailyLimitExceeded',
      when: 'it is above the limit of the partner',
      arrange: (scenario) => scenario.setIntegrator({ dailyLimitUsdc: 1n }),
      instruction,
    },
    overOutflow(instruction, takes),
  ];
}

/** More than may leave the treasury in a day. */
export function overOutflow(instruction: Build, takes: Token): Refusal {
  return {
    error: 'DailyLimitExceeded',
    when: `more ${takes} would leave the treasury than may in a day`,
    arrange: (scenario) => scenario.setSettings({ [`dailyOutflow${takes}`]: 1n }),
    instruction,
  };
}
