import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

const good = `
import { describe, test } from 'vitest';

describe('collect', () => {
  test('exactly one of 20 concurrent requests succeeds', () => {});
  test.each(['a'])('a dead letter is returned at most GOLD times, as soon as %s', () => {});
  test(\`settleRedemption pays \${amount}\`, () => Promise.allSettled(maxBytes, deadLetters));
});
`;

const bad = `
test('of 20 people who press at once one wins', () => {});
describe.each(['a'])('Is ended by %s', () => {
  test.each([1])(\`the answer \${count} is told\`, () => {});
});
it("a letter is settled by whoever asks", () => mostBytes(closeQuietly, isThere));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'karat-words-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Checks a file of that text. Returns the exit code and what is printed, with the path as `file`. */
function check(text: string): Promise<{ code: number; faults: string[] }> {
  const path = join(folder, 'fixture.ts');
  writeFileSync(path, text);
  const args = ['scripts/check-words.mjs', '--identifiers', path];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: repository }, (error, stdout) => {
      const faults = stdout.split('\n').filter((line) => line !== '');
      resolve({ code: Number(error?.code ?? 0), faults: faults.map((line) => line.replace(path, 'file')) });
    });
  });
}

test('check:words accepts titles with a subject and the words of the documentation', async () => {
  expect(await check(good)).toEqual({ code: 0, faults: [] });
});

test('check:words refuses titles that begin in the middle of a sentence, and refused words', async () => {
  const { code, faults } = await check(bad);
  expect(code).toBe(1);
  expect(faults).toEqual([
    'file:2: "of 20 people who press at once one wins": begins with "of": name the subject',
    'file:3: "Is ended by %s": begins with "Is": name the subject',
    `file:4: "the answer \${count} is told": "answer": use response`,
    `file:4: "the answer \${count} is told": "told": use report or return`,
    'file:6: "a letter is settled by whoever asks": "asks": use request or query',
    'file:6: "a letter is settled by whoever asks": "letter": use dead letter, or character',
    'file:6: "a letter is settled by whoever asks": "settled": use finalize, complete or record, but for escrow',
    'file:6: "a letter is settled by whoever asks": "whoever": use the subject',
    'file:6: mostBytes: "most B": use max',
    'file:6: closeQuietly: "Quietly": use what happens to the error',
    'file:6: isThere: "is There": use what it is',
  ]);
});
