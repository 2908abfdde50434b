import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newStateDir, refusal, refused, refusedBeforeStart } from './harness.js';

function folderWith(files: Record<string, string>): string {
  const stateDir = newStateDir();
  mkdirSync(stateDir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(stateDir, name), text);
  return stateDir;
}

const free = ['--port', '0', '--rpc-port', '0'];

test('folders that are not a sandbox of this version are left alone', async () => {
  const foreign = folderWith({ 'thesis.txt': 'mine' });
  const newer = folderWith({ 'state.json': '{"karat_sandbox":2}' });
  const file = join(folderWith({ plain: '' }), 'plain');
  const other = folderWith({ 'state.json': '{"name":"something else"}', 'state.json.bak': '{}' });
  expect(
    await Promise.all([
      refusedBeforeStart(foreign, free),
      refusedBeforeStart(foreign, [...free, '--reset']),
      refusedBeforeStart(newer, free),
      refusedBeforeStart(file, free),
      refusedBeforeStart(other, [...free, '--reset']),
    ]),
  ).toEqual([
    refused(`${foreign} is not empty and not a sandbox's folder; use another --state-dir`),
    refused(`${foreign} is not a sandbox's folder, so --reset leaves it alone; use another --state-dir`),
    refused(`${newer} was written by a newer Karat (layout 2, this one knows 1); update Karat,`),
    refused(`${file} is not a folder; use another --state-dir`),
    refused(`${other} is not a sandbox's folder, so --reset leaves it alone`),
  ]);
  expect(readdirSync(foreign)).toEqual(['thesis.txt']);
  expect(readFileSync(join(newer, 'state.json'), 'utf8')).toBe('{"karat_sandbox":2}');
});

test('bad settings and servers are refused before anything is made', async () => {
  const stateDir = newStateDir();
  expect(
    await Promise.all([
      refusedBeforeStart(stateDir, ['--host', '203.0.113.7', '--port', '18080']),
      refusedBeforeStart(stateDir, free, { KARAT_STATEDIR: '/tmp/x' }),
      refusedBeforeStart(newStateDir(), [...free, '--database-url', 'postgres://127.0.0.1:1/karat']),
      refusedBeforeStart(newStateDir(), [...free, '--rpc-url', 'http://127.0.0.1:1']),
    ]),
  ).toEqual([
    refused('203.0.113.7 is not an address of this machine; choose another with --host'),
    refused('unknown setting KARAT_STATEDIR'),
    refused('PostgreSQL at --database-url cannot be reached or refuses the login'),
    refused('No Solana node responds at --rpc-url'),
  ]);
  expect(existsSync(stateDir) ? readdirSync(stateDir) : []).toEqual([]);
});

test('the command reports a refusal in one line and exits with 1', { timeout: 60_000 }, async () => {
  const foreign = folderWith({ 'thesis.txt': 'mine' });
  const runs = [refusal(foreign), refusal('/proc/x/y'), refusal(newStateDir(), ['--nonsense'])];
  expect(await Promise.all(runs)).toEqual([
    { code: 1, reason: expect.stringContaining(`${foreign} is not empty and not a sandbox's folder`) },
    { code: 1, reason: '/proc/x/y cannot be made there (ENOENT); use another --state-dir' },
    { code: 1, reason: expect.stringContaining("Unknown option '--nonsense'. See --help") },
  ]);
});
