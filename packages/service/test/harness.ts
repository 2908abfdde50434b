import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, createKeyPairSignerFromPrivateKeyBytes, getAddressDecoder } from '@solana/kit';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import postgres from 'postgres';
import sodium from 'sodium-native';
import { inject } from 'vitest';
import type { Chain } from '../src/chain/chain.js';
import type { Clock } from '../src/clock.js';
import { type Config, readConfig } from '../src/config.js';
import { createContext, type OwnedContext } from '../src/create-context.js';
import { type DeadLetterSubject, subjectBytes, subjectOf } from '../src/db/indexing/dead-letters.js';
import { apiKeys, countries, partners, partnerWallets, users } from '../src/db/schema.js';
import { insertUserKyc } from '../src/db/users.js';
import { hashApiKey, newId, newUuid, type UserId, type Uuid } from '../src/domain/index.js';
import { buildApp } from '../src/http/app.js';
import { createLogger } from '../src/log.js';
import { shareCompilers } from './compilers.js';
import { type ContractWatch, watchContract } from './contract.js';
import { kycKeyFile } from './kyc-key.js';

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  #now: number;
  constructor(now: number) {
    this.#now = now;
  }
  now(): number {
    return this.#now;
  }
  set(ms: number): void {
    this.#now = ms;
  }
  advance(ms: number): void {
    this.#now += ms;
  }
}

/** An Ed25519 key pair as wallets hold it. */
export interface Wallet {
  address: Address;
  /** 32-byte seed and 32-byte public key: the 64 bytes of a Solana CLI key file. */
  secretKey: Uint8Array;
  /** Base64 signature of a text, as the partner API takes it. */
  sign(message: string): string;
  signBytes(message: Uint8Array): Uint8Array;
}

export function newWallet(): Wallet {
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  sodium.crypto_sign_keypair(publicKey, secretKey);
  const signBytes = (message: Uint8Array): Uint8Array => {
    const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
    sodium.crypto_sign_detached(signature, Buffer.from(message), secretKey);
    return signature;
  };
  return {
    address: getAddressDecoder().decode(publicKey),
    secretKey: new Uint8Array(secretKey),
    signBytes,
    sign: (message) => Buffer.from(signBytes(Buffer.from(message))).toString('base64'),
  };
}

/** The signer of @solana/kit for a wallet. */
export function kitSigner(wallet: Wallet) {
  return createKeyPairSignerFromPrivateKeyBytes(wallet.secretKey.slice(0, 32));
}

/** A response as a test looks at it. `body` is the parsed JSON; every response is JSON. */
export interface ApiResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape
  body: any;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
}

export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<ApiResponse>;
  /** `body` is sent as JSON text; a string is sent as it is. */
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  send(options: InjectOptions): Promise<ApiResponse>;
}

export interface GivenPartner {
  partnerId: Uuid;
  wallet: Wallet;
  apiKey: string;
  keyId: Uuid;
  client: Client;
}

export interface HarnessOptions {
  config?: Partial<Config>;
  /** The chain; default: the one that the settings name, not started, whose readers say that the node is down. */
  chain?: Chain;
  /** Rewrites the address of the database, to put something between it and the service. */
  throughProxy?: (databaseUrl: string) => string;
  /** Start of the test clock; default: now. */
  nowMs?: number;
  /** Default: trace, so that everything that may be logged is looked at. */
  logLevel?: string;
  /** Clock of the context; default: a `TestClock`. */
  clock?: Clock;
  /** How long a request may take before it gets 503, for tests whose requests keep a machine busy longer. */
  respondWithinMs?: number;
  /** How long a request waits for its first connection while its caller uses others; default: as long as it has. */
  connectWithinMs?: number;
  /** Finds the folder of a site that is served at `/`. */
  site?: () => string | undefined;
  /** How many requests of a partner are logged in a day; default: as in production. */
  maxLoggedPerDay?: number;
}

/** A context with a session of the test's own on its database. */
export interface TestContext extends OwnedContext {
  /** Dates and times are text, as PostgreSQL writes them. */
  sql: postgres.Sql;
}

export type Harness = Awaited<ReturnType<typeof harness>>;

/** The service over a database of its own, with one active partner; `close` disposes of everything. */
export async function harness(options: HarnessOptions = {}) {
  const database = await cloneTemplate();
  const logLines: string[] = [];
  const secrets = new Set<string>();
  const log = createLogger(options.logLevel ?? 'trace', {
    write: (line: string) => void logLines.push(line),
  });
  const url = options.throughProxy?.(database.url) ?? database.url;
  const config: Config = { ...testConfig(url), ...options.config };
  const clock = new TestClock(options.nowMs ?? Date.now());
  const owned = await createContext(config, {
    clock: options.clock ?? clock,
    log,
    ...(options.chain ? { chain: options.chain } : {}),
  });
  const ctx: TestContext = { ...owned, sql: connect(database.url) };
  const { respondWithinMs, connectWithinMs = 60_000, site, maxLoggedPerDay } = options;
  const app = await buildApp(ctx, {
    extend: watchResponses,
    site,
    // A machine that is busy with other tests is not what they are about.
    maxTurnMs: 0,
    connectWithinMs,
    ...(respondWithinMs === undefined ? {} : { respondWithinMs }),
    ...(maxLoggedPerDay === undefined ? {} : { maxLoggedPerDay }),
  });
  const anonymous = clientOf(app, {});
  const given = givenOf(ctx, app, secrets);
  await seedCountries(ctx);
  const main = await given.givenPartner();
  return {
    ctx,
    app,
    clock,
    /** Every line that was logged so far, at level trace. */
    logLines,
    /** Text that must never be logged, nor stored with a request: checked when the harness closes. */
    secrets,
    databaseUrl: database.url,
    anonymous,
    ...given,
    /** The partner that exists from the start, and a client with its key. */
    main,
    partner: main.client,
    async close() {
      await app.close();
      const requests = await ctx.sql<{ row: string }[]>`select request_log::text as row from request_log`;
      await ctx.close();
      await ctx.sql.end({ timeout: 1 });
      await database.drop();
      assertNothingLeaked(logLines, secrets);
      assertNothingLeaked(
        requests.map(({ row }) => row),
        secrets,
      );
      assertContractKept(watches.get(app));
    },
  };
}

const watches = new WeakMap<FastifyInstance, ContractWatch>();

/** Holds every response of an application, and what its clients get, to the published contract. Before its routes. */
export function watchResponses(app: FastifyInstance): void {
  shareCompilers(app);
  watches.set(app, watchContract(app));
}

/** Throws when a response since the last look was not as the published contract says. */
function assertContractKept(watch: ContractWatch | undefined): void {
  const violations = watch?.takeViolations() ?? [];
  if (violations.length > 0) throw new Error(`not as the published contract says: ${violations.join('\n')}`);
}

/** Throws when a planted secret stands in the log. */
export function assertNothingLeaked(lines: string[], secrets: Iterable<string>): void {
  for (const secret of secrets) {
    const line = lines.find((text) => text.includes(secret));
    if (line) throw new Error(`a secret was logged: ${line.slice(0, 500)}`);
  }
}

let addresses = 0;

/** An IP address that no other request of the process has used. */
export function newAddress(): string {
  addresses += 1;
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/** Returns a response of `inject` as tests look at it. Throws when its body is not JSON. */
export function responseOf({ statusCode, body, headers }: LightMyRequestResponse): ApiResponse {
  return { status: statusCode, body: JSON.parse(body), headers, text: body };
}

/** The response, if it has that status; else an error that shows it. */
export function expectStatus(response: ApiResponse, status: number): ApiResponse {
  if (response.status === status) return response;
  throw new Error(`got ${response.status} instead of ${status}: ${response.text}`);
}

export function clientOf(
  app: FastifyInstance,
  base: Record<string, string>,
  defaults: Partial<InjectOptions> = {},
): Client {
  const send = async (options: InjectOptions): Promise<ApiResponse> => {
    const response = await app.inject({ ...defaults, ...options, headers: { ...base, ...options.headers } });
    assertContractKept(watches.get(app));
    return responseOf(response);
  };
  return {
    send,
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    post: (url, body, headers = {}) =>
      send({
        method: 'POST',
        url,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  };
}

function givenOf(ctx: OwnedContext, app: FastifyInstance, secrets: Set<string>) {
  /** A partner with an active wallet and a key, written straight to the database. */
  async function givenPartner(
    overrides: {
      status?: 'active' | 'suspended';
      walletStatus?: 'active' | 'revoked';
      wallet?: Wallet;
      /** Roles of a key of the tradebook API; default: a key of the partner API. */
      scope?: string;
      name?: string;
    } = {},
  ): Promise<GivenPartner> {
    const now = new Date(ctx.clock.now());
    const partnerId = newUuid();
    const keyId = newUuid();
    const wallet = overrides.wallet ?? newWallet();
    const apiKey = `service_partner_${randomBytes(32).toString('hex')}`;
    secrets.add(apiKey);
    const walletStatus = overrides.walletStatus ?? 'active';
    await ctx.db.transaction(async (tx) => {
      await tx.insert(partners).values({
        id: partnerId,
        name: overrides.name ?? 'Acme Gold',
        status: overrides.status ?? 'active',
        feePercentage: '0.015',
        createdAt: now,
        updatedAt: now,
      });
      await tx.insert(partnerWallets).values({
        walletAddress: wallet.address,
        partnerId,
        status: walletStatus,
        createdAt: now,
        revokedAt: walletStatus === 'revoked' ? now : null,
      });
      await tx.insert(apiKeys).values({
        id: keyId,
        partnerId,
        walletAddress: wallet.address,
        name: 'harness',
        hash: hashApiKey(apiKey),
        surface: overrides.scope === undefined ? 'partner' : 'tradebook',
        scope: overrides.scope ?? 'PARTNER',
        createdAt: now,
      });
    });
    return { partnerId, wallet, apiKey, keyId, client: clientOf(app, { 'x-api-key': apiKey }) };
  }

  /** A user with full KYC, written straight to the database. */
  async function givenUser(
    partnerId: Uuid,
    overrides: { wallet?: Wallet; status?: 'active' | 'suspended'; kycLevel?: string; kyc?: false } = {},
  ): Promise<{ id: UserId; partnerUserId: string; wallet: Wallet }> {
    const now = new Date(ctx.clock.now());
    const id = newId('gu');
    const wallet = overrides.wallet ?? newWallet();
    const partnerUserId = `user-${randomBytes(6).toString('hex')}`;
    const fullName = `Secret Person ${randomBytes(6).toString('hex')}`;
    secrets.add(fullName);
    await ctx.db.transaction(async (tx) => {
      await tx.insert(users).values({
        id,
        partnerId,
        partnerUserId,
        walletAddress: wallet.address,
        status: overrides.status ?? 'active',
        createdAt: now,
        updatedAt: now,
      });
      if (overrides.kyc === false) return;
      const kyc = {
        country: 'PK',
        fullName,
        kycProvider: 'sumsub',
        kycLevel: overrides.kycLevel ?? 'full',
        kycVerifiedAt: now,
        kycData: null,
      };
      await insertUserKyc(tx, await ctx.kyc.seal(tx, { id, partnerId }, kyc));
    });
    return { id, partnerUserId, wallet };
  }

  /** Walks the two steps of minting a key over HTTP, from an address of its own so that no limit is met. */
  async function mintKey(partner: { partnerId: Uuid; wallet: Wallet }, keyName = 'minted') {
    const client = clientOf(app, {}, { remoteAddress: newAddress() });
    const challenge = await client.post('/v1/auth/challenge', {
      wallet_address: partner.wallet.address,
      partner_id: partner.partnerId,
    });
    const signature = partner.wallet.sign(challenge.body.message);
    secrets.add(signature);
    const response = await client.post('/v1/auth/api-key', {
      challenge_id: challenge.body.challenge_id,
      signature,
      key_name: keyName,
    });
    if (response.body.api_key) secrets.add(response.body.api_key);
    return { challenge, signature, response };
  }

  return { givenPartner, givenUser, mintKey };
}

async function seedCountries(ctx: OwnedContext): Promise<void> {
  await ctx.db.transaction((tx) =>
    tx.insert(countries).values([
      { code: 'PK', name: 'Pakistan', active: true },
      { code: 'AE', name: 'United Arab Emirates', active: true },
      { code: 'FR', name: 'France', active: false },
    ]),
  );
}

const datesAndTimes = [1082, 1083, 1114, 1115, 1182, 1184, 1185, 1186, 1187, 1231];

function connect(url: string): postgres.Sql {
  const asText = (value: Date | string) => (value instanceof Date ? value.toISOString() : value);
  const date = { to: 1184, from: datesAndTimes, serialize: asText, parse: (text: string) => text };
  // Addresses, signatures and ids are written as people read them.
  const bytea = {
    to: 17,
    from: [17],
    serialize: (value: string | Uint8Array) =>
      `\\x${Buffer.from(typeof value === 'string' ? subjectBytes(value as DeadLetterSubject) : value).toString('hex')}`,
    parse: (text: string) => {
      const bytes = Buffer.from(text.slice(2), 'hex');
      return bytes.length === 32 || bytes.length === 64 ? subjectOf(bytes) : bytes;
    },
  };
  const uuid = {
    to: 2950,
    from: [2950],
    serialize: (value: string) => value.slice(value.indexOf('_') + 1),
    parse: (text: string) => text,
  };
  return postgres(url, { max: 3, onnotice: () => {}, types: { date, bytea, uuid } });
}

/** A database of a test's own: a clone of the migrated template, or an empty one from `template0`. */
export async function cloneTemplate(
  template = 'karat_template',
): Promise<{ url: string; drop(): Promise<void> }> {
  const server = inject('postgresUrl');
  const name = `karat_${process.pid}_${randomBytes(6).toString('hex')}`;
  const admin = postgres(`${server}/postgres`, { max: 1, onnotice: () => {} });
  // Cloning fails while another suite clones the same template, so one lock serialises them.
  const clone = async (sql: postgres.ReservedSql) => {
    await sql`select pg_advisory_lock(1)`;
    try {
      await sql.unsafe(`create database ${name} template ${template} strategy file_copy`);
    } finally {
      await sql`select pg_advisory_unlock(1)`;
    }
  };
  const session = await admin.reserve();
  await clone(session);
  session.release();
  return {
    url: `${server}/${name}`,
    async drop() {
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** Settings of a test's service. The key file is a real one, made for the test. */
export function testConfig(databaseUrl: string): Config {
  const folder = mkdtempSync(join(tmpdir(), 'karat-key-'));
  const keypair = join(folder, 'service.json');
  writeFileSync(keypair, JSON.stringify([...newWallet().secretKey]), { mode: 0o600 });
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    KARAT_RPC_URL: 'http://127.0.0.1:1',
    KARAT_PROGRAM_ID: newWallet().address,
    KARAT_SERVICE_SIGNER: keypair,
    KARAT_KYC_KEY: kycKeyFile(),
    KARAT_PICKUP_SECRET: 'a secret of the tests, long enough',
    KARAT_TOTP_SECRET: 'another secret of the tests, as long',
    // Tests of second factors say so.
    KARAT_SECOND_FACTOR: 'optional',
    KARAT_PORT: '0',
    KARAT_OPERATOR_PORT: '0',
    KARAT_LOG_LEVEL: 'trace',
    // Tests of two people say so.
    KARAT_APPROVALS: '1',
    KARAT_AUTH_RATE_LIMIT: '10',
    // Tests request more in a minute than a key or an operator may, and their clock stands still.
    KARAT_KEY_RATE_LIMIT: '1000000',
    KARAT_OPEN_RATE_LIMIT: '1000000',
    KARAT_CALLER_RPC_RATE_LIMIT: '1000000',
  });
  return { ...config, operatorRateLimitPerMinute: 1_000_000 };
}
