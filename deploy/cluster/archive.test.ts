import { describe, expect, test } from 'vitest';
import { checkArchive, missingFrom } from './archive.js';

/** How the game day finds gaps in an archive of write-ahead log. */

const first = '000000010000000000000003';
const history = '1\t0/5000A28\tno recovery target specified\n2\t0/70000A0\tno recovery target specified\n';
const whole = [
  first,
  '000000010000000000000004',
  '00000002.history',
  '000000020000000000000005',
  '000000020000000000000006',
  '00000003.history',
  '000000030000000000000007',
  '000000030000000000000008',
];
const wanted = { from: first, to: '000000030000000000000008', history };

describe('the archive', () => {
  test('an archive over three timelines lacks nothing, whatever else lies there', () => {
    const partial = ['000000010000000000000005.partial', '000000010000000000000003.00000028.backup'];
    expect(missingFrom([...whole, ...partial], wanted)).toEqual([]);
  });

  test.each(whole)('an archive without %s has that gap', (name) => {
    expect(
      missingFrom(
        whole.filter((each) => each !== name),
        wanted,
      ),
    ).toEqual([name]);
  });

  test('a backup that was made on the current timeline needs nothing of those before it', () => {
    expect(missingFrom(whole.slice(6), { ...wanted, from: '000000030000000000000007' })).toEqual([]);
  });

  test('a segment is counted on past the end of a log of 256', () => {
    const needed = { from: '0000000100000002000000FE', to: '000000010000000300000001', history: '' };
    expect(missingFrom([], needed)).toEqual([
      '0000000100000002000000FE',
      '0000000100000002000000FF',
      '000000010000000300000000',
      '000000010000000300000001',
    ]);
  });

  test('an archive that cannot be listed is not taken for whole', async () => {
    const broken = {
      pgbackrest: async (command: string) => {
        if (command === 'info') return JSON.stringify([{ backup: [{ archive: { start: first } }] }]);
        throw new Error('the repository does not respond');
      },
      sql: async <Row>() => [{ segment: first }] as Row[],
    };
    await expect(checkArchive(broken, 400)).rejects.toThrow('the repository does not respond');
  });

  test('the check reaches the archive as an object with state of its own', async () => {
    class OneSegment {
      readonly #listed = [`karat/15-1/${first.slice(0, 16)}/${first}-${'0'.repeat(40)}.zst`];
      readonly #info = JSON.stringify([{ backup: [{ archive: { start: first } }] }]);
      async pgbackrest(command?: string) {
        return command === 'info' ? this.#info : this.#listed.join('\n');
      }
      async sql<Row>() {
        return [{ segment: first }] as Row[];
      }
    }
    expect(await checkArchive(new OneSegment(), 400)).toEqual([]);
  });

  test('the check of an archive reports a segment that never arrives, and does not hang', async () => {
    const listed = whole
      .slice(0, -1)
      .map((name) => `karat/15-1/${name.slice(0, 16)}/${name}-${'0'.repeat(40)}.zst`);
    listed.push(`karat/15-1/${wanted.to.slice(0, 16)}/${wanted.to}-${'0'.repeat(40)}.zst.pgbackrest.tmp`);
    const missing = await checkArchive(
      {
        pgbackrest: async (command) =>
          command === 'info'
            ? JSON.stringify([{ backup: [{ archive: { start: first } }] }])
            : listed.join('\n'),
        sql: async <Row>(text: string) =>
          [{ segment: wanted.to, history: text.includes('pg_read_file') ? history : '' }] as Row[],
      },
      400,
    );
    expect(missing).toEqual([wanted.to]);
  });
});
