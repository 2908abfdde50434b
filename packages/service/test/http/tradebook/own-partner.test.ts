import { IntegratorStatus } from '@karat/program-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWallet } from '../../harness.js';
import { eventually } from '../../karat-chain.js';
import { type Ordering, paths, startOrdering } from '../../ordering.js';
import { expectStatus } from '../../trading.js';

let t: Ordering;
beforeAll(async () => {
  t = await startOrdering();
});
afterAll(() => t.stop());

test('a partner reads its suspension where the chain alone has it', async () => {
  const { executive, update, withdrawal, integrator, partnerId } = t.partner;
  const terms = {
    partnerId,
    wallet: newWallet().address,
    updateAuthority: update.wallet.address,
    withdrawalAuthority: withdrawal.wallet.address,
  };
  const status = async () =>
    expectStatus(await executive.get('/api/distribution/partner/me'), 200).body.data.status;
  expect(await status()).toBe('active');
  await t.chain.changePartner(integrator, terms, IntegratorStatus.Suspended);
  await eventually(async () => expect(await status()).toBe('suspended'), 10_000);
  expect(await executive.post(paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 })).toMatchObject({
    status: 403,
    body: { error: { code: 'partner_suspended' } },
  });
  await t.chain.changePartner(integrator, terms, IntegratorStatus.Active);
  await eventually(async () => expect(await status()).toBe('active'), 10_000);
});
