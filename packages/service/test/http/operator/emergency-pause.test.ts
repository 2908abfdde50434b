import { decodeConfig, MarketState } from '@karat/program-client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyAuditLog } from '../../../src/actions/audit.js';
import { recordStatusChange } from '../../../src/actions/record-status-change.js';
import { type ChainStatusInput, setChainStatus } from '../../../src/actions/set-chain-status.js';
import { signSetStatus } from '../../../src/chain/admin-transactions.js';
import { deadLetters } from '../../../src/db/schema.js';
import { commandLine } from '../../../src/domain/audit.js';
import { marketStateAt } from '../../../src/domain/market-calendar.js';
import { MarketKeeper } from '../../../src/keeper/market.js';
import { eventually } from '../../karat-chain.js';
import { type Operating, startOperating } from '../../operating.js';
import { changesOf, send } from '../../operators.js';
import { expectStatus } from '../../redeeming.js';

/** Pauses that do not wait for what is on its way before them. */

let o: Operating;
beforeAll(async () => {
  o = await startOperating();
});
afterAll(() => o.stop());
beforeEach(async () => {
  await o.moveOn();
  expectStatus(await put({ paused: nothing, market: 'open' }), 200);
  expectStatus(await put({ market: 'auto' }), 200);
});

const nothing = { trade: false, partner: false, withdraw: false };
const put = (body: unknown) => send(o.operators.by.admin.client, 'PUT', '/chain/status', body);
const rows = () => o.rows((row) => row.kind === 'set_status');
const auditOf = () => changesOf(o.h, 'chain', o.chain.config.programId);
const never = new AbortController().signal;

function onChain(): { paused: number; market: MarketState } {
  const address = o.chain.addresses.config;
  const account = o.chain.node.getAccount(address);
  if (!account) throw new Error('no configuration');
  const { data } = decodeConfig({ ...account, address } as never);
  return { paused: data.paused, market: data.marketState };
}

const chainBecomes = (wanted: { paused?: number; market?: MarketState }) =>
  eventually(() => expect(onChain()).toMatchObject(wanted), 10_000);

/** A change that is written down and whose transaction never gets to the node, until it is let go. */
async function givenLost(input: ChainStatusInput) {
  const { ctx } = o.h;
  let keep: (transaction: Uint8Array) => void = () => {};
  const kept = new Promise<Uint8Array>((resolve) => {
    keep = resolve;
  });
  const sender = {
    send: async (transaction: Uint8Array) => {
      keep(transaction);
      return { kind: 'unreachable', cause: new Error('lost') } as const;
    },
    landed: async () => [false],
  };
  const asked = setChainStatus({ ...ctx, chain: { ...ctx.chain, sender } }, commandLine, input).catch(
    (error: Error) => error.message,
  );
  const transaction = await kept;
  return { asked, letGo: () => o.chain.sendStraight(transaction) };
}

/** The same of the keeper. */
async function givenLostOfKeeper(status: { paused: number; marketState: MarketState }) {
  const { ctx } = o.h;
  const { guardian } = ctx.chain;
  if (!guardian) throw new Error('no guardian');
  const signed = await signSetStatus(ctx.chain, guardian, status, 0n);
  await recordStatusChange(ctx, signed);
  return { letGo: () => o.chain.sendStraight(signed.transaction) };
}

const slot = () => o.h.ctx.chain.rpc.getSlot({ commitment: 'confirmed' }).send();

describe('behind a change that was lost, a pause', () => {
  test('is set at once, and keeps what that would pause', async () => {
    const lost = await givenLost({ paused: { trade: true } });
    const asked = performance.now();
    const answer = put({ paused: { partner: true } });
    await chainBecomes({ paused: 0b011 });
    const { body } = expectStatus(await answer, 200);
    // Far less than it takes until nobody has to wait for the lost one any more.
    expect(performance.now() - asked).toBeLessThan(15_000);
    expect(body).toMatchObject({ paused: { ...nothing, trade: true, partner: true }, market: 'open' });
    expect((await rows()).at(-1)).toMatchObject({ txSignature: body.tx_hash });
    await o.moveOn();
    expect(await lost.asked).toContain('is not confirmed yet');
    expect(onChain().paused).toBe(0b011);
  });

  test('is sent once more when that lands after it, with all that was paused when it was asked for', async () => {
    expectStatus(await put({ paused: { trade: true } }), 200);
    const lost = await givenLost({ paused: { trade: false } });
    const told = (await auditOf()).length;
    const asked = put({ paused: { partner: true } });
    await chainBecomes({ paused: 0b011 });
    await lost.letGo();
    const { body } = expectStatus(await asked, 200);
    expect(body.paused).toEqual({ ...nothing, trade: true, partner: true });
    expect(onChain().paused).toBe(0b011);
    const changes = (await auditOf()).slice(told);
    expect(changes).toMatchObject([
      { after: { paused: { trade: true, partner: true }, tx_hash: expect.not.stringMatching(body.tx_hash) } },
      { after: { paused: { trade: true, partner: true }, tx_hash: body.tx_hash } },
    ]);
    expect(await lost.asked).toMatchObject({ paused: nothing });
  });

  test('is set again by the keeper when that lands after the answer, until somebody takes it back', async () => {
    expectStatus(await put({ paused: { trade: true } }), 200);
    const lost = await givenLost({ paused: { trade: false } });
    expect(expectStatus(await put({ paused: { trade: true } }), 200).body).toMatchObject({
      paused: { ...nothing, trade: true },
      tx_hash: expect.any(String),
    });
    await lost.letGo();
    await chainBecomes({ paused: 0 });
    await lost.asked;
    const keeper = new MarketKeeper(o.h.ctx);
    const keep = () => keeper.round(marketStateAt(o.chain.clock.now(), o.h.ctx.calendar), never);
    await eventually(async () => {
      expect((await keep()).lostFlags).toBe(0);
      expect(onChain().paused).toBe(0b001);
    }, 10_000);
    expectStatus(await put({ paused: { trade: false } }), 200);
    expect((await keep()).lostFlags).toBe(0);
    expect(onChain().paused).toBe(0);
  });

  test.each([
    ['another change sets it again', { market: 'closed' }, 0b011],
    ['a resume leaves of it what it does not name', { paused: { trade: false } }, 0b010],
    ['a resume of it has nothing to do', { paused: { trade: false, partner: false } }, 0],
  ])('that was undone: %s', async (_, body, expected) => {
    expectStatus(await put({ paused: { trade: true } }), 200);
    const lost = await givenLost({ paused: { trade: false } });
    expectStatus(await put({ paused: { partner: true } }), 200);
    await lost.letGo();
    await chainBecomes({ paused: 0 });
    expectStatus(await put(body), 200);
    expect(onChain().paused).toBe(expected);
    const { lostFlags } = await new MarketKeeper(o.h.ctx).round(
      onChain().market === MarketState.Open ? 'open' : 'closed',
      never,
    );
    expect(lostFlags).toBe(0);
    expect(onChain().paused).toBe(expected);
    await lost.asked;
  });

  test('keeps the market that was asked for', async () => {
    const lost = await givenLost({ market: 'closed' });
    expect(expectStatus(await put({ paused: { withdraw: true } }), 200).body).toMatchObject({
      paused: { ...nothing, withdraw: true },
      market: 'closed',
    });
    expect(onChain()).toEqual({ paused: 0b100, market: MarketState.Closed });
    await o.moveOn();
    await lost.asked;
  });

  test('that is asked for twice at the same moment is answered twice', async () => {
    const lost = await givenLost({ paused: { trade: true } });
    const pause = { paused: { trade: true, withdraw: true } };
    for (const { status, body } of await Promise.all([put(pause), put(pause)])) {
      expect({ status, paused: body.paused }).toEqual({
        status: 200,
        paused: { ...nothing, ...pause.paused },
      });
    }
    expect(onChain().paused).toBe(0b101);
    await o.moveOn();
    await lost.asked;
  });
});

describe('behind a change of the keeper that is on its way, a pause', () => {
  test('is set at once, with the market as it should be, and again when that lands', async () => {
    const wanted = marketStateAt(o.chain.clock.now(), o.h.ctx.calendar);
    const marketState = wanted === 'open' ? MarketState.Open : MarketState.Closed;
    const flying = await givenLostOfKeeper({ paused: 0, marketState });
    const before = await slot();
    const asked = put({ paused: { trade: true } });
    await chainBecomes({ paused: 0b001, market: marketState });
    await flying.letGo();
    expect(expectStatus(await asked, 200).body).toMatchObject({
      paused: { ...nothing, trade: true },
      market: wanted,
    });
    expect(await slot()).toBeGreaterThan(before);
    expect(onChain()).toEqual({ paused: 0b001, market: marketState });
  });

  test('keeps what people paused last, which that may be setting again', async () => {
    expectStatus(await put({ paused: { partner: true } }), 200);
    // As it is after a change of the keeper took the pause away.
    await o.chain.setStatus({ paused: 0 });
    await givenLostOfKeeper({ paused: 0b010, marketState: MarketState.Open });
    expect(expectStatus(await put({ paused: { trade: true } }), 200).body.paused).toEqual({
      ...nothing,
      trade: true,
      partner: true,
    });
    expect(onChain().paused).toBe(0b011);
  });
});

test('all of that left nothing that does not fit', async () => {
  expect(await o.h.ctx.db.select().from(deadLetters)).toEqual([]);
  expect(await verifyAuditLog(o.h.ctx.db)).toMatchObject({ ok: true });
});
