/** Makes a schedule that fails smaller. */
import type { Fault, Schedule } from './schedule.js';

/** A schedule that fails does not fail each time: what passes is run once more before it counts. */
const tries = 2;

/**
 * Returns a schedule with as few faults as it still fails with: half of them is left out at a time, then a quarter, and so
 * on to single ones. `fails` runs one.
 */
export async function shrink(
  schedule: Schedule,
  fails: (one: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  const stillFails = async (faults: Fault[]) => {
    for (let turn = 0; turn < tries; turn += 1) if (await fails({ ...schedule, faults })) return true;
    return false;
  };
  if (await stillFails([])) return { ...schedule, faults: [] };
  let { faults } = schedule;
  for (let size = Math.ceil(faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < faults.length; ) {
      const fewer = faults.filter((_, n) => n < at || n >= at + size);
      if (fewer.length > 0 && (await stillFails(fewer))) faults = fewer;
      else at += size;
    }
  }
  return { ...schedule, faults };
}
