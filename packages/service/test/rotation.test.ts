import { guardProgram, memoProgram } from '@karat/signer';
import { readLegacyTransaction } from '@karat/wire';
import { getAddressDecoder } from '@solana/kit';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAuditLog } from '../src/actions/audit.js';

import { noKey } from '../src/chain/program/wallet.js';
import type { Config } from '../src/config.js';
import { createContext, type OwnedContext } from '../src/create-context.js';
import { findAuditRowsAfter } from '../src/db/operators/audit-log.js';
import { buildApp } from '../src/http/app.js';
import { type Indexer, startIndexer } from '../src/indexer/index.js';
import { assertSysvarClock, guard, withGuards } from './chain/guarded.js';
import { cosign } from './chain/signed-trade.js';
import { callKarat } from './cli/run-karat.js';
import { type Client, clientOf, expectStatus, newWallet, type Wallet } from './harness.js';
import { type Karat, startKarat } from './karat.js';
import { eventually } from './karat-chain.js';
import { seedDenominations, tola } from './redeeming.js';

/** The service signer is changed while partners trade: the steps of docs/operations/README.md, in their order. */

let t: Karat;
let indexer: Indexer;
let next: Wallet;
beforeAll(async () => {
  t = await startKarat();
  await seedDenominations(t.service);
  await t.chain.node.setTokenBalance(t.user.wallet.address, t.chain.goldMint, 50_000_000n);
  // The memo program takes what Lighthouse would: see sign-guarded.test.ts.
  const memo = t.chain.node.getAccount(memoProgram);
  if (!memo) throw new Error('the node has no memo program');
  t.chain.node.setAccount(guardProgram, memo);
  indexer = startIndexer(t.service.ctx, { pollMs: 50, idlePollMs: 100, finalizeMs: 200, electionMs: 100 });
  next = newWallet();
  t.chain.node.airdrop(next.address, 10_000_000_000n);
});
const processes = new Set<Process>();
afterAll(async () => {
  await indexer.stop();
  for (const process of processes) await stop(process);
  await t.stop();
});

async function stop(process: Process): Promise<void> {
  processes.delete(process);
  await process.app.close();
  await process.ctx.close();
}

interface Process {
  ctx: OwnedContext;
  app: FastifyInstance;
  client: Client;
}

/** A process of the service with keys of its own, ready to be asked. */
async function startProcess(keys: Partial<Config>): Promise<Process> {
  const { config, log } = t.service.ctx;
  const ctx = await createContext({ ...config, ...keys }, { clock: t.chain.clock, log });
  await ctx.chain.start();
  const app = await buildApp(ctx);
  const process = { ctx, app, client: clientOf(app, { 'x-api-key': t.partner.apiKey }) };
  processes.add(process);
  return process;
}

const keysOf = (first: Wallet, other?: Wallet): Partial<Config> => ({
  serviceSignerUrl: t.chain.keyFile(first),
  otherServiceSignerUrl: other && t.chain.keyFile(other),
});

const kinds = {
  buy: { path: '/v1/buy', body: { usdc_amount: 10 }, status: 200 },
  sell: { path: '/v1/sell', body: { gold_amount: 0.01 }, status: 200 },
  redeem: { path: '/v1/redemptions', body: { denomination_id: tola.id, city: tola.city }, status: 201 },
};
type Kind = keyof typeof kinds;

/** A quote of a process, with its transaction as partner and user sign it, with a guard of a wallet or without. */
let given = 0;
async function quoted({ client, ctx }: Process, kind: Kind, isGuarded: boolean) {
  const { path, body, status } = kinds[kind];
  const response = await client.post(path, { service_user_id: t.user.id, ...body });
  const { trade_id, redemption_id, partially_signed_transaction } = expectStatus(response, status).body;
  const transaction = Buffer.from(partially_signed_transaction, 'base64');
  const [feePayer] = readLegacyTransaction(transaction).accounts;
  expect(getAddressDecoder().decode(feePayer ?? new Uint8Array())).toBe(ctx.chain.signer.address);
  given += 1;
  const guards = isGuarded ? [guard(assertSysvarClock, [], [0, given & 127, given >> 7])] : [];
  const signed = cosign(withGuards(transaction, guards), [t.partner.wallet, t.user.wallet]);
  const id: string = trade_id ?? redemption_id;
  return { kind, id, signedTx: Buffer.from(signed).toString('base64') };
}

type Quote = Awaited<ReturnType<typeof quoted>>;

async function submit({ client }: Process, { kind, id, signedTx }: Quote): Promise<void> {
  expectStatus(await client.post(`${kinds[kind].path}/${id}/submit`, { signed_tx: signedTx }), 200);
}

/**
 * Every process quotes for every process to submit: a buy and a redemption with a guard, which takes the key once more, and
 * a sell without. All of them land and are recorded.
 */
async function trade(through: Process[]): Promise<Quote[]> {
  const done: Quote[] = [];
  for (const quoting of through) {
    for (const submitting of through) {
      for (const [kind, isGuarded] of [
        ['buy', true],
        ['redeem', true],
        ['sell', false],
      ] as const) {
        const quote = await quoted(quoting, kind, isGuarded);
        await submit(submitting, quote);
        done.push(quote);
      }
    }
  }
  for (const quote of done) await isRecorded(quote);
  return done;
}

const isRecorded = ({ kind, id }: Quote) =>
  eventually(async () => {
    const path = kind === 'redeem' ? `/v1/redemptions/${id}` : `/v1/trades/${id}`;
    const { status } = expectStatus(await t.partner.client.get(path), 200).body;
    expect(status).toBe(kind === 'redeem' ? 'submitted' : 'confirmed');
  }, 20_000);

/** Replaces a service signer by `karat chain replace-key`, with the admin key; the signers after it. */
async function replaceSigner(old: string, replacement: string): Promise<string[]> {
  const { code, stdout, stderr } = await requestReplacement('--old', old, '--new', replacement);
  expect([code, stderr]).toEqual([0, '']);
  const { keys, tx_hash: txHash } = JSON.parse(stdout);
  expect(txHash).toEqual(expect.any(String));
  return keys.service_signers;
}

function requestReplacement(...args: string[]) {
  const { rpcUrls, wsUrls, programId, serviceSignerUrl } = t.chain.config;
  return callKarat(['chain', 'replace-key', '--role', 'service', ...args], {
    DATABASE_URL: t.service.databaseUrl,
    KARAT_RPC_URL: rpcUrls.join(),
    KARAT_WS_URL: wsUrls.join(),
    KARAT_PROGRAM_ID: programId,
    KARAT_SERVICE_SIGNER: serviceSignerUrl,
    KARAT_ADMIN_SIGNER: t.chain.keyFile(t.chain.admin),
  });
}

/** Waits until a process has what quotes need of the chain; no indexer of its own is asked. */
const ready = ({ client }: Process) =>
  eventually(async () => {
    const { checks } = (await client.get('/ready')).body;
    expect(checks).toMatchObject({ database: ok, chain: ok, price: ok });
  }, 10_000);
const ok = { status: 'ok' };

/** A process whose key is no service signer is not ready for its load balancer, and quotes nothing that the chain would refuse. */
async function expectUnfit(process: Process, { address }: Wallet): Promise<void> {
  const detail = `The key of this process, ${address}, is not a service signer of the program.`;
  await eventually(async () => {
    const response = await process.client.get('/ready');
    expect([response.status, response.body.checks.chain]).toEqual([503, { status: 'failed', detail }]);
  }, 10_000);
  for (const { path, body } of Object.values(kinds)) {
    const response = await process.client.post(path, { service_user_id: t.user.id, ...body });
    expect(response).toMatchObject({ status: 503, body: { error: 'service_unavailable', message: detail } });
  }
}

/** Waits until a process has seen a change of the configuration. */
const sees = ({ ctx }: { ctx: OwnedContext }, signers: Wallet[]) =>
  eventually(() => {
    const seen = ctx.chain.program.config().hotKeys.serviceSigners.filter((address) => address !== noKey);
    expect(seen).toEqual(signers.map(({ address }) => address));
  }, 10_000);

test('the service signer is changed without a refused quote', { timeout: 180_000 }, async () => {
  const old = t.chain.service;
  const before: Process = { ctx: t.service.ctx, app: t.service.app, client: t.partner.client };
  const settings = () => {
    const { settings, hotKeys, admin, paused, marketState, pauseSeq, attestation } =
      before.ctx.chain.program.config();
    const keys = { ...hotKeys, serviceSigners: undefined };
    return { settings, keys, admin, paused, marketState, pauseSeq, attestation };
  };
  const settingsBefore = settings();

  // A process that comes with the new key too early is not ready, and quotes nothing that the chain would refuse.
  const early = await startProcess(keysOf(next));
  await expectUnfit(early, next);
  await stop(early);

  expect(await replaceSigner('none', next.address)).toEqual([old.address, next.address]);
  const third = await requestReplacement('--old', 'none', '--new', newWallet().address);
  expect([third.code, third.stderr]).toEqual([
    1,
    expect.stringContaining('is no service key of the program'),
  ]);
  const quotes: Quote[] = [];
  await sees(before, [old, next]);
  quotes.push(...(await trade([before])));

  // One process after the other gets the new key beside the old one, then in its place.
  const both = await startProcess(keysOf(old, next));
  const swapped = await startProcess(keysOf(next, old));
  for (const process of [both, swapped]) await ready(process);
  quotes.push(...(await trade([both, swapped])));

  const after = await startProcess(keysOf(next));
  await ready(after);
  // What the old key quoted last is taken by processes that never knew it.
  const outstanding = await quoted(both, 'buy', false);
  await submit(after, outstanding);
  await isRecorded(outstanding);
  quotes.push(outstanding);
  await stop(both);
  quotes.push(...(await trade([swapped, after])));
  await stop(swapped);

  // The old key's last quotes have ended.
  expect(await replaceSigner(old.address, 'none')).toEqual([next.address]);
  await sees(after, [next]);
  await sees(before, [next]);
  quotes.push(...(await trade([after])));
  await expectUnfit(before, old);
  const last = await requestReplacement('--old', next.address, '--new', 'none');
  expect([last.code, last.stderr]).toEqual([1, expect.stringContaining('the only service signer')]);
  expect(settings()).toEqual(settingsBefore);

  expect(new Set(quotes.map(({ id }) => id)).size).toBe(quotes.length);
  const rows = await findAuditRowsAfter(t.service.ctx.db, 0, 10);
  expect(rows.filter(({ action }) => action === 'chain.key')).toMatchObject([
    { before: { role: 'service', key: null }, after: { role: 'service', key: next.address } },
    { before: { role: 'service', key: old.address }, after: { role: 'service', key: null } },
  ]);
  expect((await verifyAuditLog(t.service.ctx.db)).ok).toBe(true);
});

test('a change of the signers that cannot be is refused in one line that names the option', async () => {
  const { address } = newWallet();
  const refusals = [
    { args: ['--old', 'nonsense', '--new', address], code: 2, message: '--old must be' },
    { args: ['--old', address, '--new', 'nonsense'], code: 2, message: '--new must be' },
    { args: ['--old', address, '--new', address], code: 1, message: 'no service key of the program' },
  ];
  for (const { args, code, message } of refusals) {
    const refused = await requestReplacement(...args);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
  }
});
