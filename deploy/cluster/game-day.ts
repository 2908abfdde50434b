/**
 * Breaks the parts of a running cluster one after the other, under a steady load, and measures what partners see:
 *   node --conditions=source --import tsx deploy/cluster/game-day.ts FOLDER [--short] [--only TEXT] [--out FILE]
 * Ends with exit code 1 when something was lost or doubled, when the archive has a gap or cannot be restored, or when an
 * outage was longer than it may be; the short form judges no times, for it runs on machines that are busy with other things.
 * `--out` writes what was measured, for worst.ts.
 */
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Karat } from '@karat/sdk';
import { address, createSolanaRpc } from '@solana/kit';
import { type Balances, balancesOf } from '../../packages/sandbox/src/demo/chain.js';
import type { SandboxInfo } from '../../packages/sandbox/src/info.js';
import { checkArchive } from './archive.js';
import { Load } from './load.js';
import { Machine } from './machine.js';
import { restore, restoreRecent } from './restore.js';
import { steps } from './steps.js';
import { until } from './until.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { short: { type: 'boolean' }, only: { type: 'string' }, out: { type: 'string' } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('the folder of the cluster is missing');

/** At most, milliseconds: of any single failure, and of writes when another server becomes primary. */
const allowedMs = 10_000;
const allowedWritesMs = 30_000;

/** What one step cost. */
export interface Row {
  step: string;
  readsMs: number;
  writesMs: number;
  slowestMs: number;
  failures: number;
  note: string;
  /** Until everything was as before, with what the step itself lasts. */
  wholeMs: number;
  isWithin: boolean;
}

/** One game day, as `--out` writes it. */
export interface Day {
  isRight: boolean;
  /** What was lost, doubled or different. */
  wrong: string[];
  submitted: number;
  tookSeconds: number;
  /** Of the machine, at the end of each step. */
  loadAverages: number[];
  rows: Row[];
}

const machine = new Machine(folder);
const info = (await import(`${folder}/etc/world.json`, { with: { type: 'json' } })).default as SandboxInfo;
const baseUrl = `http://127.0.0.1:${machine.port('partners')}`;
const karats = new Map<string, Karat>(
  info.partners.map(({ partner_id, api_key = '' }) => [
    partner_id,
    // A partner who repeats a request once, and gives one up after 10 s.
    new Karat({ apiKey: api_key, baseUrl, maxRetries: 1, timeoutMs: 10_000 }),
  ]),
);
const karatOf = (partnerId: string) => {
  const karat = karats.get(partnerId);
  if (!karat) throw new Error(`no partner ${partnerId}`);
  return karat;
};

/** Returns for how long the requests that began in that time failed: from the first that did to the next that did not. */
function outageMs(load: Load, kind: 'read' | 'write', fromMs: number): number {
  const seen = load.seen
    .filter((one) => one.kind === kind && one.atMs >= fromMs)
    .sort((a, b) => a.atMs - b.atMs);
  let longest = 0;
  let since: number | undefined;
  for (const { atMs, error } of seen) {
    if (error !== undefined) since ??= atMs;
    if (since !== undefined) longest = Math.max(longest, atMs - since);
    if (error === undefined) since = undefined;
  }
  return longest;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Returns why the archive could not restore the cluster now, if it could not; after a failover it is tried. */
async function notSafe(failedOver: boolean): Promise<string | undefined> {
  try {
    if (failedOver) return await restoreRecent(machine);
    const missing = await checkArchive(machine);
    return missing.length > 0 ? `the archive lacks ${missing.join(', ')}` : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const loadAverages: number[] = [];

async function play(load: Load): Promise<Row[]> {
  const rows: Row[] = [];
  const wanted = steps.filter(({ name, short }) =>
    values.only ? name.includes(values.only) : short || !values.short,
  );
  // What failed in a failover can't land a minute later: the sooner it fails, the less there is to wait for at the end.
  if (values.short)
    wanted.sort((one, other) => Number(other.failsOver ?? false) - Number(one.failsOver ?? false));
  for (const { name, failsOver, act } of wanted) {
    let fromMs = Date.now();
    let note = '';
    try {
      await machine.whole();
      fromMs = Date.now();
      note = (await act(machine)) ?? '';
      await machine.whole();
    } catch (error) {
      note = `NOT RIGHT: ${error instanceof Error ? error.message : error}`;
    }
    const wholeMs = Date.now() - fromMs;
    await pause(3_000);
    const unsafe = await notSafe(failsOver ?? false);
    if (unsafe) note = `NOT SAFE: ${unsafe}; ${note}`;
    const [readsMs, writesMs] = [outageMs(load, 'read', fromMs), outageMs(load, 'write', fromMs)];
    const during = load.seen.filter(({ atMs }) => atMs >= fromMs);
    const row = {
      step: name,
      readsMs,
      writesMs,
      slowestMs: Math.max(0, ...during.filter(({ error }) => !error).map(({ tookMs }) => tookMs)),
      failures: load.failures.filter(({ atMs }) => atMs >= fromMs).length,
      note,
      wholeMs,
      isWithin:
        readsMs <= allowedMs &&
        writesMs <= (failsOver ? allowedWritesMs : allowedMs) &&
        !note.startsWith('NOT '),
    };
    rows.push(row);
    loadAverages.push(loadavg()[0] ?? 0);
    const errors = new Map<string, number>();
    const failed = load.failures.filter(({ atMs }) => atMs >= fromMs);
    for (const { error } of [...during, ...failed])
      if (error) errors.set(error, (errors.get(error) ?? 0) + 1);
    console.log(
      `${row.isWithin ? 'ok  ' : 'LONG'} ${name}: reads ${seconds(readsMs)}, writes ${seconds(writesMs)}, slowest ${seconds(row.slowestMs)}, ` +
        `${row.failures} trades and redemptions failed, whole again after ${seconds(wholeMs)}; ${row.note}`,
      ...(errors.size > 0 ? [Object.fromEntries(errors)] : []),
    );
  }
  return rows;
}

const rpc = createSolanaRpc(`http://127.0.0.1:${machine.port('node')}`);
const mints = { usdcMint: address(info.chain.usdc_mint), goldMint: address(info.chain.gold_mint) };

async function balances(): Promise<Map<string, Balances>> {
  const entries = info.users.map(async ({ partner_id, service_user_id: id }) => {
    const { wallet_address: wallet } = await karatOf(partner_id).users.get(id);
    return [id, await balancesOf(rpc, address(wallet), mints)] as const;
  });
  return new Map(await Promise.all(entries));
}

const units = (amount: number | string) => BigInt(Math.round(Number(amount) * 1e6));

/** Compares chain, records, events and what partners received. Returns what is wrong. */
async function audit(load: Load, before: Map<string, Balances>): Promise<string[]> {
  const wrong: string[] = [];
  const moved = new Map([...before].map(([id, { usdc, gold }]) => [id, { usdc, gold }]));
  const landed = await load.landed();
  for (const { partner_id } of info.partners) {
    const karat = karatOf(partner_id);
    const mine = new Map(load.submissions.map(({ id, userId }) => [id, userId]));
    const recorded = new Set<string>();
    for await (const trade of karat.trades.list()) {
      if (!mine.has(trade.trade_id)) continue;
      if (recorded.has(trade.trade_id)) wrong.push(`${trade.trade_id} is recorded twice`);
      if (trade.status !== 'confirmed') continue;
      recorded.add(trade.trade_id);
      const balance = moved.get(mine.get(trade.trade_id) ?? '');
      if (!balance) continue;
      const sign = trade.side === 'buy' ? 1n : -1n;
      balance.usdc -= sign * units(trade.usdc_amount);
      balance.gold += sign * units(trade.gold_amount);
    }
    for (const { id, kind, userId } of load.submissions) {
      if (kind !== 'redemption' || !landed.has(id)) continue;
      if (info.users.find((user) => user.service_user_id === userId)?.partner_id !== partner_id) continue;
      const { status, quote } = await karat.redemptions.get(id);
      recorded.add(id);
      if (status !== 'submitted') wrong.push(`${id} is ${status}`);
      const balance = moved.get(userId);
      if (balance) balance.gold -= units(quote.tokens_required);
    }
    const ours = load.submissions.filter(
      ({ userId }) => info.users.find((user) => user.service_user_id === userId)?.partner_id === partner_id,
    );
    for (const { id } of ours)
      if (landed.has(id) !== recorded.has(id)) wrong.push(`${id} landed or is recorded, not both`);
    const all = await karat.events.list({ limit: 100 });
    const sequences = all.map(({ sequence }) => sequence);
    if (sequences.some((sequence, at) => sequence !== at + 1)) wrong.push('the events have a gap');
    const streamed = load.streamed.get(partner_id) ?? [];
    const idAt = new Map(all.map(({ sequence, id }) => [sequence, id]));
    if (streamed.some(({ sequence, id }) => idAt.get(sequence) !== id))
      wrong.push('an event was changed after it was read');
    if (streamed.some(({ sequence }, at) => at > 0 && sequence !== (streamed[at - 1]?.sequence ?? 0) + 1)) {
      wrong.push('the stream of events had a gap or an event twice');
    }
    if (streamed.at(-1)?.sequence !== all.at(-1)?.sequence)
      wrong.push('the stream did not reach the last event');
    const about = all.filter(({ type }) => ['trade.confirmed', 'redemption.submitted'].includes(type));
    const counts = new Map<string, number>();
    for (const { data } of about) {
      const object = data.object as { trade_id?: string; redemption_id?: string };
      const id = object.trade_id ?? object.redemption_id ?? '';
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const id of recorded)
      if (counts.get(id) !== 1) wrong.push(`${id} has ${counts.get(id) ?? 0} events`);
  }
  const now = await balances();
  for (const [id, { usdc, gold }] of moved) {
    const actual = now.get(id);
    if (actual?.usdc !== usdc) wrong.push(`${id} has ${actual?.usdc} USDC on chain, ${usdc} by the records`);
    if (actual?.gold !== gold) wrong.push(`${id} has ${actual?.gold} GOLD on chain, ${gold} by the records`);
  }
  const open = await machine.sql<{ reason: string }>(
    'select reason from dead_letters where resolved_at is null',
  );
  for (const { reason } of open) wrong.push(`a dead letter is open: ${reason}`);
  const [books] = await machine.sql<{
    differences: number;
    gold_difference: string;
    usdc_difference: string;
    age: number;
  }>(
    'select differences, gold_difference::text, usdc_difference::text, extract(epoch from now() - at)::int as age from reconciliations',
  );
  if (!comparesBooks) {
    // They may not be final yet.
  } else if (!books || books.age > 300) wrong.push('treasury and records were not compared');
  else if (books.differences > 0 || books.gold_difference !== '0' || books.usdc_difference !== '0') {
    wrong.push(`reconciliation: ${JSON.stringify(books)}`);
  }
  console.log(
    `${load.submissions.length} transactions submitted, ${landed.size} landed;`,
    `${[...load.streamed.values()].reduce((sum, { length }) => sum + length, 0)} events;`,
    `${load.seen.length} reads and writes, of which ${load.seen.filter(({ error }) => error).length} failed twice`,
  );
  return wrong;
}

process.on('uncaughtException', (error) => {
  console.log(`THE GAME DAY ENDED: ${error.message}`);
  process.exit(1);
});
await machine.whole();
await until('there was a backup', async () => (await checkArchive(machine)).length === 0);
const before = await balances();
const load = new Load(folder, info, karatOf, rpc);
const beganMs = Date.now();
await load.start();
await pause(5_000);
const rows = await play(load);
await load.stop();
// Reconciliation compares what is final, every minute.
const comparesBooks = !values.short;
await pause(comparesBooks ? 30_000 : 0);
const wrong = await audit(load, before);
// A restore reaches as far as the archive does, which has a segment once it is full or a minute old.
for (const segment of values.short ? [] : await checkArchive(machine))
  wrong.push(`the archive lacks ${segment}`);
for (const what of wrong) console.log(`WRONG ${what}`);
const restored = values.short ? undefined : await restore(machine, (beganMs + Date.now()) / 2);
if (restored) console.log(restored.says);
const took = Math.round((Date.now() - beganMs) / 1_000);
console.log(`${wrong.length === 0 ? 'Nothing was lost or doubled' : 'SOMETHING IS WRONG'}; ${took} s in all`);
const isRight =
  wrong.length === 0 &&
  rows.every(({ note }) => !note.startsWith('NOT ')) &&
  (values.short || rows.every(({ isWithin }) => isWithin)) &&
  (!restored || restored.isRight);
if (values.out) {
  const submitted = load.submissions.length;
  const day: Day = { isRight, wrong, submitted, tookSeconds: took, loadAverages, rows };
  writeFileSync(values.out, JSON.stringify(day));
}
process.exit(isRight ? 0 : 1);
