import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { statementFormat } from '../../service/src/domain/reserves/statement.js';
import { StatementPolicy } from '../src/statement-policy.js';

const statement = Buffer.from(JSON.stringify({ assertion: 'covered', format: statementFormat }));

test('the key of the reserves signs statements, and nothing else', () => {
  const policy = new StatementPolicy(undefined);
  expect(() => policy.admit(statement)).not.toThrow();
  for (const other of [
    Buffer.of(1, 0, 0, 1),
    Buffer.from('null'),
    Buffer.from('{"format":"other"}'),
    Buffer.from('Sign this message to generate an API key for Karat: ch_1'),
  ]) {
    expect(() => policy.admit(other)).toThrow('The signing policy refuses this transaction (malformed).');
  }
});

test('the kill switch stops the key of the reserves, too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'karat-statement-'));
  const killFile = join(folder, 'stop');
  const policy = new StatementPolicy(killFile);
  policy.admit(statement);
  writeFileSync(killFile, '');
  expect(() => policy.admit(statement)).toThrow('(kill_switch)');
  rmSync(folder, { recursive: true });
});
