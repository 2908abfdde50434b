import { decodeConfig, MarketState } from '@karat/program-client';
import { readLegacyTransaction, writeTransaction } from '@karat/wire';
import { getAddressDecoder } from '@solana/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { carryOut } from '../../../src/actions/approvals/carry-out.js';
import type { Outcome } from '../../../src/actions/approvals/plan.js';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import type { ChainStatusInput } from '../../../src/actions/market/build-chain-status.js';
import { statusPlanOf } from '../../../src/actions/market/plan-chain-status.js';
import type { Context } from '../../../src/context.js';
import { deadLetters } from '../../../src/db/schema.js';
import { commandLine } from '../../../src/domain/audit.js';
import { operatorRoles } from '../../../src/domain/operator.js';
import { type ApiResponse, type Client, expectStatus, newWallet } from '../../harness.js';
import type { Treasury } from '../../karat.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { changesOf, type Operators, operatorBase, send } from '../../operators.js';
import { paths } from '../../ordering.js';
import { tola } from '../../redeeming.js';

/** Noon in New York, on a Wednesday and on a Saturday. */
const open = Date.parse('2026-01-14T17:00:00Z');
const saturday = Date.parse('2026-01-17T17:00:00Z');
const sunday = '2026-01-18T23:00:00.000Z';

let o: Operating;
let vault: Treasury;
let user: { id: string };
/** Processes in whose time the market of gold is open, and closed. */
let byDay: Operators;
let atWeekend: Operators;
beforeAll(async () => {
  o = await startOperating();
  const { chain, h, partner } = o;
  const given = await h.givenUser(partner.partnerId);
  await chain.fund(given.wallet.address, 1_000_000_000n);
  await chain.node.setTokenBalance(given.wallet.address, chain.goldMint, 10_000_000n);
  user = given;
  vault = await o.given.treasury(await h.givenPartner());
  byDay = await o.otherwise({ clock: { now: () => open } });
  atWeekend = await o.otherwise({ clock: { now: () => saturday } });
});
beforeEach(async () => {
  expectStatus(await put(nothingPaused), 200);
});
afterEach(() => o.chain.clearFaults());
afterAll(() => o.stop());

const nothing = {
  ...{ trade: false, partner: false, withdraw: false },
  ...{ redeem: false, settle: false, treasury: false },
};
const nothingPaused = { paused: nothing, market: 'auto' };
const admin = () => o.operators.by.admin.client;
const put = (body: unknown, client: Client = admin(), headers?: Record<string, string>) =>
  send(client, 'PUT', '/chain/status', body, headers);
const read = async (client = o.operators.by.viewer.client) =>
  expectStatus(await client.get(`${operatorBase}/chain/status`), 200).body;
const auditOf = () => changesOf(o.h, 'chain', o.chain.config.programId);
const rows = () => o.rows(({ kind }) => kind === 'pause' || kind === 'resume' || kind === 'set_market');
const error = (status: number, code: string, message: string, field?: string) => ({
  status,
  body: { error: code, message: expect.stringContaining(message), ...(field ? { field } : {}) },
});

/** What the program has, read past the service. */
function onChain(): { paused: number; market: MarketState } {
  const address = o.chain.addresses.config;
  const account = o.chain.node.getAccount(address);
  if (!account) throw new Error('no configuration');
  const { data } = decodeConfig({ ...account, address } as never);
  return { paused: data.paused, market: data.marketState };
}

const buy = () => o.partner.client.post('/v1/buy', { service_user_id: user.id, usdc_amount: 100 });
const attempts: Record<string, () => Promise<ApiResponse>> = {
  trade: buy,
  partner: () => vault.executive.post(paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 }),
  withdraw: () => vault.withdrawal.post(paths.withdrawals, { amount: 1, tokenType: 'gold' }),
  redeem: () =>
    o.partner.client.post('/v1/redemptions', {
      service_user_id: user.id,
      denomination_id: tola.id,
      city: tola.city,
    }),
};
/** Which of the attempts get 503, once it is these. */
const refusedBecome = (names: string[]) =>
  eventually(async () => {
    const refused: string[] = [];
    for (const [name, attempt] of Object.entries(attempts)) {
      if ((await attempt()).status === 503) refused.push(name);
    }
    expect(refused).toEqual(names);
  }, 20_000);

describe('a pause', () => {
  test.each([
    ['trade', 1, 'Trading is paused.'],
    ['partner', 2, 'Purchases and sales of partners are paused.'],
    ['withdraw', 4, 'Withdrawals are paused.'],
    ['redeem', 8, 'Redemptions are paused.'],
  ])(
    'a pause of %s stops that and nothing else, until it is taken back',
    { timeout: 90_000 },
    async (kind, bit, message) => {
      const { body } = expectStatus(await put({ paused: { [kind]: true } }), 200);
      expect(body).toEqual({
        paused: { ...nothing, [kind]: true },
        market: 'open',
        market_override: null,
        tx_hash: expect.any(String),
      });
      expect(onChain()).toEqual({ paused: bit, market: MarketState.Open });
      const { tx_hash: _, ...shown } = body;
      expect(await read()).toEqual(shown);
      await refusedBecome([kind]);
      await eventually(async () => {
        const refused = (await attempts[kind]?.())?.body;
        expect(refused.message ?? refused.error.message).toBe(message);
      }, 20_000);

      expectStatus(await put({ paused: { [kind]: false } }), 200);
      expect(onChain().paused).toBe(0);
      await refusedBecome([]);
    },
  );

  test('a pause leaves what it does not name as it is', async () => {
    expectStatus(await put({ paused: { trade: true, withdraw: true } }), 200);
    expectStatus(await put({ paused: { partner: true } }), 200);
    expect(onChain().paused).toBe(0b111);
    const { body } = expectStatus(await put({ paused: { trade: false, withdraw: true } }), 200);
    expect(body.paused).toEqual({ ...nothing, partner: true, withdraw: true });
    expect(onChain().paused).toBe(0b110);
    expectStatus(await put({ market: 'closed' }), 200);
    expect(onChain()).toEqual({ paused: 0b110, market: MarketState.Closed });
    expectStatus(await put({ paused: { partner: false } }), 200);
    expect(onChain()).toEqual({ paused: 0b100, market: MarketState.Closed });
    expectStatus(await put({ market: 'open' }), 200);
  });

  test('a pause is recorded with who, before and after, and confirmed by the indexer', async () => {
    const before = (await auditOf()).length;
    const { body } = expectStatus(await put({ paused: { trade: true } }), 200);
    const { operatorId } = o.operators.by.admin;
    expect((await auditOf()).slice(before)).toEqual([
      {
        action: 'chain.status',
        before: { paused: nothing, market: 'open' },
        after: { paused: { ...nothing, trade: true }, market: 'open', asked: null, tx_hash: body.tx_hash },
        reason: null,
        operatorId,
      },
    ]);
    await eventually(
      async () =>
        expect((await rows()).at(-1)).toMatchObject({
          status: 'confirmed',
          txSignature: body.tx_hash,
          operatorId,
        }),
      10_000,
    );
  });

  test('a pause has a reason, whether or not it changes anything, and needs no more than that', async () => {
    for (const reason of ['A feed gone mad', '<script>alert(document.cookie)</script> 👑']) {
      expectStatus(await put({ paused: { trade: true }, reason }), 200);
      expect((await auditOf()).at(-1)).toMatchObject({ action: 'chain.status', reason });
    }
    expect(await put({ reason: 'nothing' })).toMatchObject(error(400, 'invalid_request', '', 'paused'));
  });

  test('a further pause voids a pending resumption', async () => {
    expectStatus(await put({ paused: { trade: true } }), 200);
    const resumption = await unsent({ paused: { trade: false } });
    const { body } = expectStatus(await put({ paused: { trade: true, partner: true } }), 200);
    expect(body).toMatchObject({
      paused: { ...nothing, trade: true, partner: true },
      tx_hash: expect.any(String),
    });
    await resumption.letGo();
    expect(await resumption.outcome).toContain('StaleSequence');
    expect(onChain().paused).toBe(0b11);
  });

  test('a pause that is set already is sent, and succeeds', async () => {
    expectStatus(await put({ paused: { trade: true } }), 200);
    const { body } = expectStatus(await put({ paused: { trade: true } }), 200);
    expect(body).toMatchObject({ paused: { ...nothing, trade: true }, tx_hash: expect.any(String) });
    expect(onChain().paused).toBe(1);
  });

  test('a pause of the treasury is resumed with the guardian, and ends by itself after seven days', async () => {
    const { body } = expectStatus(await put({ paused: { treasury: true } }), 200);
    expect(body.paused).toEqual({ ...nothing, treasury: true });
    expect(onChain().paused).toBe(0b100000);
    const guardian = { guardian: undefined };
    const adminOnly = (await o.otherwise({ keys: guardian })).by.admin.client;
    const left = expectStatus(await put({ paused: { treasury: false } }, adminOnly), 202).body;
    expect(left.signers).toEqual([o.chain.guardian.address]);
    expectStatus(await put({ paused: { treasury: false } }), 200);
    expect(onChain().paused).toBe(0);
    expectStatus(await put({ paused: { treasury: true } }), 200);
    o.chain.node.warp({ seconds: 7 * 86_400 });
    await o.ready();
    expect(await read()).toMatchObject({ paused: nothing });
    // Its bit stays, until the treasury is paused and resumed again.
    expectStatus(await put({ paused: { treasury: true } }), 200);
    expectStatus(await put({ paused: { treasury: false } }), 200);
  });

  test('a pause that comes again with its Idempotency-Key has the first response', async () => {
    const key = { 'idempotency-key': 'pause' };
    const first = expectStatus(await put({ paused: { trade: true } }, admin(), key), 200);
    expectStatus(await put(nothingPaused), 200);
    const again = await put({ paused: { trade: true } }, admin(), key);
    expect(again).toMatchObject({
      status: 200,
      body: first.body,
      headers: { 'idempotency-replayed': 'true' },
    });
    expect(onChain().paused).toBe(0);
  });

  test('a pause is not undone by concurrent requests, here or in another process', async () => {
    const other = await o.operators.givenOperator('admin');
    const there = (await o.otherwise({})).by.admin.client;
    const responses = await Promise.all([
      put({ paused: { trade: true } }),
      put({ paused: { partner: true } }, other.client),
      put({ paused: { withdraw: true } }, there),
      put({ market: 'closed' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(onChain()).toEqual({ paused: 0b111, market: MarketState.Closed });
    expectStatus(await put({ market: 'open' }), 200);
  });

  test('a pause after a pause and a resumption within the life of a blockhash is set each time', async () => {
    for (const trade of [true, false, true, false, true]) {
      expectStatus(await put({ paused: { trade } }), 200);
      expect(onChain().paused).toBe(trade ? 1 : 0);
    }
  });
});

const setStatus = (ctx: Context, input: ChainStatusInput) =>
  carryOut(ctx, commandLine, statusPlanOf(ctx, input));

/** A change that is written down and whose transaction does not get to the node until it is let go. */
async function unsent(input: ChainStatusInput) {
  const { ctx } = o.h;
  let keep: (transaction: Uint8Array) => void = () => {};
  const kept = new Promise<Uint8Array>((resolve) => {
    keep = resolve;
  });
  const sender = {
    send: async ({ transaction }: { transaction: Uint8Array }) => {
      keep(transaction);
      return { kind: 'unreachable', cause: new Error('lost') } as const;
    },
    landed: async () => [false],
  };
  const chain = { ...ctx.chain, sender };
  const requested = setStatus({ ...ctx, chain }, input);
  const outcome = requested.then(JSON.stringify, (error: Error) => error.message);
  const transaction = await kept;
  return { outcome, letGo: () => o.chain.sendStraight(transaction) };
}

test('the command line pauses as an operator does', async () => {
  const input = { paused: { withdraw: true } };
  const outcome = await setStatus(o.h.ctx, input);
  expect(outcome).toMatchObject({ kind: 'done', status: { paused: { ...nothing, withdraw: true } } });
  const { txHash } = outcome as Extract<Outcome, { kind: 'done' }>;
  expect(onChain().paused).toBe(0b100);
  expect(await rows()).toContainEqual(expect.objectContaining({ txSignature: txHash, operatorId: null }));
  expect((await auditOf()).at(-1)).toMatchObject({ operatorId: null, after: { tx_hash: txHash } });
});

describe('a service that lacks the key of the admin', () => {
  let process: Operators;
  let client: Client;
  beforeAll(async () => {
    process = await o.otherwise({ keys: { admin: undefined } });
    client = process.by.admin.client;
  });

  test('a resumption is handed out for it to sign, paid for by operations, and lands', async () => {
    expectStatus(await put({ paused: { trade: true, settle: true } }, client), 200);
    const { body } = expectStatus(await put({ paused: { trade: false } }, client), 202);
    expect(body).toEqual({
      transaction: expect.any(String),
      signers: [o.chain.admin.address],
      expires_at: expect.any(String),
    });
    const wire = readLegacyTransaction(Buffer.from(body.transaction, 'base64'));
    const addresses = wire.accounts.map((key) => getAddressDecoder().decode(key));
    expect(addresses.slice(0, 2)).toEqual([o.chain.operations.address, o.chain.admin.address]);
    // The admin signs and is not charged: it may be an account of a multisig program.
    expect(wire.layout.readonlySigned).toBe(1);
    expect(wire.signatures.map((each) => each.some((byte) => byte !== 0))).toEqual([true, false]);
    expect(onChain().paused).toBe(0b10001);
    const signature = await o.h.ctx.chain.admin?.sign(wire.message);
    const [first = new Uint8Array()] = wire.signatures;
    await o.chain.landed(
      await o.chain.sendStraight(writeTransaction(wire.message, first, signature as Uint8Array)),
    );
    expect(onChain().paused).toBe(0b10000);
    await eventually(
      async () => expect((await rows()).at(-1)).toMatchObject({ kind: 'resume', status: 'confirmed' }),
      10_000,
    );
  });

  test('one request does not both pause and resume', async () => {
    expectStatus(await put({ paused: { trade: true } }, client), 200);
    expect(await put({ paused: { trade: false, partner: true } }, client)).toMatchObject(
      error(400, 'invalid_request', 'must not both pause and resume', 'paused'),
    );
    expect(onChain().paused).toBe(1);
  });
});

describe('the market', () => {
  test('the market is closed until it is taken back, and users pay the closed fee', async () => {
    await eventually(async () => expect((await buy()).body.quote).toMatchObject({ fee_bps: 50 }), 10_000);
    const { body } = expectStatus(await put({ market: 'closed' }, byDay.by.admin.client), 200);
    const override = { market: 'closed', until: null };
    expect(body).toEqual({
      paused: nothing,
      market: 'closed',
      market_override: override,
      tx_hash: expect.any(String),
    });
    expect(onChain()).toEqual({ paused: 0, market: MarketState.Closed });
    expect(await read()).toMatchObject({ market: 'closed', market_override: override });
    await eventually(async () => expect((await buy()).body.quote).toMatchObject({ fee_bps: 100 }), 10_000);
    expect((await auditOf()).at(-1)).toMatchObject({
      before: { market: 'open' },
      after: { market: 'closed', asked: 'closed' },
    });

    // The calendar decides again; the keeper follows it.
    const auto = expectStatus(await put({ market: 'auto' }, byDay.by.admin.client), 200).body;
    expect(auto).toMatchObject({ market: 'closed', market_override: null, tx_hash: null });
    expect((await auditOf()).at(-1)).toMatchObject({ after: { asked: 'auto' } });
    expectStatus(await put({ market: 'open' }, byDay.by.admin.client), 200);
    expect(await read()).toMatchObject({ market: 'open', market_override: null });
  });

  test('the market is held open against the calendar until that opens by itself', async () => {
    const { body } = expectStatus(await put({ market: 'open' }, atWeekend.by.admin.client), 200);
    expect(body).toMatchObject({ market: 'open', market_override: { market: 'open', until: sunday } });
    expect(await read(atWeekend.by.viewer.client)).toMatchObject({
      market_override: { market: 'open', until: sunday },
    });
    const monday = await o.otherwise({ clock: { now: () => Date.parse(sunday) } });
    expect(await read(monday.by.viewer.client)).toMatchObject({ market_override: null });
    expectStatus(await put({ market: 'auto' }, atWeekend.by.admin.client), 200);
    expect(await read(atWeekend.by.viewer.client)).toMatchObject({ market_override: null });
  });

  test('the market and pauses are set together in one change', async () => {
    const written = (await rows()).length;
    expectStatus(await put({ market: 'closed', paused: { trade: true } }), 200);
    expect(onChain()).toEqual({ paused: 1, market: MarketState.Closed });
    expect(await rows()).toHaveLength(written + 1);
    expectStatus(await put({ market: 'open', paused: { trade: false } }), 200);
  });
});

describe('a request for a pause', () => {
  test.each([
    [undefined, undefined],
    [{}, 'paused'],
    [{ paused: {} }, 'paused'],
    [{ paused: { trade: 'true' } }, 'paused.trade'],
    [{ paused: { trade: null } }, 'paused'],
    [{ paused: { redemptions: true } }, 'paused.redemptions'],
    [{ paused: true }, 'paused'],
    [{ paused: null }, 'paused'],
    [{ market: 'shut' }, 'market'],
    [{ market: null }, 'paused'],
    [{ market: 'open', reason: '' }, 'reason'],
    [{ market: 'open', reason: 'x'.repeat(1_001) }, 'reason'],
    [{ market: 'open', admin: newWallet().address }, 'admin'],
  ])('a request for a pause as %j is refused', async (body, field) => {
    const written = (await rows()).length;
    expect(await put(body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', ...(field ? { field } : {}) },
    });
    expect(await rows()).toHaveLength(written);
  });

  test('a request for a pause is for admins; all may look', async () => {
    for (const role of operatorRoles) {
      const { client } = o.operators.by[role];
      expect(await read(client)).toMatchObject({ paused: nothing });
      if (role === 'admin') continue;
      expect(await put({ paused: { trade: true } }, client)).toMatchObject(
        error(403, 'insufficient_scope', role),
      );
    }
    expect(await put({ paused: { trade: true } }, o.operators.anonymous)).toMatchObject(
      error(401, 'unauthorized', ''),
    );
    expect((await o.operators.anonymous.get(`${operatorBase}/chain/status`)).status).toBe(401);
    expect(onChain().paused).toBe(0);
  });
});

describe('pauses in trouble', () => {
  const pause = { paused: { trade: true } };

  test("a pause without the guardian's key, or with another one, changes nothing, and all can be read", async () => {
    for (const [guardian, message] of [
      [undefined, 'This process does not hold the guardian key.'],
      [o.h.ctx.chain.admin, "The guardian key of this process is not the program's guardian."],
    ] as const) {
      const others = { operations: undefined, admin: undefined };
      const process = await o.otherwise({ keys: { ...others, guardian } });
      expect(await put(pause, process.by.admin.client)).toMatchObject(
        error(503, 'service_unavailable', message),
      );
      expect(await read(process.by.viewer.client)).toMatchObject({ paused: nothing });
    }
    expect(onChain().paused).toBe(0);
  });

  test.each(['getAccountInfo', 'simulateTransaction'])(
    'a node that does not respond %s is a reason to try again',
    async (method) => {
      const [written, reported] = [(await rows()).length, (await auditOf()).length];
      await o.chain.injectFault({ method, mode: 'error', times: 50 });
      expect(await put(pause)).toMatchObject(error(503, 'service_unavailable', 'node'));
      await o.chain.clearFaults();
      expect(await rows()).toHaveLength(written);
      expect(await auditOf()).toHaveLength(reported);
      await o.ready();
      expectStatus(await put(pause), 200);
    },
  );

  test('a guardian who cannot pay is reported by the chain, before anything is begun', async () => {
    const { node, guardian } = o.chain;
    const account = node.getAccount(guardian.address);
    if (!account) throw new Error('no account');
    const [written, reported] = [(await rows()).length, (await auditOf()).length];
    node.setAccount(guardian.address, undefined);
    expect(await put(pause)).toMatchObject(error(400, 'broadcast_failed', 'The chain would reject this'));
    node.setAccount(guardian.address, account);
    expect(await rows()).toHaveLength(written);
    expect(await auditOf()).toHaveLength(reported);
    expectStatus(await put(pause), 200);
  });

  test('an unwritten pause is never sent', async () => {
    for (const table of ['operator_transactions', 'audit_log']) {
      const mend = await o.failing(table, 'insert');
      expect((await put(pause)).status).toBeGreaterThanOrEqual(500);
      await mend();
      expect(onChain().paused).toBe(0);
    }
    expectStatus(await put(pause), 200);
  });

  test('a pause that was lost on the way does not hold up the next', async () => {
    const lost = await unsent(pause);
    expectStatus(await put({ paused: { partner: true } }), 200);
    expect(onChain().paused).toBe(0b010);
    await o.moveOn();
    expect(await lost.outcome).toContain('did not land in time');
  });

  test('pauses leave no dead letter and an intact audit log', async () => {
    expect(await o.h.ctx.db.select().from(deadLetters)).toEqual([]);
    expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
  });
});
