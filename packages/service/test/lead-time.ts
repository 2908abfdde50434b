import type { Harness } from './harness.js';

/**
 * Returns a function that reads how many seconds after this call the present indexer took over, by the clock of the database:
 * how late a busy test learns of either does not count.
 */
export async function timeToLead({ sql }: Pick<Harness['ctx'], 'sql'>): Promise<() => Promise<number>> {
  const [began] = await sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  return async () => {
    const [lead] = await sql<{ seconds: number }[]>`
      select extract(epoch from since - ${began?.at ?? ''}::timestamptz)::float8 as seconds
      from leads where role = 'indexer'`;
    return lead?.seconds ?? Number.NaN;
  };
}
