import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { decodeConfig, MarketState } from '@karat/program-client';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { overrideMarket } from '../../src/actions/market/override-market.js';
import type { Context } from '../../src/context.js';
import { createContext, type OwnedContext } from '../../src/create-context.js';
import { advisoryLocks } from '../../src/db/locks.js';
import {
  findKeeperReports,
  keeperReports,
  type StoredKeeperReport,
} from '../../src/db/market/keeper-reports.js';
import type { WatchName } from '../../src/domain/keeper-report.js';
import {
  type MarketState as Market,
  marketStateAt,
  nextMarketChange,
} from '../../src/domain/market-calendar.js';
import { goldUnits } from '../../src/domain/money.js';
import { type Keeper, startKeeper } from '../../src/keeper/index.js';
import { MarketKeeper } from '../../src/keeper/market.js';
import { createLogger } from '../../src/log.js';
import { type Harness, harness } from '../harness.js';
import { refusingMinContextSlot, startLyingNode } from '../indexer/lying-node.js';
import { eventually, type KaratChain, startKaratChain } from '../karat-chain.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';

let karat: KaratChain;
let h: Harness;
let ctx: Context;
/** What is on chain when a test begins: as wanted, nothing paused. */
beforeAll(async () => {
  karat = await startKaratChain({ slotMs: 100 });
  h = await harness({
    clock: karat.clock,
    config: {
      ...karat.config,
      guardianSignerUrl: karat.keyFile(karat.guardian),
      marketSignerUrl: karat.keyFile(karat.market),
      minTreasuryUsdc: 1_000_000_000_000n,
      minTreasuryGold: 1_000_000_000n,
    },
  });
  ctx = h.ctx;
});
afterAll(async () => {
  await h.close();
  await karat.stop();
});

/** A busy machine takes its time; what a test waits for comes within a second on an idle one. */
const patienceMs = 15_000;
const quickly = { pollMs: 50, electionMs: 100 };
const running: Keeper[] = [];
const contexts: OwnedContext[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((keeper) => keeper.stop()));
  await Promise.all(contexts.splice(0).map((made) => made.close()));
  await ctx.db.transaction((tx) => overrideMarket(ctx, tx, 'auto', null));
  // Else the next test would take what this keeper saw for what its own one sees.
  await ctx.db.delete(keeperReports);
});

function keep(of: Context = ctx, tuning = {}): Keeper {
  const keeper = startKeeper(of, { ...quickly, ...tuning });
  running.push(keeper);
  return keeper;
}

/** A further process of the service: connections and keys of its own, on the same clock. */
async function another(config: Partial<Context['config']> = {}, lines: string[] = []): Promise<OwnedContext> {
  const log = createLogger('trace', { write: (line: string) => void lines.push(line) });
  const made = await createContext({ ...ctx.config, ...config }, { clock: karat.clock, log });
  contexts.push(made);
  return made;
}

function onChain(): { paused: number; market: Market; seq: bigint } {
  const account = karat.node.getAccount(karat.addresses.config);
  if (!account) throw new Error('no configuration');
  const { data } = decodeConfig({ ...account, address: karat.addresses.config } as never);
  const market = data.marketState === MarketState.Open ? 'open' : 'closed';
  return { paused: data.paused, market, seq: data.seq };
}

const chainBecomes = (wanted: { paused?: number; market?: Market }, withinMs = patienceMs) =>
  eventually(() => expect(onChain()).toMatchObject(wanted), withinMs);

async function report(name: WatchName): Promise<StoredKeeperReport> {
  const found = (await findKeeperReports(ctx.db)).find((each) => each.name === name);
  if (!found) throw new Error(`no report ${name}`);
  return found;
}

const reportBecomes = (name: WatchName, wanted: Partial<StoredKeeperReport>) =>
  eventually(async () => expect(await report(name)).toMatchObject(wanted), patienceMs);

const wantedNow = () => marketStateAt(karat.clock.now(), ctx.calendar);

/** The next change to `market` before which the other state lasts for more than a day, or for less. */
function nextChange(market: Market, lasts: 'weekend' | 'any' = 'any'): number {
  for (let ms = karat.clock.now(); ; ) {
    const next = nextMarketChange(ms, ctx.calendar);
    if (!next) throw new Error('the market never changes');
    const after = nextMarketChange(next.atMs, ctx.calendar);
    const long = after && after.atMs - next.atMs > 24 * 3_600_000;
    if (next.market === market && (lasts === 'any' || long)) return next.atMs;
    ms = next.atMs;
  }
}

/** Moves the clock of chain and service, by whole seconds, to `leadMs` or a little less before a moment. */
function warpTo(ms: number, leadMs = 0): void {
  const seconds = Math.ceil((ms - leadMs - karat.clock.now()) / 1_000);
  if (seconds > 0) karat.node.warp({ seconds });
}

/** Puts the chain's clock into a market that stays open for a while, with the market on chain as it should be. */
async function givenOpenMarket(paused = 0): Promise<void> {
  const lastsMs = nextChange('closed') - karat.clock.now();
  if (wantedNow() === 'closed' || lastsMs < 600_000) warpTo(nextChange('open') + 1_000);
  await karat.setStatus({ paused, marketState: MarketState.Open });
}

describe('the market', () => {
  // A keeper that slept through the change would be later by far than one on a busy machine.
  const asleep = { pollMs: 60_000 };
  const promptMs = 15_000;

  test('the market closes at 17:00 on Friday and opens at 18:00 on Sunday, by the clock, and flags stay', {
    timeout: 90_000,
  }, async () => {
    await givenOpenMarket(0b010);
    const friday = nextChange('closed', 'weekend');
    warpTo(friday, 300_000);
    const early = keep();
    await reportBecomes('market', {
      status: 'ok',
      value: '1',
      detail: expect.stringContaining(`Next, closed at ${new Date(friday).toISOString()}`),
    });
    await early.stop();
    warpTo(friday, 3_000);
    const closing = keep(ctx, asleep);
    const closedAtMs = await changed('closed');
    expect(closedAtMs).toBeGreaterThanOrEqual(friday);
    expect(closedAtMs).toBeLessThan(friday + promptMs);
    expect(onChain()).toMatchObject({ market: 'closed', paused: 0b010 });
    await closing.stop();
    const sunday = nextChange('open');
    expect(new Date(sunday).toLocaleString('en-US', { timeZone: 'America/New_York' })).toMatch(
      /, 6:00:00 PM$/,
    );
    warpTo(sunday, 3_000);
    keep(ctx, asleep);
    const openedAtMs = await changed('open');
    expect(openedAtMs).toBeGreaterThanOrEqual(sunday);
    expect(openedAtMs).toBeLessThan(sunday + promptMs);
    expect(onChain()).toMatchObject({ market: 'open', paused: 0b010 });
    await reportBecomes('paused', { status: 'warning', value: '2', detail: 'Paused: trades of partners.' });
  });

  test('the market closes in time also when a round began before and ends after', {
    timeout: 60_000,
  }, async () => {
    await givenOpenMarket();
    const closes = nextChange('closed');
    warpTo(closes, 3_000);
    await h.ctx.sql.begin(async (tx) => {
      // What the first round saw cannot be kept until the session is over.
      await tx`lock table keeper_reports in access exclusive mode`;
      keep(ctx, asleep);
      await eventually(() => expect(karat.clock.now()).toBeGreaterThan(closes + 200), patienceMs);
    });
    expect(await changed('closed')).toBeLessThan(closes + promptMs);
  });

  /** The first moment at which the market on chain is seen in a state, by the clock of chain and service. */
  async function changed(market: Market): Promise<number> {
    for (;;) {
      const nowMs = karat.clock.now();
      if (onChain().market === market) return nowMs;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  test('the market that an operator closed stays closed until the operator takes it back', async () => {
    await givenOpenMarket();
    await ctx.db.transaction((tx) => overrideMarket(ctx, tx, 'closed', null));
    keep();
    await chainBecomes({ market: 'closed' });
    await eventually(
      async () => expect((await report('market')).detail).toBe('The market is closed. An operator set it.'),
      patienceMs,
    );
    warpTo(nextChange('open') + 2_000);
    // The round under way may have begun before, the next one has not.
    for (let round = 0; round < 2; round += 1) {
      const { checkedAt } = await report('market');
      await eventually(
        async () => expect((await report('market')).checkedAt).not.toEqual(checkedAt),
        patienceMs,
      );
    }
    expect(await report('market')).toMatchObject({ status: 'ok', value: '0' });
    expect(onChain().market).toBe('closed');
    await ctx.db.transaction((tx) => overrideMarket(ctx, tx, 'open', null));
    await chainBecomes({ market: 'open' });
  });

  test('the market that an operator opened on a weekend closes with the next one', async () => {
    await givenOpenMarket();
    warpTo(nextChange('closed', 'weekend') + 3_600_000);
    const word = await ctx.db.transaction((tx) => overrideMarket(ctx, tx, 'open', null));
    expect(word).toEqual({ market: 'open', untilMs: nextChange('open') });
    await karat.setStatus({ marketState: MarketState.Closed });
    keep();
    await chainBecomes({ market: 'open' });
    warpTo(nextChange('closed') + 1_000);
    await chainBecomes({ market: 'closed' });
  });

  describe('a market that a keeper of another database sets by other hours', () => {
    const yielded: Partial<StoredKeeperReport> = {
      status: 'critical',
      detail: expect.stringContaining('another keeper with other market hours sets the market'),
    };
    let second: Harness;
    beforeEach(async () => {
      second = await harness({
        clock: karat.clock,
        config: { ...karat.config, marketSignerUrl: karat.keyFile(karat.market), marketHours: 'always' },
      });
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((keeper) => keeper.stop()));
      await second.close();
    });

    const reportOfSecond = async () =>
      (await findKeeperReports(second.ctx.db)).find(({ name }) => name === 'market');
    const secondReports = (wanted: Partial<StoredKeeperReport>) =>
      eventually(async () => expect(await reportOfSecond()).toMatchObject(wanted), patienceMs);

    /** The keeper that would open the market leaves it closed, and the other one is content, round after round. */
    async function staysClosed(): Promise<void> {
      await secondReports(yielded);
      await reportBecomes('market', { status: 'ok', value: '0' });
      const { seq } = onChain();
      const looks = async () => (await reportOfSecond())?.checkedAt;
      for (let round = 0, last = await looks(); round < 5; round += 1) {
        await eventually(async () => expect(await looks()).not.toEqual(last), patienceMs);
        last = await looks();
      }
      expect(onChain()).toMatchObject({ seq, market: 'closed' });
      expect(await reportOfSecond()).toMatchObject(yielded);
      expect(await report('market')).toMatchObject({ status: 'ok', value: '0' });
    }

    test('the market stays closed where the keeper that would open it starts later', {
      timeout: 90_000,
    }, async () => {
      warpTo(nextChange('closed', 'weekend') + 60_000);
      await karat.setStatus({ paused: 0, marketState: MarketState.Closed });
      keep();
      await reportBecomes('market', { status: 'ok', value: '0' });
      const before = onChain().seq;
      keep(second.ctx);
      await staysClosed();
      // Once by the second, and back by the first.
      expect(onChain().seq).toBe(before + 2n);
    });

    test('the market stays closed where the keeper that would open it started first', {
      timeout: 90_000,
    }, async () => {
      await givenOpenMarket();
      warpTo(nextChange('closed', 'weekend') + 60_000);
      keep(second.ctx);
      await secondReports({ status: 'ok', value: '1' });
      keep();
      await staysClosed();
    });

    test('the market closes on Friday where both keepers wanted it open until then', {
      timeout: 90_000,
    }, async () => {
      await givenOpenMarket();
      const friday = nextChange('closed', 'weekend');
      warpTo(friday, 300_000);
      keep();
      keep(second.ctx);
      await reportBecomes('market', { status: 'ok', value: '1' });
      await secondReports({ status: 'ok', value: '1' });
      warpTo(friday + 1_000);
      await staysClosed();
    });
  });

  test('the market is set through a node that refuses minContextSlot', async () => {
    await givenOpenMarket();
    await karat.setStatus({ marketState: MarketState.Closed });
    const node = await startLyingNode(karat.node.rpcUrl);
    node.lie = refusingMinContextSlot;
    try {
      const keeper = keep(await another({ rpcUrls: [node.url] }));
      await chainBecomes({ market: 'open' });
      await reportBecomes('market', { status: 'ok', value: '1' });
      await keeper.stop();
    } finally {
      await node.close();
    }
  });

  test('the market is only watched without the market key', async () => {
    await givenOpenMarket();
    await karat.setStatus({ marketState: MarketState.Closed });
    const { seq } = onChain();
    const lines: string[] = [];
    keep(await another({ marketSignerUrl: undefined }, lines));
    await reportBecomes('market', {
      status: 'critical',
      value: '0',
      detail: expect.stringContaining('should be open and is not: this process does not hold a market key'),
    });
    expect(onChain().seq).toBe(seq);
    await eventually(
      () => expect(lines.join('')).toContain('"watch":"market","status":"critical"'),
      patienceMs,
    );
    // Said once, not in every round.
    expect(lines.filter((line) => line.includes('"watch":"market"')).length).toBe(1);
  });

  test('the market is only watched with a key that is not the market key', async () => {
    await givenOpenMarket();
    await karat.setStatus({ marketState: MarketState.Closed });
    keep(await another({ marketSignerUrl: karat.keyFile(karat.service) }));
    await reportBecomes('market', {
      status: 'critical',
      detail: expect.stringContaining("this process's market key is not the program's market key"),
    });
  });
});

describe('a change of the market', () => {
  const never = new AbortController().signal;

  beforeEach(async () => {
    await givenOpenMarket();
  });

  test('a change of the market leaves a pause that lands while it is on its way', async () => {
    const { sender } = ctx.chain;
    const overtaken: Context = {
      ...ctx,
      chain: {
        ...ctx.chain,
        sender: {
          landed: sender.landed.bind(sender),
          async send(...args: Parameters<typeof sender.send>) {
            await karat.setStatus({ paused: 0b101, marketState: MarketState.Open });
            return sender.send(...args);
          },
        },
      },
    };
    const outcome = await new MarketKeeper(overtaken).round('closed', never);
    expect(outcome).toEqual({ status: 'ok', detail: 'The market is closed.' });
    expect(onChain()).toMatchObject({ market: 'closed', paused: 0b101 });
  });

  test('a change of the market that was lost on the way is sent again', async () => {
    await karat.injectFault({ method: 'sendTransaction', mode: 'close', times: 1 });
    const market = new MarketKeeper(ctx, 300);
    expect(await market.round('closed', never)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('a change is on its way'),
    });
    await eventually(async () => expect((await market.round('closed', never)).status).toBe('ok'), patienceMs);
    expect(onChain().market).toBe('closed');
  });
});

describe('one leader among many', () => {
  // Starting a process takes seconds on a busy machine.
  test('a process that is killed is followed by another one, which sets the market', {
    timeout: 120_000,
  }, async () => {
    await givenOpenMarket();
    const child = spawn(process.execPath, [inject('serviceScript'), 'keep'], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: h.databaseUrl,
        KARAT_RPC_URL: karat.config.rpcUrls.join(),
        KARAT_WS_URL: karat.config.wsUrls.join(),
        KARAT_PROGRAM_ID: karat.config.programId,
        KARAT_MARKET_SIGNER: ctx.config.marketSignerUrl,
      },
    });
    const ended = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    await eventually(() => expect(output).toContain('this process is now the leading keeper'), 60_000);
    const standby = keep(await another(), { electionMs: 200 });
    await eventually(() => expect(standby.status().role).toBe('standby'), patienceMs);
    child.kill('SIGKILL');
    await ended;
    await eventually(() => expect(standby.status().role).toBe('leader'), patienceMs);
    // The process that was killed had the clock of this machine, by which the market may have been closed.
    await chainBecomes({ market: 'open' });
    warpTo(nextChange('closed') + 1_000);
    await chainBecomes({ market: 'closed' });
  });

  test('a session that the database ends costs the lead', async () => {
    const [first, second] = [keep(await another()), keep(await another())];
    const roles = () => [first.status().role, second.status().role].sort();
    await eventually(() => expect(roles()).toEqual(['leader', 'standby']), patienceMs);
    const leader = first.status().role === 'leader' ? first : second;
    const other = leader === first ? second : first;
    await leader.stop();
    await eventually(() => expect(other.status().role).toBe('leader'), patienceMs);
    const sql = postgres(h.databaseUrl, { max: 2 });
    // Somebody else is next in the queue for the lock, so that the lead is not back before anybody looks.
    const rival = await sql.reserve();
    const rivalLeads = rival`select pg_advisory_lock(${String(advisoryLocks.keeper)}::bigint)`.execute();
    await eventually(async () => {
      const waiting = await sql`
        select pid from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`;
      expect(waiting).toHaveLength(1);
    }, patienceMs);
    const ended = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'karat-keeper' and datname = current_database()`;
    expect(ended.length).toBe(1);
    await rivalLeads;
    await eventually(() => expect(other.status().role).toBe('standby'), patienceMs);
    rival.release();
    await sql.end();
    await eventually(() => expect(other.status().role).toBe('leader'), patienceMs);
  });
});

test('the months in which events will be written are made ahead', async () => {
  const now = new Date(karat.clock.now());
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2)).toISOString().slice(0, 7);
  const table = `events_${month.replace('-', '_')}`;
  await h.ctx.sql`drop table if exists ${h.ctx.sql(table)}`;
  keep();
  await eventually(
    async () => expect(await h.ctx.sql`select from pg_tables where tablename = ${table}`).toHaveLength(1),
    patienceMs,
  );
});

describe('the watches of the keeper', () => {
  test('a node that fails is reported, and then that it is back', async () => {
    await givenOpenMarket();
    keep();
    await reportBecomes('node', { status: 'ok' });
    const before = await report('treasury_gold');
    await karat.injectFault({ method: 'getMultipleAccounts', mode: 'close', times: 1_000 });
    await reportBecomes('node', {
      status: 'critical',
      detail: expect.stringContaining('The Solana node fails'),
    });
    expect(await report('treasury_gold')).toMatchObject({ status: before.status, value: before.value });
    await karat.clearFaults();
    await reportBecomes('node', { status: 'ok' });
  });

  test('a market that should have changed while the node failed changes as soon as it is back', async () => {
    await givenOpenMarket();
    warpTo(nextChange('closed'), 60_000);
    keep();
    await reportBecomes('market', { status: 'ok', value: '1' });
    await karat.injectFault({ method: 'getMultipleAccounts', mode: 'close', times: 100_000 });
    await reportBecomes('node', { status: 'critical' });
    warpTo(nextChange('closed') + 5_000);
    await eventually(() => expect(wantedNow()).toBe('closed'), patienceMs);
    const { checkedAt } = await report('node');
    await eventually(async () => {
      expect((await report('node')).checkedAt.getTime()).toBeGreaterThan(checkedAt.getTime());
    }, patienceMs);
    expect(onChain().market).toBe('open');
    await karat.clearFaults();
    await chainBecomes({ market: 'closed' });
    await reportBecomes('market', { status: 'ok', value: '0' });
  });

  test('SOL, stock, price and escrow are watched against their thresholds', async () => {
    await givenOpenMarket();
    await seedDenominations(h);
    keep();
    await reportBecomes('treasury_usdc', { status: 'ok', value: '1000000' });
    await reportBecomes('service_signer_sol', { status: 'ok' });
    await reportBecomes('guardian_sol', { status: 'ok' });
    await reportBecomes('escrow_surplus_gold', { status: 'ok', value: '0' });
    await reportBecomes('price_age_seconds', { status: 'ok' });
    const { changedAt } = await report('treasury_gold');
    const { treasuryAuthority, escrowAuthority } = karat.addresses;

    await karat.node.setTokenBalance(treasuryAuthority, karat.goldMint, 999_999_999n);
    await karat.node.setTokenBalance(treasuryAuthority, karat.usdcMint, 99_999_999_999n);
    await setLamports(karat.service.address, 999_999_999n);
    await setLamports(karat.guardian.address, 99_999_999n);
    await reportBecomes('treasury_gold', {
      status: 'warning',
      value: '999.999999',
      detail: 'GOLD of the treasury: 999.999999, less than 1000.',
    });
    expect((await report('treasury_gold')).changedAt.getTime()).toBeGreaterThan(changedAt.getTime());
    await reportBecomes('treasury_usdc', { status: 'critical', value: '99999.999999' });
    await reportBecomes('service_signer_sol', { status: 'warning', value: '0.999999999' });
    await reportBecomes('guardian_sol', {
      status: 'critical',
      value: expect.stringMatching(/^0\.0999/),
    });

    const owner = { partner: h.main, user: await h.givenUser(h.main.partnerId) };
    for (const status of ['submitted', 'cancelled', 'quoted', 'failed'] as const) {
      await givenRedemption(h, owner, { status, tokensRequired: goldUnits(1_000_000n) });
    }
    await reportBecomes('escrow_surplus_gold', {
      status: 'critical',
      value: '-2',
      detail: 'Escrow holds 0 GOLD, and open redemptions need 2.',
    });
    await karat.node.setTokenBalance(escrowAuthority, karat.goldMint, 2_500_000n);
    await reportBecomes('escrow_surplus_gold', { status: 'ok', value: '0.5' });

    karat.price.freeze();
    karat.node.warp({ seconds: 40 });
    await reportBecomes('price_age_seconds', { status: 'warning' });
    karat.node.warp({ seconds: 30 });
    await reportBecomes('price_age_seconds', {
      status: 'critical',
      value: null,
      detail: expect.stringContaining('The oracle price is stale'),
    });
    karat.price.thaw();
    await reportBecomes('price_age_seconds', { status: 'ok' });
  });

  async function setLamports(address: string, lamports: bigint): Promise<void> {
    const account = karat.node.getAccount(address);
    if (!account) throw new Error(`no account ${address}`);
    karat.node.setAccount(address, { ...account, lamports });
  }

  test('holidays that are missing from the calendar are reported', async () => {
    const lonely = await another();
    keep({ ...lonely, calendar: { ...lonely.calendar, years: new Set([2001]) } });
    await reportBecomes('market_holidays', {
      status: 'warning',
      detail: expect.stringContaining('are not in the file of holidays'),
    });
  });
});
