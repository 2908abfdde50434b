import { findConfigPda } from '@karat/program-client';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uuidOf } from '../../../src/domain/ids.js';
import { expectStatus, harness, newWallet } from '../../harness.js';
import { type Karat, startKarat } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { seedDenominations, tola } from '../../redeeming.js';

let t: Karat;
beforeAll(async () => {
  t = await startKarat();
  await seedDenominations(t.service);
});
afterAll(() => t.stop());

const kyc = {
  country: 'PK',
  full_name: 'Sana Malik',
  kyc_provider: 'sumsub',
  kyc_level: 'full',
  kyc_verified_at: '2026-01-15T09:30:00Z',
};
const create = (wallet: string, client = t.partner.client) =>
  client.post('/v1/users', { user_id: `user-${wallet}`, wallet_address: wallet, kyc });
const refusal = {
  status: 400,
  body: {
    error: 'invalid_wallet',
    field: 'wallet_address',
    message: 'wallet_address is a key of the service, which cannot be a user.',
  },
};
const notOnCurve = {
  status: 400,
  body: {
    error: 'invalid_wallet',
    message: expect.stringMatching(/^wallet_address is not a valid public key: /),
  },
};

describe('wallets that no user can have', () => {
  test.each<[string, () => string | Promise<string>, object]>([
    ['the key of the service', () => t.chain.service.address, refusal],
    ['the key of an admin', () => t.chain.admin.address, refusal],
    ['an empty place among the keys', () => '11111111111111111111111111111111', refusal],
    ['the program', () => t.chain.config.programId, refusal],
    ['the mint of GOLD', () => t.chain.goldMint, refusal],
    ['the mint of USDC', () => t.chain.usdcMint, refusal],
    ['the price account', () => t.chain.settings.priceAccount, notOnCurve],
    ['the treasury', () => t.chain.addresses.treasuryAuthority, notOnCurve],
    ['the escrow', () => t.chain.addresses.escrowAuthority, notOnCurve],
    ["a partner's account of the program, which is its vault", () => t.integrator, notOnCurve],
    ['the configuration', async () => (await findConfigPda(programOf(t)))[0], notOnCurve],
  ])('%s cannot be the wallet of a user', async (_, wallet, expected) => {
    expect(await create(await wallet())).toMatchObject(expected);
  });

  test('the key of the service cannot be the wallet of a user, even while the node is silent', async () => {
    const alone = await harness();
    const { address } = alone.ctx.chain.signer;
    expect(await create(address, alone.partner)).toMatchObject(refusal);
    expectStatus(await create(newWallet().address, alone.partner), 201);
    await alone.close();
  });
});

test('a user whose wallet became such a key gets no quote and writes nothing', async () => {
  const user = await t.service.givenUser(t.partner.partnerId, { wallet: t.chain.admin });
  await t.chain.node.setTokenBalance(user.wallet.address, t.chain.goldMint, 10_000_000n);
  const bodies = {
    '/v1/buy': { usdc_amount: 100 },
    '/v1/sell': { gold_amount: 0.1 },
    '/v1/redemptions': { denomination_id: tola.id, city: tola.city },
  };
  for (const [path, body] of Object.entries(bodies)) {
    const response = await t.partner.client.post(path, { service_user_id: user.id, ...body });
    expect(response).toMatchObject({
      status: 403,
      body: { error: 'user_suspended', message: 'The wallet of this user is a key of the service.' },
    });
    const other = { service_user_id: t.user.id, ...body };
    await eventually(async () => {
      expect((await t.partner.client.post(path, other)).status).toBeLessThan(300);
    }, 10_000);
  }
  const rows = await t.service.ctx.db.execute(
    sql`select id from redemptions where user_id = ${uuidOf(user.id)}`,
  );
  expect(rows).toHaveLength(0);
});

function programOf({ service }: Karat) {
  return { programAddress: service.ctx.chain.programAddress };
}
