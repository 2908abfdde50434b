import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processExists } from '@karat/localnet/lock';
import { afterAll, expect, test, vi } from 'vitest';
import { endOf, makeStateDir, type Run, readInfo, rpc, startSandbox } from './harness.js';
import { openPartner } from './partner.js';

/**
 * What happens to a sandbox that is never stopped as it should be. Starting one is what costs here, so the tests share
 * its folder, in the order in which they stand.
 */
const ready = 'Karat is ready';
const patience = { timeout: 300_000 };
const { stateDir, remove } = makeStateDir();
const started: Run[] = [];
let running: Run;

function start(): Run {
  const run = startSandbox(stateDir);
  started.push(run);
  return run;
}

afterAll(async () => {
  await Promise.all(started.map(endOf));
  remove();
});

async function kill9(run: Run): Promise<void> {
  run.child.kill('SIGKILL');
  expect(await run.exit).toBe('SIGKILL');
}

async function killAt(look: (run: Run) => boolean): Promise<void> {
  const run = start();
  await vi.waitFor(() => expect(look(run)).toBe(true), { timeout: 200_000, interval: 5 });
  await kill9(run);
}

const found = () => (existsSync(stateDir) ? readdirSync(stateDir) : []);
/** Where a database is being made. */
const drafts = () => found().filter((name) => name.startsWith('postgres.new'));
/** Whether the first start is at its database; on a busy machine the test may look only when it is made. */
const initialises = () => drafts().length > 0 || found().includes('postgres');

/** Whether a part has come up. */
const has = (part: string) => (run: Run) => run.output().includes(`\n  ${part}`);

test('Ctrl-C while the database is made does not wait until it is', patience, async () => {
  const early = start();
  // initdb is stopped where it stands: a sandbox that waited until it is done would wait for ever.
  const stopInitdb = () => spawnSync('pkill', ['-STOP', '-f', '--', `--pgdata=${stateDir}/`]).status === 0;
  let stopped = false;
  const seen = () => {
    stopped = stopInitdb();
    return stopped || found().includes('postgres');
  };
  await vi.waitFor(() => expect(seen()).toBe(true), { timeout: 200_000, interval: 5 });
  early.child.kill('SIGINT');
  expect(await early.exit).toBe(0);
  expect(drafts()).toEqual([]);
  // On a busy machine it may be done before it is seen.
  if (stopped) expect(found()).not.toContain('postgres');
});

test('Ctrl-C while it is still starting stops it as well, exit 0', patience, async () => {
  // On a folder that an earlier start has left in a mess.
  await killAt(initialises);
  const early = start();
  await vi.waitFor(() => expect(has('chain')(early)).toBe(true), { timeout: 200_000, interval: 5 });
  early.child.kill('SIGINT');
  expect(await early.exit).toBe(0);
  expect(early.output()).not.toContain(ready);
  expect(readdirSync(stateDir)).not.toContain('sandbox.lock');
  expect(existsSync(join(stateDir, 'postgres/postmaster.pid'))).toBe(false);
});

test('a first start that is killed at any point is finished by the next one', patience, async () => {
  await killAt(has('database'));
  running = start();
  await running.printed(ready);
  const { chain, rpc_url, users } = readInfo(stateDir);
  const balances = await Promise.all(
    [chain.treasury_usdc_account, chain.treasury_gold_account].map((account) =>
      rpc<{ value: { amount: string } }>(rpc_url, 'getTokenAccountBalance', account, {
        commitment: 'confirmed',
      }),
    ),
  );
  expect(balances.map((balance) => balance.value.amount)).toEqual(['100000000000000', '100000000000']);
  expect(new Set(users.map((user) => user.service_user_id)).size).toBe(4);
});

function postmaster(): number {
  return Number.parseInt(readFileSync(join(stateDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}

test('kill -9 loses no acknowledged step, and one of two next starts works', patience, async () => {
  const partner = await openPartner(stateDir);
  const [user] = partner.info.users;
  if (!user) throw new Error('no user');
  const apiKey = await partner.mintKey();
  const { tradeId, signedTx } = await partner.signedBuy(apiKey, user);
  const created = await partner.karat(apiKey).users.create({
    user_id: 'late',
    wallet_address: await partner.spareWallet(),
    kyc: {
      country: 'AE',
      full_name: 'Late User',
      kyc_provider: 'test',
      kyc_level: 'full',
      kyc_verified_at: '2026-01-15T09:30:00Z',
    },
  });
  const submitted = await partner.karat(apiKey).buys.submit(tradeId, signedTx);
  await kill9(running);

  const orphan = postmaster();
  expect(processExists(orphan)).toBe(true);
  expect(readdirSync(stateDir)).toContain('sandbox.lock');
  const twins = [start(), start()];
  // Of two that start at once on one folder, exactly one gets it.
  const loser = await Promise.race(twins.map((twin) => twin.exit.then(() => twin)));
  const winner = twins.find((twin) => twin !== loser);
  if (!winner) throw new Error('no winner');
  expect([await loser.exit, loser.output()]).toEqual([
    1,
    expect.stringContaining(`A sandbox is already running on ${stateDir} (process ${winner.child.pid})`),
  ]);
  await winner.printed(ready);
  running = winner;
  expect(processExists(orphan)).toBe(false);

  const karat = (await openPartner(stateDir)).karat(apiKey);
  expect(await karat.users.get(created.service_user_id)).toMatchObject({ user_id: 'late' });
  const { record: trade } = await karat.operations.outcome(tradeId);
  expect(trade).toMatchObject({
    status: 'confirmed',
    usdc_amount: 250,
    submitted_tx_hash: submitted.tx_hash,
  });
});

test('a folder that was replaced under it is left alone at the stop', patience, async () => {
  renameSync(stateDir, `${stateDir}-moved`);
  mkdirSync(stateDir);
  const theirs = ['sandbox.json', 'sandbox.lock'];
  for (const name of theirs) writeFileSync(join(stateDir, name), '{"of":"another"}');
  running.child.kill('SIGTERM');
  expect(await running.exit).toBe(0);
  expect(running.output()).toContain('The chain did not stop cleanly: the state folder was deleted');
  expect(readdirSync(stateDir)).toEqual(theirs);
  for (const name of theirs) expect(readFileSync(join(stateDir, name), 'utf8')).toBe('{"of":"another"}');
});
