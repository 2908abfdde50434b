import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createSigner } from '@karat/signer';
import { createSolanaRpc, type Rpc, type SignatureBytes, type SolanaRpcApi } from '@solana/kit';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { countersign } from '../../src/actions/reserves/countersign.js';
import { publishNightly, publishStatement } from '../../src/actions/reserves/publish-statement.js';
import type { SignedStatement } from '../../src/actions/reserves/reserve-ledger.js';
import type { Signer } from '../../src/chain/sign/signer.js';
import { bars, updateBar } from '../../src/db/bars/bars.js';
import { findStatementsAfter, reserveStatements } from '../../src/db/reserves/statements.js';
import { formatDecimal } from '../../src/domain/money.js';
import { rootOf } from '../../src/domain/reserves/merkle.js';
import { type Statement, statementBytes, statementHash } from '../../src/domain/reserves/statement.js';
import { addressToBytes } from '../../src/domain/solana.js';
import { buildApp } from '../../src/http/app.js';
import { buildMetricsApp } from '../../src/http/server/metrics.js';
import { clientOf, expectStatus, newAddress, newWallet, type Wallet } from '../harness.js';
import { refusingMinContextSlot, startLyingNode } from '../indexer/lying-node.js';
import { type Karat, startKarat } from '../karat.js';
import { eventually } from '../karat-chain.js';
import { givenRedemption, seedDenominations } from '../redeeming.js';

const script = fileURLToPath(new URL('../../../../examples/verify-reserves.mjs', import.meta.url));
const wallet = newWallet();
const signer = createSigner(new Uint8Array(wallet.secretKey));
let t: Karat;
let url: string;
let folder: string;
beforeAll(async () => {
  t = await startKarat();
  url = await t.service.app.listen({ port: 0, host: '127.0.0.1' });
  folder = mkdtempSync(join(tmpdir(), 'karat-reserves-'));
  await seedDenominations(t.service);
});
afterAll(async () => {
  await t?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string) => t.partner.client.get(path);
const publish = () => t.given.statement(wallet);
const put = (count: number, refiner: string) => t.given.bars(count, { refiner });

/** Runs the script as a stranger does, and returns what it found wrong. */
async function verify(source: string, ...more: string[]) {
  const child = spawn(process.execPath, [script, source, ...more], { env: { PATH: process.env.PATH } });
  const exit = once(child, 'exit');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await exit;
  const found = output.split('\n').filter((line) => line.startsWith('FAIL '));
  return { code, found, output: output + errors };
}

test('no statement is signed before the first bar is entered', async () => {
  const { ctx } = t.service;
  await publishNightly({ ...ctx, reservesSigner: signer });
  await expect(publishStatement(ctx, signer)).rejects.toMatchObject({
    code: 'transition_not_allowed',
    message: 'No bar has been entered: the first statement of the reserves would be of an empty vault.',
  });
  expect(await findStatementsAfter(ctx.db, 0)).toEqual([]);
});

test('statements of reserves do not exist before the first, and then they are public', async () => {
  expect(expectStatus(await get('/v1/reserves'), 404).body.error).toBe('statement_not_found');
  expect((await get('/v1/reserves/statements')).body).toEqual({ statements: [] });
  await put(30, 'Valcambi');
  await publish();
  t.chain.node.warp({ seconds: 86_400 });
  await put(12, 'Argor|Heraeus');
  await publish();
  const response = await fetch(`${url}/v1/reserves`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=60');
  const newest = (await response.json()) as SignedStatement;
  const mint = t.chain.node.getAccount(t.chain.goldMint);
  const supply = formatDecimal(Buffer.from(mint?.data ?? []).readBigUInt64LE(36), 6);
  expect(newest.statement).toMatchObject({
    sequence: 2,
    bars: { count: 42, gross_weight_g: '42000', fine_weight_g: '41995.8' },
    tokens: { supply },
    coverage: { covered: true, tokens_outstanding: supply },
  });
  const { statements } = (await get('/v1/reserves/statements')).body;
  expect(statements[1]).toEqual(newest);
  expect(statements[1].statement.previous).toBe(statements[0].hash);
  const id = newest.statement.statement_id;
  expect((await get(`/v1/reserves/statements/${id}`)).body).toEqual(newest);
  const { bars } = (await get(`/v1/reserves/statements/${id}/bars`)).body;
  expect(bars[0]).toEqual({
    refiner: 'Argor|Heraeus',
    serial: 'AA0',
    weight_g: '1000',
    fineness: '999.9',
    vault: 'Karachi',
  });
  const csv = await fetch(`${url}/v1/reserves/statements/${id}/bars?format=csv`);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const bytes = Buffer.from(await csv.arrayBuffer());
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
  const table = bytes.subarray(3).toString();
  expect(table.split('\r\n').slice(0, 2)).toEqual([
    'refiner,serial,weight_g,fineness,vault',
    'Argor|Heraeus,AA0,1000,999.9,Karachi',
  ]);
  expect(table.trimEnd().split('\r\n')).toHaveLength(43);
});

test('a bar is proven to be in a statement, and one that is not is 404', async () => {
  const { statement } = (await get('/v1/reserves')).body as SignedStatement;
  const at = `/v1/reserves/statements/${statement.statement_id}/proof`;
  const { body } = expectStatus(await get(`${at}?refiner=Argor%7CHeraeus&serial=AA7`), 200);
  const leaf = Buffer.from('Argor\\|Heraeus|AA7|1000|999.9|Karachi');
  const path = body.path.map((hash: string) => Buffer.from(hash, 'hex'));
  const root = rootOf(leaf, { index: body.index, leaves: body.leaves, path });
  expect(Buffer.from(root ?? []).toString('hex')).toBe(statement.bars.merkle_root);
  expect(body.merkle_root).toBe(statement.bars.merkle_root);
  const typed = encodeURIComponent('\uff21A7\u00a0');
  expect(expectStatus(await get(`${at}?refiner=Argor%7CHeraeus%20&serial=${typed}`), 200).body).toEqual(body);
  expect(expectStatus(await get(`${at}?refiner=Valcambi&serial=AA99`), 404).body.error).toBe('bar_not_found');
  expect(expectStatus(await get(`${at}?refiner=Valcambi`), 400).body.field).toBe('serial');
  const unknown = '/v1/reserves/statements/rs_019ca945-0a00-7c3e-9d61-4b8f2a7e5c10/bars';
  expect(expectStatus(await get(unknown), 404).body.error).toBe('statement_not_found');
});

test('lists of bars are limited for each network, and the newest statement is not', async () => {
  const { ctx } = t.service;
  const { statement } = (await get('/v1/reserves')).body as SignedStatement;
  const app = await buildApp({ ...ctx, config: { ...ctx.config, openRateLimitPerMinute: 2 } });
  try {
    const client = clientOf(app, {}, { remoteAddress: newAddress() });
    const at = `/v1/reserves/statements/${statement.statement_id}`;
    expectStatus(await client.get(`${at}/bars`), 200);
    expectStatus(await client.get(`${at}/proof?refiner=Valcambi&serial=AA7`), 200);
    expect(expectStatus(await client.get(`${at}/bars?format=csv`), 429).body.error).toBe('rate_limited');
    expectStatus(await client.get('/v1/reserves'), 200);
    expectStatus(await client.get(at), 200);
  } finally {
    await app.close();
  }
});

test('statements that are due once are made once', async () => {
  const { statement } = (await get('/v1/reserves')).body as SignedStatement;
  const since = new Date(statement.made_at);
  expect(await publishStatement(t.service.ctx, signer, since)).toBeUndefined();
  t.chain.node.warp({ seconds: 1 });
  const made = await Promise.all(
    [1, 2, 3].map(() => publishStatement(t.service.ctx, signer, new Date(since.getTime() + 1))),
  );
  expect(made.filter(Boolean)).toHaveLength(1);
});

describe('a statement that is not made', () => {
  const servers: Server[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });
  type ApiResponse = { result: { context: { slot: number }; value: unknown[] } };

  /** A node that changes what the real one reports of several accounts. */
  async function liar(change: (response: ApiResponse) => void) {
    const server = createServer(async (request, response) => {
      const body = await text(request);
      const headers = { 'content-type': 'application/json' };
      const upstream = await fetch(t.chain.node.rpcUrl, { method: 'POST', headers, body });
      const json = (await upstream.json()) as ApiResponse;
      if (body.includes('getMultipleAccounts')) change(json);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(json));
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return createSolanaRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  const real = () => createSolanaRpc(t.chain.node.rpcUrl);
  const by = (...witnesses: Rpc<SolanaRpcApi>[]) => {
    const { ctx } = t.service;
    const chain = { ...ctx.chain, programAddress: ctx.chain.programAddress, witnesses };
    return { db: ctx.db, clock: ctx.clock, chain };
  };
  const count = async () => (await findStatementsAfter(t.service.ctx.db, 0)).length;
  const refused = (ctx: Parameters<typeof publishStatement>[0], one: Signer = signer) =>
    expect(publishStatement(ctx, one)).rejects.toMatchObject({ code: 'service_unavailable' });
  let before: number;
  beforeEach(async () => {
    before = await count();
  });
  afterEach(async () => expect(await count()).toBe(before));

  test.each([
    ['mint', 1],
    ['treasury', 2],
    ['escrow', 3],
  ])('a statement is not made from a node that has no %s, or one of another program', async (_name, at) => {
    await refused(by(await liar(({ result }) => result.value.splice(at, 1, null))));
    const owner = t.service.ctx.chain.programAddress;
    await refused(by(await liar(({ result }) => Object.assign(result.value[at] as object, { owner }))));
  });

  test('a statement is not made for a slot before that of the newest', async () => {
    await refused(by(await liar(({ result }) => Object.assign(result.context, { slot: 1 }))));
  });

  test('a statement is not made from accounts on which two nodes do not agree', async () => {
    const emptied = await liar(({ result }) => result.value.splice(2, 1, result.value[3]));
    await refused(by(real(), emptied));
    await refused(by(real(), createSolanaRpc('http://127.0.0.1:1')));
  });

  test('a statement is not made before the records of redemptions have followed the chain', async () => {
    const ahead = await liar(({ result }) => {
      const config = result.value[0] as { data: [string, string] };
      const bytes = Buffer.from(config.data[0], 'base64');
      bytes.writeBigUInt64LE(1n, 1_008);
      config.data[0] = bytes.toString('base64');
    });
    await refused(by(ahead));
  });

  test('a statement is not made with a signature that is not valid', async () => {
    await refused(t.service.ctx, { ...signer, sign: async () => new Uint8Array(64) as SignatureBytes });
  });

  test('a statement is not made behind one of the same time, for which signing holds nothing up', async () => {
    const meanwhile: Signer = {
      ...signer,
      async sign(body) {
        await publishStatement(t.service.ctx, signer);
        before += 1;
        return signer.sign(body);
      },
    };
    await refused(t.service.ctx, meanwhile);
  });
});

test('a statement that two nodes agree on is made, though one of them refuses minContextSlot', async () => {
  const node = await startLyingNode(t.chain.node.rpcUrl);
  node.lie = refusingMinContextSlot;
  const { ctx } = t.service;
  const witnesses = [t.chain.node.rpcUrl, node.url].map((each) => createSolanaRpc(each));
  const chain = { ...ctx.chain, programAddress: ctx.chain.programAddress, witnesses };
  try {
    expect(await publishStatement({ db: ctx.db, clock: ctx.clock, chain }, signer)).toBeDefined();
  } finally {
    await node.close();
  }
});

test('the owner of the tables, too, can neither change a statement nor delete one', async () => {
  const { db } = t.service.ctx;
  const code = { cause: { code: '42501' } };
  await expect(db.update(reserveStatements).set({ hash: '0'.repeat(64) })).rejects.toMatchObject(code);
  await expect(db.delete(reserveStatements)).rejects.toMatchObject(code);
  await expect(db.execute(sql`truncate reserve_statements`)).rejects.toMatchObject(code);
});

test('a countersignature that replaces another is served', async () => {
  const { ctx } = t.service;
  const { statement } = (await get('/v1/reserves')).body as SignedStatement;
  const auditor = newWallet();
  const signed = async () => {
    const statementId = statement.statement_id;
    const signature = auditor.signBytes(statementBytes(statement));
    const from = ctx.clock.now();
    await countersign(ctx, { statementId, publicKey: addressToBytes(auditor.address), signature });
    await eventually(async () => {
      const { countersignatures } = (await get(`/v1/reserves/statements/${statementId}`)).body;
      expect(countersignatures).toHaveLength(1);
      expect(Date.parse(countersignatures[0].at)).toBeGreaterThanOrEqual(from);
    }, 10_000);
  };
  await signed();
  t.chain.node.warp({ seconds: 60 });
  await signed();
});

describe('a verifier from outside', () => {
  beforeAll(async () => {
    await eventually(
      async () => expect((await get('/v1/reserves/statements')).body.statements).toHaveLength(5),
      10_000,
    );
    expect(await verify(url, '--save', folder)).toMatchObject({ code: 0, found: [] });
  });

  test('a verifier finds nothing wrong online, offline and on the chain', async () => {
    const key = Buffer.from(addressToBytes(wallet.address)).toString('hex');
    const online = await verify(url, '--rpc', t.chain.node.rpcUrl, '--key', key);
    expect(online, online.output).toMatchObject({ code: 0, found: [] });
    expect(online.output).toContain('ok   chain: mint authority');
    const offline = await verify(folder);
    expect(offline, offline.output).toMatchObject({ code: 0, found: [] });
    expect(offline.output).toMatch(/\nCOVERED: /);
  });

  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const sign = (statement: Statement, by: Wallet = wallet): SignedStatement => {
    const bytes = statementBytes(statement);
    return {
      statement,
      hash: statementHash(bytes),
      public_key: Buffer.from(addressToBytes(by.address)).toString('hex'),
      signature: Buffer.from(by.signBytes(bytes)).toString('base64'),
      countersignatures: [],
    };
  };
  interface Published {
    statements: SignedStatement[];
    newest: Statement;
    bars: { serial: string; weight_g: string }[];
  }

  test.each<[string, (published: Published) => void, RegExp]>([
    ['a bar that is removed', ({ bars }) => void bars.splice(7, 1), /^FAIL bars: Merkle root/],
    [
      'a bar that is listed twice',
      ({ bars }) => bars.splice(7, 0, bars[7] as never),
      /^FAIL bars: sorted, none twice: Argor\|Heraeus/,
    ],
    [
      'a bar that is made heavier',
      ({ bars }) => Object.assign(bars[7] as object, { weight_g: '1000.1' }),
      /^FAIL bars: Merkle root/,
    ],
    [
      'a statement that is rewritten',
      ({ statements }) =>
        Object.assign(statements[0]?.statement as object, { made_at: '2020-01-01T00:00:00.000Z' }),
      /^FAIL statement 1 .*: hash/,
    ],
    [
      'a statement that is rewritten and signed again by us',
      ({ statements }) => {
        const first = statements[0]?.statement as Statement;
        statements[0] = sign({ ...first, made_at: '2020-01-01T00:00:00.000Z' });
      },
      /^FAIL statement 2 .*: predecessor/,
    ],
    [
      'a statement that is dropped',
      ({ statements }) => void statements.splice(1, 1),
      /^FAIL statement 3 .*: (place|predecessor)/,
    ],
    [
      'a statement that another key signed',
      ({ statements, newest }) => {
        statements[statements.length - 1] = sign(newest, newWallet());
      },
      /^FAIL statement 5 .*: (signature|key)/,
    ],
    [
      'another mint from some statement on, though we signed it',
      ({ statements, newest }) => {
        const network = { ...newest.network, gold_mint: newAddress() };
        statements[statements.length - 1] = sign({ ...newest, network });
      },
      /^FAIL statement 5 .*: network/,
    ],
    [
      'a slot before that of the statement before, though we signed it',
      ({ statements, newest }) => {
        statements[statements.length - 1] = sign({ ...newest, network: { ...newest.network, slot: 1 } });
      },
      /^FAIL statement 5 .*: time/,
    ],
    [
      'a time before that of the statement before, though we signed it',
      ({ statements, newest }) => {
        statements[statements.length - 1] = sign({ ...newest, made_at: '2020-01-01T00:00:00.000Z' });
      },
      /^FAIL statement 5 .*: time/,
    ],
    [
      'a key that is none',
      ({ statements }) => Object.assign(statements[1] as object, { public_key: 'zz' }),
      /^FAIL statement 2 .*: key/,
    ],
    [
      'a signature that is no base64',
      ({ statements }) => Object.assign(statements[1] as object, { signature: '-' }),
      /^FAIL statement 2 .*: form/,
    ],
    [
      'a weight that is no number',
      ({ bars }) => Object.assign(bars[7] as object, { weight_g: 'heavy' }),
      /^FAIL bars: (Merkle root|form)/,
    ],
    [
      'a sum that is one base unit too much, though we signed it',
      ({ statements, newest }) => {
        const { coverage } = newest;
        const more = (BigInt(coverage.difference.replace('.', '')) + 1n).toString();
        const difference = `${more.slice(0, -6)}.${more.slice(-6)}`;
        statements[statements.length - 1] = sign({ ...newest, coverage: { ...coverage, difference } });
      },
      /^FAIL coverage: difference/,
    ],
    [
      'a shortage that is called covered',
      ({ statements, newest }) => {
        const tokens = { ...newest.tokens, supply: '9999999', circulating: '9998999' };
        statements[statements.length - 1] = sign({ ...newest, tokens });
      },
      /^FAIL coverage: /,
    ],
  ])('a verifier finds %s, and names it', async (_name, forge, problem) => {
    const forged = mkdtempSync(join(tmpdir(), 'karat-forged-'));
    try {
      cpSync(folder, forged, { recursive: true });
      const { statements } = read('statements.json') as { statements: SignedStatement[] };
      const newest = statements.at(-1)?.statement as Statement;
      const file = `${newest.statement_id}.json`;
      const { bars } = read(file);
      forge({ statements, newest, bars });
      writeFileSync(join(forged, 'statements.json'), JSON.stringify({ statements }));
      writeFileSync(join(forged, file), JSON.stringify({ bars }));
      const { code, found, output } = await verify(forged);
      expect(code, output).toBe(1);
      expect(
        found.some((line) => problem.test(line)),
        output,
      ).toBe(true);
    } finally {
      rmSync(forged, { recursive: true });
    }
  });

  /** Writes what was published to a folder, with the newest statement as it is given. */
  function withNewest(newest: (statement: Statement) => SignedStatement): string {
    const other = mkdtempSync(join(folder, 'other-'));
    const { statements } = read('statements.json') as { statements: SignedStatement[] };
    const { statement } = statements.at(-1) as SignedStatement;
    writeFileSync(
      join(other, 'statements.json'),
      JSON.stringify({ statements: [...statements.slice(0, -1), newest(statement)] }),
    );
    const file = `${statement.statement_id}.json`;
    writeFileSync(join(other, file), JSON.stringify(read(file)));
    return other;
  }
  const keyOf = (by: Wallet) => Buffer.from(addressToBytes(by.address)).toString('hex');

  test('a verifier trusts the key after a rotation once it is named', async () => {
    const next = newWallet();
    const rotated = withNewest((statement) => sign(statement, next));
    const before = ['--key', keyOf(wallet)];
    expect(await verify(rotated, ...before)).toMatchObject({
      code: 1,
      found: [expect.stringMatching(/^FAIL statement 5 .*: key/)],
    });
    expect(await verify(rotated, ...before, '--key', keyOf(next))).toMatchObject({ code: 0, found: [] });
  });

  test('a verifier refuses a key that is none, and names the key that it trusts, with the reason', async () => {
    for (const typed of ['abc', '', `${keyOf(wallet)} abc`])
      expect(await verify(folder, '--key', typed)).toMatchObject({
        code: 2,
        output: expect.stringMatching(
          /^It could not be checked: "[^"]*" is no public key: .* 64 hexadecimal digits\n$/,
        ),
      });
    const trusts = async (why: string, ...more: string[]) =>
      expect((await verify(folder, ...more)).output).toContain(`Trusted: ${keyOf(wallet)}, because ${why}`);
    await trusts('it signed the first statement, and you named none: compare it with what Karat publishes');
    await trusts('you named it.', '--key', keyOf(wallet).toUpperCase());
  });

  test('a verifier counts a node that does not respond as a failed check', async () => {
    expect(await verify(folder, '--rpc', 'http://127.0.0.1:1')).toMatchObject({
      code: 1,
      found: [expect.stringMatching(/^FAIL chain: node: it does not respond \(/)],
    });
  });

  test('a verifier finds another mint than the one that is named, and a list that ended', async () => {
    expect(await verify(folder, '--mint', t.chain.goldMint)).toMatchObject({ code: 0 });
    expect(await verify(folder, '--mint', newAddress())).toMatchObject({
      code: 1,
      found: [expect.stringMatching(/^FAIL statements: mint/)],
    });
    const { statements } = read('statements.json') as { statements: SignedStatement[] };
    const endedMs = Date.now() - 31 * 3_600_000;
    const signed: SignedStatement[] = [];
    for (const { statement } of statements) {
      const made_at = new Date(endedMs + signed.length).toISOString();
      signed.push(sign({ ...statement, made_at, previous: signed.at(-1)?.hash ?? null }));
    }
    const bars = read(`${signed.at(-1)?.statement.statement_id}.json`);
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.url?.endsWith('/bars') ? bars : { statements: signed }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await verify(`http://127.0.0.1:${port}`)).toMatchObject({
      code: 1,
      found: [expect.stringMatching(/^FAIL statements: age/)],
    });
    server.close();
  });

  test('a verifier finds a token that was minted past the program', async () => {
    await t.chain.node.setTokenBalance(newWallet().address, t.chain.goldMint, 1n);
    t.chain.node.warp({ slots: 40 });
    const { code, found, output } = await verify(url, '--rpc', t.chain.node.rpcUrl);
    expect(code, output).toBe(1);
    expect(found).toEqual([expect.stringMatching(/^FAIL chain: supply: 1 base units/)]);
  });
});

test('a collected bar is proven to have been in the reserve, and to have left it', async () => {
  const { service, partner, user } = t;
  const { statement } = (await get('/v1/reserves')).body as SignedStatement;
  // Later than clocks of processes may differ.
  t.chain.node.warp({ seconds: 60 });
  const owner = { partner, user };
  const id = await givenRedemption(service, owner, { status: 'collected', bar: 'AA3' });
  const record = async () => expectStatus(await get(`/v1/redemptions/${id}`), 200).body;
  const proof = `/v1/reserves/statements/${statement.statement_id}/proof?refiner=Valcambi&serial=AA3`;
  const stamped = { refiner: 'Valcambi', serial: 'AA3', weight_g: 1_000, fineness: 999.9 };
  expect((await record()).bar).toEqual({ ...stamped, proof, left: null });
  expect(expectStatus(await get(proof), 200).body.merkle_root).toBe(statement.bars.merkle_root);
  t.chain.node.warp({ seconds: 60 });
  const { id: next, body } = await publish();
  // Its gold was handed over.
  const { tokens, coverage } = JSON.parse(body) as Statement;
  expect(tokens.awaiting_burn).toBe('0.380625');
  expect(Number(coverage.tokens_outstanding)).toBeCloseTo(Number(tokens.supply) - 0.380625, 6);
  expect((await record()).bar).toEqual({ ...stamped, proof, left: `/v1/reserves/statements/${next}/bars` });
  expect((await get((await record()).bar.left)).body.bars).not.toContainEqual(
    expect.objectContaining({ refiner: stamped.refiner, serial: stamped.serial }),
  );
});

async function read(metric: string): Promise<string> {
  const app = await buildMetricsApp(t.service.ctx);
  try {
    return await eventually(async () => {
      const { body } = await app.inject({ method: 'GET', url: '/metrics' });
      const [, found] = new RegExp(`^${metric}(?:\\{.*\\})? (.+)$`, 'm').exec(body) ?? [];
      // What the database does not say within two seconds is left out.
      if (found === undefined) throw new Error('the metrics do not have it');
      return found;
    }, 15_000);
  } finally {
    await app.close();
  }
}

test('bars: those that a statement is the first to count are measured, as they may not exist', async () => {
  await publish();
  t.chain.node.warp({ seconds: 60 });
  await put(2, 'Phantom');
  t.chain.node.warp({ seconds: 60 });
  await publish();
  expect(await read('karat_reserves_new_bars')).toBe('2');
  t.chain.node.warp({ seconds: 60 });
  await publish();
  expect(await read('karat_reserves_new_bars')).toBe('0');
});

test('bars: those that were withdrawn within 24 hours are measured', async () => {
  const { ctx } = t.service;
  const hourMs = 3_600_000;
  await put(2, 'Gone');
  const gone = await ctx.db.select().from(bars).where(eq(bars.refiner, 'Gone'));
  const before = Number(await read('karat_bars_withdrawn'));
  for (const [index, bar] of gone.entries()) {
    const at = new Date(ctx.clock.now() - (index === 0 ? hourMs : 25 * hourMs));
    await ctx.db.transaction((tx) => updateBar(tx, bar, { status: 'withdrawn', reason: 'melted' }, at));
  }
  expect(Number(await read('karat_bars_withdrawn')) - before).toBe(1);
});

test('gold that does not cover the tokens is published all the same, and measured', async () => {
  const { ctx } = t.service;
  const measured = () => read('karat_reserves_difference_tokens');
  expect(Number(await measured())).toBeGreaterThan(0);
  await ctx.db.update(bars).set({ status: 'withdrawn', reason: 'sold' }).where(eq(bars.status, 'in_stock'));
  await publish();
  const { statement } = (await get('/v1/reserves')).body as SignedStatement;
  expect(statement.assertion).toMatch(/^NOT COVERED: the gold held is [\d.]+ troy ounces less/);
  expect(statement.bars.count).toBe(0);
  expect(await measured()).toBe(statement.coverage.difference);
  const { code, found } = await verify(url);
  expect(code).toBe(1);
  expect(found).toContainEqual(
    expect.stringMatching(/^FAIL coverage: the gold covers the tokens: \d+ base units are missing$/),
  );
});
