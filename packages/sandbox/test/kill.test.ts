import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { processExists } from '../src/lock.js';
import { killAtEnd, newStateDir, type Run, readInfo, rpc, startSandbox } from './harness.js';
import { openPartner } from './partner.js';

async function kill9(run: Run): Promise<void> {
  run.child.kill('SIGKILL');
  expect(await run.exit).toBe('SIGKILL');
}

function postmaster(stateDir: string): number {
  return Number.parseInt(readFileSync(join(stateDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}

test('kill -9 loses nothing that was answered, and the next start works', { timeout: 120_000 }, async () => {
  const stateDir = newStateDir();
  const first = killAtEnd(startSandbox(stateDir));
  await first.printed('Karat is ready');
  const partner = await openPartner(stateDir);
  const [user] = partner.info.users;
  if (!user) throw new Error('no user');
  const apiKey = await partner.mintKey();
  const { tradeId, signedTx } = await partner.signedBuy(apiKey, user);
  const created = await partner.api(apiKey).post<{ service_user_id: string }>('/v1/users', {
    user_id: 'late',
    wallet_address: partner.info.chain.gold_mint,
    kyc: {
      country: 'AE',
      full_name: 'Late User',
      kyc_provider: 'test',
      kyc_level: 'full',
      kyc_verified_at: '2026-01-15T09:30:00Z',
    },
  });
  const submitted = await partner
    .api(apiKey)
    .post<{ tx_hash: string }>(`/v1/buy/${tradeId}/submit`, { signed_tx: signedTx });
  await kill9(first);

  const orphan = postmaster(stateDir);
  expect(processExists(orphan)).toBe(true);
  expect(existsSync(join(stateDir, 'sandbox.lock'))).toBe(true);
  const second = killAtEnd(startSandbox(stateDir));
  await second.printed('Karat is ready');
  expect(processExists(orphan)).toBe(false);

  const api = (await openPartner(stateDir)).api(apiKey);
  expect(await api.get(`/v1/users/${created.service_user_id}`)).toMatchObject({ user_id: 'late' });
  const trade = await vi.waitFor(() => api.get(`/v1/trades/${tradeId}`), { timeout: 10_000 });
  expect(trade).toMatchObject({
    status: 'confirmed',
    usdc_amount: 250,
    submitted_tx_hash: submitted.tx_hash,
  });
  second.child.kill('SIGTERM');
  expect(await second.exit).toBe(0);
});

test('a first start that is killed at any point is finished by the next one', {
  timeout: 120_000,
}, async () => {
  const stateDir = newStateDir();
  const state = killAtEnd(startSandbox(stateDir));
  await vi.waitFor(() => expect(existsSync(join(stateDir, 'postgres.new'))).toBe(true), {
    timeout: 20_000,
    interval: 5,
  });
  await kill9(state);
  for (const part of ['chain', 'database', 'service']) {
    const run = killAtEnd(startSandbox(stateDir));
    await vi.waitFor(() => expect(run.output()).toContain(`\n  ${part}`), { timeout: 20_000, interval: 5 });
    await kill9(run);
  }
  const last = killAtEnd(startSandbox(stateDir));
  await last.printed('Karat is ready');
  const { chain, rpc_url, users } = readInfo(stateDir);
  const balances = await Promise.all(
    [chain.treasury_usdc_account, chain.treasury_gold_account].map((account) =>
      rpc<{ value: { amount: string } }>(rpc_url, 'getTokenAccountBalance', account),
    ),
  );
  expect(balances.map((balance) => balance.value.amount)).toEqual(['100000000000000', '100000000000']);
  expect(new Set(users.map((user) => user.service_user_id)).size).toBe(4);
  const partner = await openPartner(stateDir);
  const [user] = partner.info.users;
  if (!user) throw new Error('no user');
  await expect(partner.signedBuy(await partner.mintKey(), user)).resolves.toBeDefined();
  last.child.kill('SIGTERM');
  expect(await last.exit).toBe(0);
});
