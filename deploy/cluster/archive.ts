/** Whether the archive of write-ahead log has every segment that a restore to any point in time needs. */
import { until } from './until.js';

/** What an archive must contain: from the first segment of the oldest backup to the newest on the current timeline. */
interface Wanted {
  from: string;
  to: string;
  /** The history file of the current timeline: `timeline`, tab, `position at which the next one began`, tab, `why`. */
  history: string;
}

const segmentBytes = 16n * 1024n * 1024n;
const segmentsPerLog = 256n;

const timelineOf = (segment: string) => Number.parseInt(segment.slice(0, 8), 16);
const numberOf = (segment: string) =>
  BigInt(`0x${segment.slice(8, 16)}`) * segmentsPerLog + BigInt(`0x${segment.slice(16)}`);
const hex = (value: bigint | number) => value.toString(16).toUpperCase().padStart(8, '0');
const segmentAt = (timeline: number, number: bigint) =>
  hex(timeline) + hex(number / segmentsPerLog) + hex(number % segmentsPerLog);

/**
 * Returns the segments and history files that an archive lacks. A segment in which a timeline ended is needed from the
 * next one alone, which begins with a copy of it.
 */
export function missingFrom(archived: Iterable<string>, { from, to, history }: Wanted): string[] {
  const there = new Set(archived);
  const current = timelineOf(to);
  const ends = history.split('\n').flatMap((line) => {
    const [, timeline, high, low] = /^(\d+)\t([0-9A-F]+)\/([0-9A-F]+)/.exec(line) ?? [];
    if (timeline === undefined) return [];
    const position = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
    return [{ timeline: Number.parseInt(timeline, 10), end: position / segmentBytes }];
  });
  ends.push({ timeline: current, end: numberOf(to) + 1n });
  const wanted: string[] = [];
  let number = numberOf(from);
  for (const { timeline, end } of ends) {
    if (timeline < timelineOf(from)) continue;
    if (timeline > timelineOf(from)) wanted.push(`${hex(timeline)}.history`);
    for (; number < end; number += 1n) wanted.push(segmentAt(timeline, number));
  }
  return wanted.filter((name) => !there.has(name));
}

/** How an archive is reached, and the primary whose log it must contain. */
export interface Archive {
  /** Runs pgBackRest with the cluster's configuration. */
  pgbackrest(...args: string[]): Promise<string>;
  sql<Row extends Record<string, unknown>>(text: string): Promise<Row[]>;
}

/**
 * Has the primary begin another segment, waits until the last one is archived, and returns what is missing before it.
 * Rejects when the archive cannot be listed.
 */
export async function checkArchive(archive: Archive, withinMs = 90_000): Promise<string[]> {
  // Something to close the segment for: where nothing was written since, the next one is named, which nothing fills.
  await archive.sql('select txid_current()');
  const [last] = await archive.sql<{ segment: string }>('select pg_walfile_name(pg_switch_wal()) as segment');
  const to = last?.segment ?? '';
  const [file] =
    timelineOf(to) === 1
      ? []
      : await archive.sql<{ history: string }>(
          `select pg_read_file('pg_wal/${to.slice(0, 8)}.history') as history`,
        );
  const [stanza] = JSON.parse(await archive.pgbackrest('info', '--output=json')) as {
    backup: { archive: { start: string } }[];
  }[];
  const from = stanza?.backup[0]?.archive.start;
  if (from === undefined) return ['a backup'];
  let missing: string[] | undefined;
  let failure: unknown;
  const isWhole = async () => {
    const list = await archived(archive).catch((error: unknown) => {
      failure = error;
      throw error;
    });
    missing = missingFrom(list, { from, to, history: file?.history ?? '' });
    return missing.length === 0;
  };
  await until('the archive is whole', isWhole, withinMs).catch(() => {});
  if (!missing) throw failure;
  return missing;
}

/** The names of all that was archived, without their checksums. What a push that was killed left behind ends with `.tmp`. */
async function archived(archive: Archive): Promise<string[]> {
  const list = await archive.pgbackrest('repo-ls', 'archive/karat', '--recurse');
  const files = list.split('\n').filter((path) => !path.endsWith('.tmp'));
  return files.map((path) => path.replace(/^.*\//, '').replace(/-[0-9a-f]{40}.*$/, ''));
}
