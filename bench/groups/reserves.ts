/** A statement of the reserves over many bars, its verification by a stranger, and the public routes that serve it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { insertBars } from '../../packages/service/src/db/bars/bars.js';
import { insertDenomination } from '../../packages/service/src/db/catalogue/denominations.js';
import { launchBrowser } from '../../packages/service/test/browser.js';
import { newWallet } from '../../packages/service/test/harness.js';
import { browserOptions } from '../../scripts/browser.mjs';
import { type BenchOptions, type Figure, report } from '../figures.js';
import { serviceCore, spawnOn } from '../machine.js';
import {
  insertPartners,
  karat,
  measureLoad,
  newDatabase,
  type QuoteRequest,
  type World,
  withDatabase,
} from '../world.js';

const home = fileURLToPath(new URL('../..', import.meta.url));
const site = join(home, 'docs/.vitepress/dist');
const chunk = 5_000;

export async function measure(world: World, { quick }: BenchOptions): Promise<Figure[]> {
  // The page that verifies in a browser. Nothing of a fresh clone has built it.
  if (!existsSync(site)) spawnSync(process.execPath, [join(home, 'scripts/build-docs.mjs')]);
  const count = quick ? 10_000 : 100_000;
  const databaseUrl = await newDatabase(world.postgres);
  await insertPartners(databaseUrl, world.partners);
  // What the node was set up with is finalized.
  world.chain.node.warp({ slots: 40 });
  const { id, made } = await makeStatement(world, databaseUrl, count);
  report(`${made.cpuSeconds} s of the processor for the statement`);
  const service = await world.start('serve', { databaseUrl, firstRequest: get('/v1/reserves') });
  try {
    const folder = join(world.folder, 'saved');
    mkdirSync(folder);
    const script = join(home, 'examples/verify-reserves.mjs');
    await timed([script, service.url, '--save', folder]);
    const verified = await timed([script, folder]);
    report(`${verified.cpuSeconds} s of the processor for its verification`);
    const inChromium = await secondsInChromium(service.url);
    const at = `/v1/reserves/statements/${id}`;
    const load = (path: string, connections: number) =>
      measureLoad(world, service, { requests: [get(path)], connections, seconds: quick ? 1 : 5 });
    const newest = await load('/v1/reserves', 50);
    const proof = await load(`${at}/proof?refiner=Valcambi&serial=AA${count - 1}`, 1);
    return [
      {
        name: `statement of ${count} bars`,
        value: made.seconds,
        detail: { cpuSeconds: made.cpuSeconds },
        unit: 's',
        required: 5,
        better: 'lower',
      },
      {
        name: 'memory of the process that makes it',
        value: made.mib,
        unit: 'MiB',
        required: 200,
        better: 'lower',
      },
      {
        name: 'its verification in Node',
        value: verified.seconds,
        detail: { cpuSeconds: verified.cpuSeconds },
        unit: 's',
        required: 3,
        better: 'lower',
      },
      { name: 'its verification in Chromium', value: inChromium, unit: 's', required: 10, better: 'lower' },
      { name: 'proof of a bar, p99', value: proof.p99, unit: 'ms', required: 20, better: 'lower' },
      {
        name: 'GET /v1/reserves',
        value: newest.perCpuSecond,
        unit: '/CPU s',
        required: 5_000,
        better: 'higher',
      },
      { name: 'proofs', value: proof.perCpuSecond, unit: '/CPU s', better: 'higher' },
    ];
  } finally {
    await service.stop();
  }
}

/**
 * Fills the vault of a database with so many bars, and has `karat` make a statement of them; returns its id and what that took.
 * What the node was set up with has to be finalized.
 */
export async function makeStatement(world: World, databaseUrl: string, count: number) {
  await fillVault(databaseUrl, count);
  const key = join(world.folder, 'reserves.json');
  writeFileSync(key, JSON.stringify([...newWallet().secretKey]), { mode: 0o600 });
  const env = world.envOf(databaseUrl, { KARAT_RESERVES_SIGNER: key });
  const made = await timed([karat, 'reserves', 'statement'], env);
  const id = /rs_[0-9a-f-]+/.exec(made.output)?.[0];
  if (!id) throw new Error(`no statement was made: ${made.output}`);
  return { id, made };
}

/**
 * Returns the seconds from the click on Verify now to the outcome, on the public page in a browser that has every core. The
 * page is the built one of the docs; `karat serve` serves only what it verifies.
 */
async function secondsInChromium(url: string): Promise<number> {
  const browser = await launchBrowser(browserOptions());
  try {
    const page = await browser.newPage();
    await page.route('**', (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname.startsWith('/v1/')) return route.continue();
      return route.fulfill({ path: join(site, pathname === '/reserves' ? 'reserves.html' : pathname) });
    });
    await page.goto(`${url}/reserves`);
    await page.getByText(/^COVERED: /).waitFor({ timeout: 60_000 });
    const began = performance.now();
    await page.getByRole('button', { name: 'Verify now' }).click();
    const outcome = page.locator('.outcome');
    await outcome.waitFor({ timeout: 120_000 });
    const seconds = (performance.now() - began) / 1_000;
    const reported = await outcome.innerText();
    if (!/^All \d+ checks passed/.test(reported)) throw new Error(`the page says: ${reported}`);
    return seconds;
  } finally {
    await browser.close();
  }
}

const get = (path: string): QuoteRequest => ({ method: 'GET', path, headers: {} });

async function fillVault(databaseUrl: string, count: number): Promise<void> {
  const denominationId = 'ae_kg_1';
  await withDatabase(databaseUrl, ({ db }) =>
    db.transaction(async (tx) => {
      const at = new Date();
      const denomination = {
        id: denominationId,
        label: '1 kg bar',
        weightG: '1000',
        country: 'PK',
        city: 'Karachi',
      };
      await insertDenomination(tx, { ...denomination, active: false }, at);
      for (let from = 0; from < count; from += chunk) {
        const bars = Array.from({ length: Math.min(chunk, count - from) }, (_, index) => ({
          serial: `AA${from + index}`,
          refiner: 'Valcambi',
          fineness: '999.9',
          weightG: '1000',
          denominationId,
          city: 'Karachi',
        }));
        await insertBars(tx, bars, at);
      }
    }),
  );
}

/**
 * What a process writes at its end: microseconds of processor time, and the most memory in KiB. That of `resourceUsage` would be
 * this process's, if it is more: a child begins with it.
 */
const ending =
  'process.on("exit", () => { const used = process.resourceUsage(); ' +
  'const status = process.getBuiltinModule("fs").readFileSync("/proc/self/status", "utf8"); ' +
  'console.error("took", used.userCPUTime + used.systemCPUTime, /VmHWM:\\s+(\\d+)/.exec(status)[1]) })';

/** Runs Node on the core that is measured; returns its seconds, in all and of the processor, its most memory, and what it printed. */
async function timed(args: string[], env?: Record<string, string>) {
  const preload = `data:text/javascript,${encodeURIComponent(ending)}`;
  const began = performance.now();
  const child = spawnOn(serviceCore, ['--import', preload, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(env && { env }),
  });
  if (!child.stdout || !child.stderr) throw new Error('no output');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [, micros, kib] = /took (\d+) (\d+)/.exec(errors) ?? [];
  if (!micros || !/COVERED/.test(output))
    throw new Error(`${args.join(' ')}: ${output.slice(-500)}${errors}`);
  const seconds = (performance.now() - began) / 1_000;
  return { seconds, cpuSeconds: Number(micros) / 1e6, mib: Number(kib) / 1_024, output };
}
