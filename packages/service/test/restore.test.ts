import { readLegacyTransaction, writeTransaction } from '@karat/wire';
import { getBase58Encoder } from '@solana/kit';
import type { FastifyInstance } from 'fastify';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { attestReserve } from '../../sandbox/src/own-chain.js';
import { settleDueBurns } from '../src/actions/redemptions/settle-burns.js';
import { createContext, type OwnedContext } from '../src/create-context.js';
import type { Db } from '../src/db/client.js';
import { programEvents, treasuryMovements } from '../src/db/schema.js';
import { buildApp } from '../src/http/app.js';
import { startIndexer } from '../src/indexer/index.js';
import { cosign } from './chain/signed-trade.js';
import { callKarat } from './cli/run-karat.js';
import {
  type ApiResponse,
  clientOf,
  expectStatus,
  kitSigner,
  newAddress,
  testConfig,
  watchResponses,
} from './harness.js';
import { never } from './indexer/following.js';
import type { Treasury } from './karat.js';
import { eventually, finalize } from './karat-chain.js';
import { type Operating, startOperating, tokens } from './operating.js';
import { type Operators, send, startOperators } from './operators.js';
import { base64, ordered, paths, signatureOf, signedBy } from './ordering.js';
import { pickupCodeOf, setBarAside, tola } from './redeeming.js';

// A backup is put back that was taken before gold and dollars moved: the chain says what happened since, and does none of it twice.

let o: Operating;
let vault: Treasury;
let work: Work;
let backup: Database;
/** The same. */
let early: Database;
let records: Records;
const restored: Restored[] = [];

/** What is done after the backup was taken. */
interface Work {
  refunded: string;
  burned: string;
  purchase: Order;
  withdrawal: Order;
}

interface Order {
  id: string;
  /** As the service made it. */
  unsigned: Uint8Array;
  signed: Uint8Array;
}

type Database = Awaited<ReturnType<typeof copyOf>>;
type Records = Awaited<ReturnType<typeof recordsOf>>;
interface Restored {
  ctx: OwnedContext;
  app: FastifyInstance;
  operators: Operators;
  url: string;
  index(): void;
  stop(): Promise<void>;
}

const mintedGold = 5n;

beforeAll(async () => {
  o = await startOperating();
  vault = await o.given.treasury();
  const [refunded, burned] = [await paid(), await paid()];
  await step(burned, 'prepare');
  await setBarAside(o.h, burned);
  await step(burned, 'ready');
  await step(burned, 'collect', { pickup_code: await pickupCodeOf(o.h, burned) });
  // Burns are announced a day ahead.
  expectStatus(await settle(o.operators, burned, 'burn'), 200);
  o.chain.node.warp({ seconds: 86_400 });
  await o.ready();
  expectStatus(await o.partner.client.post(`/v1/redemptions/${refunded}/cancel`), 200);
  await step(refunded, 'cancel', { physical_gold_committed: false });
  work = { refunded, burned, purchase: await purchase(), withdrawal: await withdrawal() };
  await attest(mintedGold * 1_000_000n);
  backup = await copyOf(o.h.databaseUrl);
  early = await copyOf(backup.url);
  await doAll();
  records = await eventually(async () => {
    const found = await recordsOf(o.operators, o.h.ctx);
    expect(found.redemptions.map(({ settlement }) => settlement.status)).toEqual(['confirmed', 'confirmed']);
    expect(found.orders.map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
    expect(found.final).toBe(true);
    return found;
  }, 20_000);
}, 90_000);
afterAll(async () => {
  for (const service of restored) await service.stop();
  await backup?.drop();
  await early?.drop();
  await o.stop();
});

const fulfilment = (operators: Operators) => operators.by.fulfilment.client;
const step = async (id: string, action: string, body?: object) =>
  expectStatus(await send(fulfilment(o.operators), 'POST', `/redemptions/${id}/${action}`, body), 200);
const settle = (operators: Operators, id: string, kind: 'refund' | 'burn') =>
  send(fulfilment(operators), 'POST', `/redemptions/${id}/${kind}`);

/** Attests so much more GOLD than there is, base units. */
async function attest(more: bigint): Promise<void> {
  const { supply } = await o.gold();
  const { chain, h } = o;
  await attestReserve(
    { rpc: h.ctx.chain.rpc, payer: await kitSigner(chain.admin), commitment: 'confirmed' },
    {
      programAddress: h.ctx.chain.programAddress,
      goldMint: chain.goldMint,
      attestor: await kitSigner(chain.attestor),
      amount: supply + more,
    },
  );
}

/** A redemption of a new user that is paid on chain. */
async function paid(): Promise<string> {
  const user = await o.h.givenUser(o.partner.partnerId);
  await o.chain.node.setTokenBalance(user.wallet.address, o.chain.goldMint, 1_000_000n);
  const body = { service_user_id: user.id, denomination_id: tola.id, city: tola.city };
  const quoted = expectStatus(await o.partner.client.post('/v1/redemptions', body), 201).body;
  const { redemption_id: id, partially_signed_transaction: transaction } = quoted;
  const signed = base64(cosign(Buffer.from(transaction, 'base64'), [user.wallet]));
  const own = `/v1/redemptions/${id}`;
  expectStatus(await o.partner.client.post(`${own}/submit`, { signed_tx: signed }), 200);
  const record = async () =>
    expectStatus(await fulfilment(o.operators).get(`/operator/v1/redemptions/${id}`), 200).body;
  await eventually(async () => expect((await record()).status).toBe('submitted'), 10_000);
  await finalize(o.chain, o.h.ctx);
  await eventually(async () => expect((await record()).final).toBe(true), 10_000);
  await o.ready();
  return id;
}

async function purchase(): Promise<Order> {
  const made = await ordered(vault.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 1_000_000 });
  return orderOf(made, 'purchaseId');
}

async function withdrawal(): Promise<Order> {
  const made = await ordered(vault.withdrawal, paths.withdrawals, { amount: 2, tokenType: 'usdc' });
  return orderOf(made, 'withdrawalId');
}

function orderOf({ response, signed }: { response: ApiResponse; signed: Uint8Array }, name: string): Order {
  const { data } = response.body;
  return { id: data[name], unsigned: Buffer.from(data.transaction.serializedTx, 'base64'), signed };
}

const submit = (app: Restored['app'], transaction: Uint8Array) =>
  clientOf(app, {}, { remoteAddress: newAddress() }).post('/api/transactions/submit', {
    signedTransaction: base64(transaction),
  });

const mint = (databaseUrl: string) =>
  callKarat(['gold', 'mint', '--amount', String(mintedGold)], envOf(databaseUrl));

function envOf(databaseUrl: string) {
  const { chain } = o;
  return {
    DATABASE_URL: databaseUrl,
    KARAT_RPC_URL: chain.node.rpcUrl,
    KARAT_WS_URL: chain.node.wsUrl,
    KARAT_PROGRAM_ID: chain.config.programId,
    KARAT_SERVICE_SIGNER: chain.config.serviceSignerUrl,
    KARAT_ADMIN_SIGNER: chain.keyFile(chain.admin),
  };
}

/** All of it, each once. */
async function doAll(): Promise<void> {
  const before = await holdings();
  expectStatus(await settle(o.operators, work.refunded, 'refund'), 200);
  expect(await settleDueBurns(o.h.ctx, never)).toBe(1);
  expectStatus(await submit(o.h.app, work.purchase.signed), 200);
  expectStatus(await submit(o.h.app, work.withdrawal.signed), 200);
  expect(await mint(o.h.databaseUrl)).toMatchObject({ code: 0, stderr: '' });
  const after = await holdings();
  expect(after.escrow - before.escrow).toBe(-2n * tokens);
  expect(after.supply - before.supply).toBe(mintedGold * 1_000_000n - tokens);
  expect(after.vault.gold - before.vault.gold).toBe(1_000_000n);
  expect(after.withdrawn - before.withdrawn).toBe(2_000_000n);
  await finalize(o.chain, o.h.ctx);
  await o.ready();
}

/** Base units of everything that any of it could move. */
async function holdings() {
  const { usdcMint, goldMint, addresses, balance } = o.chain;
  const { escrow, supply } = await o.gold();
  const of = async (owner: Parameters<typeof balance>[0]) => ({
    usdc: await balance(owner, usdcMint),
    gold: await balance(owner, goldMint),
  });
  return {
    escrow,
    supply,
    vault: await of(vault.vault),
    treasury: await of(addresses.treasuryAuthority),
    withdrawn: await balance(vault.withdrawal.wallet.address, usdcMint),
  };
}

/** What the service says of it, but for what only its own operators could tell. */
async function recordsOf(operators: Operators, { db }: { db: Db }) {
  const get = async (path: string) =>
    expectStatus(await operators.by.viewer.client.get(`/operator/v1${path}`), 200).body;
  const redemptions = [await get(`/redemptions/${work.refunded}`), await get(`/redemptions/${work.burned}`)];
  const orders = [await get(`/orders/${work.purchase.id}`), await get(`/orders/${work.withdrawal.id}`)];
  const final = [...redemptions, ...orders].every((record) => record.final !== false);
  const events = await db.select().from(programEvents).orderBy(programEvents.partnerId, programEvents.seq);
  const movements = await db
    .select()
    .from(treasuryMovements)
    .orderBy(treasuryMovements.slot, treasuryMovements.txSignature, treasuryMovements.account);
  return {
    redemptions: redemptions.map((record) => ({
      ...undated(record),
      settlement: undated(record.settlement),
    })),
    orders: orders.map(
      (record): Record<string, unknown> => ({ ...undated(record), created_at: record.created_at }),
    ),
    final,
    events: events.map(undated),
    movements: movements.map(undated),
  };
}

const whenWritten = ['createdAt', 'created_at', 'updated_at'];

/** Without the times when the service wrote it down. */
function undated(record: object | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => !whenWritten.includes(name)));
}

/** A copy of a database as it is now. Its sessions are ended for that; they come back. */
async function copyOf(url: string) {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy`;
  const server = inject('postgresUrl');
  const admin = postgres(`${server}/postgres`, { max: 1, onnotice: () => {} });
  await admin.unsafe(`alter database ${name} with allow_connections false`);
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
  await admin.unsafe(`create database ${copy} template ${name} strategy file_copy`);
  for (const database of [name, copy])
    await admin.unsafe(`alter database ${database} with allow_connections true`);
  return {
    url: `${server}/${copy}`,
    async drop() {
      await admin.unsafe(`drop database if exists ${copy} with (force)`);
      await admin.end();
    },
  };
}

/** A service over a database that was put back. */
async function restore({ url }: { url: string }): Promise<Restored> {
  const { chain, h } = o;
  const config = { ...h.ctx.config, databaseUrl: testConfig(url).databaseUrl };
  const ctx = await createContext(config, { clock: chain.clock, log: h.ctx.log });
  await ctx.chain.start();
  const app = await buildApp(ctx, { extend: watchResponses });
  const operators = await startOperators({ ctx, secrets: h.secrets });
  await eventually(() => [ctx.chain.blockhash.current(), ctx.chain.program.config()], 10_000);
  let indexer: ReturnType<typeof startIndexer> | undefined;
  const service = {
    ctx,
    app,
    operators,
    url,
    index() {
      indexer = startIndexer(ctx, {
        pollMs: 50,
        idlePollMs: 200,
        finalizeMs: 300,
        lapseMs: 500,
        electionMs: 500,
      });
    },
    async stop() {
      await indexer?.stop();
      await operators.close();
      await app.close();
      await ctx.close();
    },
  };
  restored.push(service);
  return service;
}

/** The order's transaction again, with the blockhash that a service read at its start and its signature. */
function renewed(
  { ctx }: Restored,
  { unsigned }: Order,
  role: { wallet: Treasury['executive']['wallet'] },
): Uint8Array {
  const { message } = readLegacyTransaction(unsigned);
  const bytes = Uint8Array.from(message);
  const { blockhash } = ctx.chain.blockhash.current();
  bytes.set(getBase58Encoder().encode(blockhash), 4 + 32 * (bytes[3] ?? 0));
  return signedBy(writeTransaction(bytes, new Uint8Array(64)), role.wallet);
}

/** Asks a service for all of it a second time: what it responds. */
async function again(service: Restored) {
  const { operators, app, url } = service;
  const bought = renewed(service, work.purchase, vault.executive);
  const withdrawn = renewed(service, work.withdrawal, vault.withdrawal);
  expect(signatureOf(bought)).not.toBe(signatureOf(work.purchase.signed));
  return {
    refund: await settle(operators, work.refunded, 'refund'),
    burn: await settle(operators, work.burned, 'burn'),
    burns: await settleDueBurns(service.ctx, never),
    purchase: await submit(app, bought),
    withdrawal: await submit(app, withdrawn),
    mint: await mint(url),
  };
}

/** Refusals of all of it a second time; nothing moves. */
async function refusals(service: Restored) {
  const before = await holdings();
  const { mint: minted, burns, ...responses } = await again(service);
  expect(await holdings()).toEqual(before);
  return {
    ...Object.fromEntries(
      Object.entries(responses).map(([name, { status, body }]) => [name, [status, body]]),
    ),
    burns,
    mint: [minted.code, minted.stderr],
  };
}

const text = (part: string) => expect.stringContaining(part);
const above = [1, text('GOLD more than is attested')];

describe('a backup from before', () => {
  test('a restored service catches up from the chain alone, and does nothing again', async () => {
    const service = await restore(backup);
    expect(await recordsOf(service.operators, service.ctx)).not.toEqual(records);
    service.index();
    await eventually(
      async () => expect(await recordsOf(service.operators, service.ctx)).toEqual(records),
      20_000,
    );
    const settled = (word: string) => [
      409,
      {
        error: 'transition_not_allowed',
        doc_url: text('/errors/transition_not_allowed'),
        message: text(`has already been ${word}`),
      },
    ];
    const executed = [
      400,
      {
        success: false,
        error: {
          code: 'transaction_not_supported',
          docUrl: text('/errors/transaction_not_supported'),
          message: text('is already confirmed'),
        },
      },
    ];
    expect(await refusals(service)).toEqual({
      refund: settled('refunded'),
      burn: settled('burned'),
      burns: 0,
      purchase: executed,
      withdrawal: executed,
      mint: above,
    });
  }, 60_000);

  test('a restored service does nothing again before it has caught up either: the chain refuses', async () => {
    const service = await restore(early);
    const settled = [
      409,
      {
        error: 'transition_not_allowed',
        doc_url: text('/errors/transition_not_allowed'),
        message: text('The tokens of this redemption are no longer in escrow'),
      },
    ];
    const executed = [
      400,
      {
        success: false,
        error: {
          code: 'broadcast_failed',
          message: text('OrderExecuted'),
          reason: 'program_error',
          programErrorName: 'OrderExecuted',
          docUrl: text('/reasons/program_error'),
        },
      },
    ];
    expect(await refusals(service)).toEqual({
      refund: settled,
      burn: [
        409,
        {
          error: 'transition_not_allowed',
          doc_url: text('/errors/transition_not_allowed'),
          message: text('already announced'),
        },
      ],
      burns: 0,
      purchase: executed,
      withdrawal: executed,
      mint: above,
    });
  }, 60_000);
});
