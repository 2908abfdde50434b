import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startDatabase } from '../src/postgres.js';
import { killAtEnd, newStateDir, startSandbox } from './harness.js';

test('a start at once after one that was killed is not disturbed by the initdb that it left', {
  timeout: 240_000,
}, async () => {
  for (const waitMs of [0, 200]) {
    const stateDir = newStateDir();
    const drafts = () =>
      existsSync(stateDir) ? readdirSync(stateDir).filter((name) => name.startsWith('postgres.new')) : [];
    const killed = killAtEnd(startSandbox(stateDir));
    await vi.waitFor(() => expect(drafts()).toHaveLength(1), { timeout: 60_000, interval: 5 });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    killed.child.kill('SIGKILL');
    await killed.exit;
    const options = { dataDir: join(stateDir, 'postgres'), logFile: join(stateDir, 'postgres.log') };
    await (await startDatabase({ ...options, password: 'secret' })).stop();
    await (await startDatabase({ ...options, password: 'secret' })).stop();
    expect(drafts()).toEqual([]);
  }
});
