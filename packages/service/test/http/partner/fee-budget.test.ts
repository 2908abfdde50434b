import { afterAll, beforeAll, expect, test } from 'vitest';
import { goldOf, tokenAccountOf } from '../../../src/chain/program/token-accounts.js';
import type { Uuid } from '../../../src/domain/ids.js';
import { type Indexer, startIndexer } from '../../../src/indexer/index.js';
import { cosign } from '../../chain/signed-trade.js';
import { clientOf, expectStatus, type GivenPartner } from '../../harness.js';
import { type GivenUser, type Karat, startKarat } from '../../karat.js';
import { eventually, finalize } from '../../karat-chain.js';
import { type Operators, send, startOperators } from '../../operators.js';
import { seedDenominations, tola } from '../../redeeming.js';

/** What the service pays to the network for what lands of a partner, and what partners pay for their users' token accounts. */
let t: Karat;
let indexer: Indexer;
let operators: Operators;
const tuning = { pollMs: 50, idlePollMs: 1_000, finalAfterMs: 0, electionMs: 1_000 };
/** Lamports: 5,000 for each of three signatures, and the price of the compute units. */
const costOfTrade = 25_000;

beforeAll(async () => {
  t = await startKarat({ config: { approvals: 1 } });
  await seedDenominations(t.service);
  operators = await startOperators(t.service);
  indexer = startIndexer(t.service.ctx, tuning);
});
afterAll(async () => {
  await indexer.stop();
  await operators.close();
  await t.stop();
});

type Party = { partner: GivenPartner; user: GivenUser };
type Response = { status: number; headers: Record<string, unknown>; body: unknown };

const clientFor = ({ partner }: Party) => clientOf(t.service.app, { 'x-api-key': partner.apiKey });
const bodies = { buy: { usdc_amount: 0.01 }, sell: { gold_amount: 0.1 } };
const quote = ({ partner, user }: Party, side: 'buy' | 'sell' = 'buy', body: object = bodies[side]) =>
  clientFor({ partner, user }).post(`/v1/${side}`, { service_user_id: user.id, ...body });
const quoteRedemption = (party: Party) =>
  clientFor(party).post('/v1/redemptions', {
    service_user_id: party.user.id,
    denomination_id: tola.id,
    city: tola.city,
  });
const change = ({ partner }: Party, body: object) =>
  send(operators.by.admin.client, 'PATCH', `/partners/${partner.partnerId}`, body);
const lamportsOf = (address: string) => t.chain.node.getAccount(address as never)?.lamports ?? 0n;

async function givenParty(gold?: bigint): Promise<Party> {
  const partner = await t.service.givenPartner();
  await t.chain.addPartner({ partnerId: partner.partnerId, wallet: partner.wallet.address });
  const party = { partner, user: await t.given.user(partner, gold) };
  await eventually(async () => expectStatus(await quote(party), 200), 10_000);
  return party;
}

/** What counts of a partner in this hour, lamports. */
async function spent(partnerId: Uuid): Promise<number> {
  const rows = await t.service.ctx.sql`select lamports from fee_spending where partner_id = ${partnerId}`;
  return rows.reduce((sum, { lamports }) => sum + Number(lamports), 0);
}

/** Sends a quote straight to the node, and waits for its record. */
async function trade(party: Party, side: 'buy' | 'sell' = 'buy', body: object = {}) {
  const sent = await sendStraight(party, side, body);
  await sent.isRecorded();
  return sent;
}

async function sendStraight(party: Party, side: 'buy' | 'sell', extra: object) {
  const { body } = expectStatus(await quote(party, side, { ...bodies[side], ...extra }), 200);
  const transaction = Buffer.from(body.partially_signed_transaction, 'base64');
  const signed = cosign(transaction, [party.partner.wallet, party.user.wallet]);
  const { meta } = await t.chain.landed(await t.chain.sendStraight(signed));
  if (meta.err) await finalize(t.chain, t.service.ctx);
  const isRecorded = () =>
    eventually(
      async () => expectStatus(await clientFor(party).get(`/v1/trades/${body.trade_id}`), 200),
      10_000,
    );
  return { err: meta.err, fee: meta.fee, isRecorded };
}

const fails = { buy: { min_gold_out: 1 }, sell: { min_usdc_out: 9_999 } };

const refused = (response: Response, sol: string) => {
  expect(response).toMatchObject({
    status: 429,
    body: {
      error: 'rate_limited',
      reason: 'fee_budget_used',
      message: expect.stringContaining(
        `Within this hour the service has paid ${sol} SOL more to the network`,
      ),
    },
  });
  const seconds = Number(response.headers['retry-after']);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(3_600);
};

/** Goes on to the next hour where little of this one is left. */
async function earlyInTheHour(): Promise<void> {
  const leftMs = 3_600_000 - (t.chain.clock.now() % 3_600_000);
  if (leftMs < 15 * 60_000) t.chain.node.warp({ seconds: Math.ceil(leftMs / 1_000) });
  await t.ready();
}

test('trades of a cent, and trades that fail, get no quotes once they have cost the partner’s budget of an hour', async () => {
  await earlyInTheHour();
  const [cheap, other] = [await givenParty(10_000_000n), await givenParty()];
  expectStatus(await change(cheap, { fee_budget_lamports_per_hour: 4 * costOfTrade - 200 }), 200);
  const before = lamportsOf(t.chain.service.address);
  let paid = 0;
  for (const [side, extra] of [
    ['buy', {}],
    ['buy', fails.buy],
    ['sell', fails.sell],
  ] as const)
    paid += (await trade(cheap, side, extra)).fee;
  expect(paid).toBe(3 * costOfTrade);
  expect(before - lamportsOf(t.chain.service.address)).toBe(BigInt(paid));
  // The fee of a cent is 50 millionths of a dollar.
  expect(await spent(cheap.partner.partnerId)).toBe(paid - 50);
  await t.service.ctx.feeBudgets.refresh();
  expectStatus(await quote(cheap), 200);
  await trade(cheap);
  for (const side of ['buy', 'sell'] as const)
    await eventually(async () => refused(await quote(cheap, side), '0.0000998'), 10_000);
  refused(await quoteRedemption(cheap), '0.0000998');
  expectStatus(await quoteRedemption(other), 201);
  for (const side of ['buy', 'sell'] as const) expectStatus(await quote(other, side), 200);
  expect(await t.service.ctx.metrics.text()).toContain('\nkarat_partners_without_quotes 1\n');
  const line = t.service.logLines.find((each) => each.includes('gets no quotes'));
  expect(line).toContain(cheap.partner.partnerId);
  // A larger budget, or another hour.
  expectStatus(await change(cheap, { fee_budget_lamports_per_hour: 1_000_000 }), 200);
  await t.service.ctx.feeBudgets.refresh();
  expectStatus(await quote(cheap), 200);
  expectStatus(await change(cheap, { fee_budget_lamports_per_hour: 1 }), 200);
  await t.service.ctx.feeBudgets.refresh();
  refused(await quote(cheap), '0.000000001');
  t.chain.node.warp({ seconds: 3_600 });
  await eventually(async () => expectStatus(await quote(cheap), 200), 20_000);
});

test('trades that bring more than they cost leave the budget whole', async () => {
  await earlyInTheHour();
  const party = await givenParty();
  expectStatus(await change(party, { fee_budget_lamports_per_hour: 1 }), 200);
  for (let trades = 0; trades < 2; trades += 1) await trade(party, 'buy', { usdc_amount: 100 });
  expect(await spent(party.partner.partnerId)).toBe(2 * (costOfTrade - 500_000));
  await t.service.ctx.feeBudgets.refresh();
  expectStatus(await quote(party), 200);
});

test('a redemption counts with the rent that the service pays for it', async () => {
  await earlyInTheHour();
  const party = await givenParty(1_000_000n);
  const { body } = expectStatus(await quoteRedemption(party), 201);
  const before = lamportsOf(t.chain.service.address);
  const transaction = Buffer.from(body.partially_signed_transaction, 'base64');
  const landed = await t.chain.landed(await t.chain.sendStraight(cosign(transaction, [party.user.wallet])));
  expect(landed.meta.err).toBeNull();
  const paid = Number(before - lamportsOf(t.chain.service.address));
  expect(paid).toBeGreaterThan(1_000_000);
  await eventually(async () => expect(await spent(party.partner.partnerId)).toBe(paid), 10_000);
});

test('what landed in an hour that is over does not count because it is recorded late', async () => {
  await earlyInTheHour();
  const party = await givenParty();
  await indexer.stop();
  const first = [await sendStraight(party, 'buy', fails.buy), await sendStraight(party, 'buy', fails.buy)];
  t.chain.node.warp({ seconds: 3_700 });
  await eventually(async () => expectStatus(await quote(party), 200), 20_000);
  const last = await sendStraight(party, 'buy', fails.buy);
  indexer = startIndexer(t.service.ctx, tuning);
  for (const { isRecorded } of [...first, last]) await isRecorded();
  expect(await spent(party.partner.partnerId)).toBe(costOfTrade);
});

test('a trade below the partner’s smallest is refused, and by default none is', async () => {
  const party = await givenParty(10_000_000n);
  const me = async () => expectStatus(await clientFor(party).get('/v1/me'), 200).body.limits.min_trade_usdc;
  expect(await me()).toBeNull();
  expect(expectStatus(await change(party, { min_trade_usdc: 5 }), 200).body).toMatchObject({
    min_trade_usdc: 5,
  });
  expect(await me()).toBe(5);
  const refusal = (field: string, message: string) => ({
    status: 400,
    body: { error: 'invalid_request', field, message },
  });
  expect(await quote(party, 'buy', { usdc_amount: 4.999999 })).toMatchObject(
    refusal('usdc_amount', 'usdc_amount must be at least 5.'),
  );
  expect(await quote(party, 'sell', { gold_amount: 0.001 })).toMatchObject(
    refusal('gold_amount', 'gold_amount is worth 4.10012 USDC; a trade must be worth at least 5.'),
  );
  for (const [side, body] of [
    ['buy', { usdc_amount: 5 }],
    ['sell', { gold_amount: 0.002 }],
  ] as const)
    expectStatus(await quote(party, side, body), 200);
  expectStatus(await change(party, { min_trade_usdc: 0 }), 200);
  expectStatus(await quote(party), 200);
});

test('a user who closes the token account after each buy pays for the third one, and the partner for two', async () => {
  const party = await givenParty();
  const { wallet } = party.user;
  const account = tokenAccountOf(wallet.address, goldOf(t.chain));
  const rents: bigint[] = [];
  const buyAndClose = async () => {
    const before = lamportsOf(party.partner.wallet.address);
    const { err } = await trade(party);
    rents.push(before - lamportsOf(party.partner.wallet.address));
    const rent = lamportsOf(account);
    t.chain.node.setAccount(account, undefined);
    return { err, rent };
  };
  const { rent } = await buyAndClose();
  expect(rent).toBeGreaterThan(2_000_000n);
  await buyAndClose();
  expect(rents).toEqual([rent, rent]);
  // Without SOL the user cannot: the node's refusal names the wallet.
  const third = expectStatus(await quote(party), 200).body;
  const signed = cosign(Buffer.from(third.partially_signed_transaction, 'base64'), [
    party.partner.wallet,
    wallet,
  ]);
  const submitted = await clientFor(party).post(`/v1/buy/${third.trade_id}/submit`, {
    signed_tx: Buffer.from(signed).toString('base64'),
  });
  expect(submitted).toMatchObject({
    status: 400,
    body: {
      error: 'broadcast_failed',
      message: expect.stringContaining(`The wallet ${wallet.address} holds`),
    },
  });
  t.chain.node.airdrop(wallet.address, 10_000_000n);
  expect((await buyAndClose()).err).toBeNull();
  expect(rents).toEqual([rent, rent, 0n]);
  // One who keeps the account needs none, nor any SOL.
  await t.chain.node.setTokenBalance(wallet.address, t.chain.goldMint, 1n);
  t.chain.node.setAccount(wallet.address, undefined);
  expect((await trade(party)).err).toBeNull();
  // A day later the partner pays again.
  t.chain.node.warp({ seconds: 24 * 3_600 });
  t.chain.node.setAccount(account, undefined);
  await eventually(async () => expectStatus(await quote(party), 200), 20_000);
  await buyAndClose();
  expect(rents).toEqual([rent, rent, 0n, rent]);
});
