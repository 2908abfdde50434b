import { IntegratorStatus } from '@karat/program-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectStatus, newWallet } from '../../harness.js';
import { type Karat, startKarat, type Treasury } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { paths } from '../../ordering.js';

let t: Karat;
let treasury: Treasury;
beforeAll(async () => {
  t = await startKarat();
  treasury = await t.given.treasury();
});
afterAll(() => t.stop());

test('a partner reads its suspension where the chain alone has it', async () => {
  const { executive, update, withdrawal, integrator, partnerId } = treasury;
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
