import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Indexer, startIndexer } from '../../../src/indexer/index.js';
import { cosign } from '../../chain/signed-trade.js';
import { clientOf, expectStatus, type GivenPartner } from '../../harness.js';
import { type GivenUser, type Karat, startKarat } from '../../karat.js';
import { eventually, finalize } from '../../karat-chain.js';
import { seedDenominations, tola } from '../../redeeming.js';

/** The service pays for trades and redemptions that fail on chain: for how many of a partner within an hour. */
let t: Karat;
let indexer: Indexer;
const most = 3;

beforeAll(async () => {
  t = await startKarat({ config: { failedOperationsPerHour: most } });
  await seedDenominations(t.service);
  indexer = startIndexer(t.service.ctx, { pollMs: 50, idlePollMs: 100, finalAfterMs: 0, electionMs: 100 });
});
afterAll(async () => {
  await indexer.stop();
  await t.stop();
});

type Party = { partner: GivenPartner; user: GivenUser };

const bodies = { buy: { usdc_amount: 100 }, sell: { gold_amount: 0.1 } };
const clientFor = ({ partner }: Party) => clientOf(t.service.app, { 'x-api-key': partner.apiKey });
const quote = (party: Party, side: 'buy' | 'sell' = 'buy', body: object = {}) =>
  clientFor(party).post(`/v1/${side}`, { service_user_id: party.user.id, ...bodies[side], ...body });

const quoteRedemption = (party: Party) =>
  clientFor(party).post('/v1/redemptions', {
    service_user_id: party.user.id,
    denomination_id: tola.id,
    city: tola.city,
  });

async function givenParty(): Promise<Party> {
  const partner = await t.service.givenPartner();
  await t.chain.addPartner({ partnerId: partner.partnerId, wallet: partner.wallet.address });
  const party = { partner, user: await t.given.user(partner) };
  await eventually(async () => expectStatus(await quote(party), 200), 10_000);
  return party;
}

/** Sends a quote that cannot be carried out straight to the node, and returns the lamports that it cost. */
async function fail(party: Party, side: 'buy' | 'sell' = 'buy'): Promise<number> {
  const { fee, isRecorded } = await failOnChain(party, side);
  await isRecorded();
  return fee;
}

/** The same without the wait for its record. */
async function failOnChain(party: Party, side: 'buy' | 'sell') {
  const floor = side === 'buy' ? { min_gold_out: 1 } : { min_usdc_out: 9_999 };
  const { body } = expectStatus(await quote(party, side, floor), 200);
  const transaction = Buffer.from(body.partially_signed_transaction, 'base64');
  const signed = cosign(transaction, [party.partner.wallet, party.user.wallet]);
  const { meta } = await t.chain.landed(await t.chain.sendStraight(signed));
  expect(meta.err).not.toBeNull();
  await finalize(t.chain, t.service.ctx);
  const isRecorded = () =>
    eventually(async () => {
      const record = await clientFor(party).get(`/v1/trades/${body.trade_id}`);
      expect(record.body).toMatchObject({ status: 'failed' });
    }, 10_000);
  return { fee: meta.fee, isRecorded };
}

test('a partner whose trades fail too often gets no quotes until the hour is over', async () => {
  const [failing, other] = [await givenParty(), await givenParty()];
  const lamports = async () => t.chain.node.getAccount(t.chain.service.address)?.lamports ?? 0n;
  const before = await lamports();
  let paid = 0;
  for (const side of ['buy', 'sell', 'buy'] as const) paid += await fail(failing, side);
  // The service paid for each.
  expect(paid).toBe(most * 25_000);
  expect(before - (await lamports())).toBe(BigInt(paid));

  const refused = (response: { status: number; headers: Record<string, unknown>; body: unknown }) => {
    expect(response).toMatchObject({
      status: 429,
      body: {
        error: 'rate_limited',
        message: expect.stringMatching(
          /^3 trades and redemptions of this partner failed on chain within an hour\. Quotes resume at \d{4}-.*Z\.$/,
        ),
      },
    });
    const seconds = Number(response.headers['retry-after']);
    expect(seconds).toBeGreaterThan(3_400);
    expect(seconds).toBeLessThanOrEqual(3_600);
  };
  for (const side of ['buy', 'sell'] as const)
    await eventually(async () => refused(await quote(failing, side)), 10_000);
  refused(await quoteRedemption(failing));
  expectStatus(await quoteRedemption(other), 201);
  expectStatus(await quote(other), 200);
  expectStatus(await quote(other, 'sell'), 200);
  expect(await t.service.ctx.metrics.text()).toContain('\nkarat_partners_without_quotes 1\n');
  const line = t.service.logLines.find((each) => each.includes('gets no quotes'));
  expect(line).toContain(failing.partner.partnerId);

  // Fewer than that stay without consequences, and so do those of an hour ago.
  t.chain.node.warp({ seconds: 3_600 });
  await eventually(async () => expectStatus(await quote(failing), 200), 20_000);
  for (let failed = 1; failed < most; failed += 1) await fail(failing);
  const { failedOperations } = t.service.ctx;
  await failedOperations.refresh();
  expectStatus(await quote(failing), 200);
});

test('redemptions that fail count as well', async () => {
  const party = await givenParty();
  const { address } = party.user.wallet;
  const { body } = expectStatus(await quoteRedemption(party), 201);
  await t.chain.node.setTokenBalance(address, t.chain.goldMint, 1n);
  const transaction = Buffer.from(body.partially_signed_transaction, 'base64');
  const landed = await t.chain.landed(await t.chain.sendStraight(cosign(transaction, [party.user.wallet])));
  expect(landed.meta.err).not.toBeNull();
  await finalize(t.chain, t.service.ctx);
  await eventually(async () => {
    const record = await clientFor(party).get(`/v1/redemptions/${body.redemption_id}`);
    expect(record.body).toMatchObject({ status: 'failed' });
  }, 10_000);
  for (let failed = 1; failed < most; failed += 1) {
    expectStatus(await quote(party), 200);
    await fail(party);
  }
  await eventually(async () => expectStatus(await quote(party), 429), 10_000);
});

test('failures of several hours do not count as one hour’s because they are recorded late', async () => {
  const party = await givenParty();
  await indexer.stop();
  const first = [await failOnChain(party, 'buy'), await failOnChain(party, 'buy')];
  t.chain.node.warp({ seconds: 3_700 });
  await eventually(async () => expectStatus(await quote(party), 200), 20_000);
  const last = await failOnChain(party, 'sell');
  indexer = startIndexer(t.service.ctx, { pollMs: 50, idlePollMs: 100, finalAfterMs: 0, electionMs: 100 });
  for (const { isRecorded } of [...first, last]) await isRecorded();
  await t.service.ctx.failedOperations.refresh();
  expectStatus(await quote(party), 200);
});
