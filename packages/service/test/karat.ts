import { randomBytes } from 'node:crypto';
import { createSigner } from '@karat/signer';
import type { Address } from '@solana/kit';
import { publishStatement } from '../src/actions/reserves/publish-statement.js';
import { goldOf, tokenAccountOf } from '../src/chain/program/token-accounts.js';
import type { Config } from '../src/config.js';
import { insertBars, type NewBar } from '../src/db/bars/bars.js';
import { findHistory, findRedemption, type Redemption } from '../src/db/redemptions/redemptions.js';
import type { StoredStatement } from '../src/db/reserves/statements.js';
import { apiKeys } from '../src/db/schema.js';
import { hashApiKey, newUuid, type RedemptionId, type UserId, type Uuid } from '../src/domain/index.js';
import type { RedemptionStatus } from '../src/domain/redemption.js';
import { startIndexer } from '../src/indexer/index.js';
import { cosign } from './chain/signed-trade.js';
import {
  type ApiResponse,
  type Client,
  clientOf,
  expectStatus,
  type GivenPartner,
  type Harness,
  type HarnessOptions,
  harness,
  newAddress,
  newWallet,
  type Wallet,
} from './harness.js';
import {
  avoidMidnight,
  eventually,
  finalize,
  type KaratChain,
  type KaratChainOptions,
  startKaratChain,
} from './karat-chain.js';
import { givenRedemption, seedDenominations, tola } from './redeeming.js';

/** Addresses of a node, or of several, separated by commas. */
export interface NodeUrls {
  rpcUrl: string;
  wsUrl: string;
}

/** The addresses as the configuration takes them. */
export function configOf({ rpcUrl, wsUrl }: NodeUrls): Pick<Config, 'rpcUrls' | 'wsUrls'> {
  return { rpcUrls: rpcUrl.split(','), wsUrls: wsUrl.split(',') };
}

export interface GivenUser {
  id: UserId;
  wallet: Wallet;
}

/** A client of the tradebook API with the key of a role. */
export interface RoleClient extends Client {
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  wallet: Wallet;
  keyId: Uuid;
  apiKey: string;
}

/** A partner on chain whose roles are wallets of their own with a key each, and whose vault holds both tokens. */
export interface Treasury {
  partner: GivenPartner;
  partnerId: Uuid;
  integrator: Address;
  vault: Address;
  executive: RoleClient;
  update: RoleClient;
  withdrawal: RoleClient;
}

export interface KaratOptions extends HarnessOptions, Pick<KaratChainOptions, 'slotMs'> {
  /** Puts something between the service and the node, before the service starts. */
  reroute?: (urls: NodeUrls) => Promise<NodeUrls>;
  /** Whether an indexer runs, one that looks often; default: none. */
  indexes?: boolean;
  /** Whether the service may sign for the admin, operations, guardian and market, as one person approves; default: not. */
  signs?: boolean;
  /** Whether there are denominations and the user holds 10 GOLD; default: no account for GOLD. */
  redeems?: boolean;
}

const quickly = {
  pollMs: 50,
  // What happens wakes it.
  idlePollMs: 1_000,
  // Each look takes processor time also while nothing happens, which is most of the time.
  finalAfterMs: 0,
  finalizeMs: 500,
  completeMs: 1_000,
  lapseMs: 500,
  electionMs: 1_000,
};

export type Karat = Awaited<ReturnType<typeof startKarat>>;

/** The service over a node with the program: one partner on chain with one user who holds 100,000 USDC. */
export async function startKarat(options: KaratOptions = {}) {
  const { slotMs, reroute, indexes, redeems, signs, ...ofHarness } = options;
  const chain = await startKaratChain(slotMs === undefined ? {} : { slotMs });
  const { rpcUrl, wsUrl } = chain.node;
  const urls = configOf((await reroute?.({ rpcUrl, wsUrl })) ?? { rpcUrl, wsUrl });
  const config = { ...chain.config, ...urls, ...(signs ? signersOf(chain) : {}), ...options.config };
  const service = await harness({ clock: chain.clock, ...ofHarness, config });
  const partner = service.main;
  const given = givenOn(service, chain);
  const { integrator } = await given.onChain(partner);
  const user = await given.user(partner, redeems ? 10_000_000n : undefined);
  if (redeems) await seedDenominations(service);
  await service.ctx.chain.start();
  const indexer = indexes ? startIndexer(service.ctx, quickly) : undefined;
  const ready = readinessOf(service);
  await ready();
  const callers = { service, chain, partner, user };
  return {
    ...callers,
    integrator,
    given,
    ready,
    buy: sideOf('buy', callers),
    sell: sideOf('sell', callers),
    redemptions: redemptionsOf(callers),
    tradebook: tradebookOf(service),
    /** A transaction signed by those wallets that it names; default: the partner's and the user's. */
    signed: (transaction: Uint8Array, ...wallets: Wallet[]) =>
      cosign(transaction, wallets.length === 0 ? [partner.wallet, user.wallet] : wallets),
    /** Goes on to the next day (UTC) where less than ten minutes of this one are left, and waits for a price. */
    async avoidMidnight(): Promise<void> {
      avoidMidnight(chain.node);
      await ready();
    },
    /** What the treasury and others hold, base units; default: the user. */
    async balances<Name extends string = 'user'>(
      others: Record<Name, Address> = { user: user.wallet.address } as Record<Name, Address>,
    ) {
      const holders = { ...others, treasury: chain.addresses.treasuryAuthority };
      const entries = Object.entries<Address>(holders).map(async ([name, owner]) => [
        name,
        {
          usdc: await chain.balance(owner, chain.usdcMint),
          gold: await chain.balance(owner, chain.goldMint),
        },
      ]);
      type Held = Record<Name | 'treasury', { usdc: bigint; gold: bigint }>;
      return Object.fromEntries(await Promise.all(entries)) as Held;
    },
    async stop(): Promise<void> {
      await indexer?.stop();
      await service.close();
      await chain.stop();
    },
  };
}

/** Settings of a service that may sign for everyone who has a role. */
const signersOf = ({ keyFile, admin, operations, guardian, market }: KaratChain): Partial<Config> => ({
  approvals: 1,
  adminSignerUrl: keyFile(admin),
  operationsSignerUrl: keyFile(operations),
  guardianSignerUrl: keyFile(guardian),
  marketSignerUrl: keyFile(market),
});

/** Resolves once the service quotes: also after time was moved, for which it needs a price and a blockhash of the new time. */
function readinessOf({ ctx, main }: Harness): () => Promise<void> {
  const { price, blockhash, program } = ctx.chain;
  const isReady = () => {
    price.current();
    blockhash.current();
    program.treasury();
    if (!program.integrator(main.partnerId)) throw new Error('the service does not know the partner');
  };
  return () => eventually(isReady, 20_000);
}

type Callers = { service: Harness; chain: KaratChain; partner: GivenPartner; user: GivenUser };

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const amounts = { buy: { usdc_amount: 100 }, sell: { gold_amount: 0.1 } };

/** The trades of a side. */
function sideOf(side: 'buy' | 'sell', { partner, user }: Callers) {
  const quote = (body: object = {}) =>
    partner.client.post(`/v1/${side}`, { service_user_id: user.id, ...amounts[side], ...body });
  return {
    quote,
    /** A quote for the user, and its transaction. */
    async quoted(body: object = {}) {
      const response = expectStatus(await quote(body), 200);
      const { trade_id: tradeId, partially_signed_transaction: wire } = response.body;
      return { tradeId: tradeId as string, transaction: Buffer.from(wire, 'base64'), response };
    },
    submit: (tradeId: string, transaction: Uint8Array, client = partner.client) =>
      client.post(`/v1/${side}/${tradeId}/submit`, { signed_tx: base64(transaction) }),
  };
}

/** Redemptions of the user; of tolas, which have to be there. */
function redemptionsOf({ service, chain, partner, user }: Callers) {
  const { db } = service.ctx;
  const quote = (body: object = {}, client = partner.client) =>
    client.post('/v1/redemptions', {
      service_user_id: user.id,
      denomination_id: tola.id,
      city: 'karachi',
      ...body,
    });
  const get = (id: string, client = partner.client) => client.get(`/v1/redemptions/${id}`);
  return {
    quote,
    /** A quote, and its transaction. */
    async quoted(body: object = {}) {
      const response = expectStatus(await quote(body), 201);
      const { redemption_id: id, partially_signed_transaction: wire } = response.body;
      return { id: id as RedemptionId, transaction: Buffer.from(wire, 'base64'), response };
    },
    submit: (id: string, transaction: Uint8Array, client = partner.client) =>
      client.post(`/v1/redemptions/${id}/submit`, { signed_tx: base64(transaction) }),
    get,
    /** The record as soon as callers may see it. */
    visible: (id: string) => eventually(async () => expectStatus(await get(id), 200).body, 10_000),
    row: async (id: RedemptionId): Promise<Redemption> => {
      const found = await findRedemption(db, id);
      if (!found) throw new Error(`there is no ${id}`);
      return found;
    },
    moves: async (id: RedemptionId) =>
      (await findHistory(db, id)).map(
        ({ from, to, actor }) => `${from ?? ''} > ${to} by ${actor.split(':')[0]}`,
      ),
    /** Base units of GOLD that the user and the escrow hold. */
    async gold() {
      return {
        user: await chain.balance(user.wallet.address, chain.goldMint),
        escrow: await chain.balance(chain.addresses.escrowAuthority, chain.goldMint),
      };
    },
  };
}

/** The routes of the tradebook API that need no key. */
function tradebookOf(service: Harness) {
  const open = clientOf(service.app, {}, { remoteAddress: newAddress() });
  return {
    open,
    submit: (transaction: Uint8Array) =>
      open.post('/api/transactions/submit', { signedTransaction: base64(transaction) }),
    submitAll: (transactions: Uint8Array[]) =>
      open.post('/api/transactions/submit-batch', { signedTransactions: transactions.map(base64) }),
  };
}

/** What a vault of a test holds in base units: 1,000,000 USDC and 500 GOLD. */
export const vaultFunding = { usdc: 1_000_000_000_000n, gold: 500_000_000n };

/** A partner's account on chain, and who has its roles. */
export interface OnChain {
  integrator: Address;
  roles: { executive: Wallet; update: Wallet; withdrawal: Wallet };
}

/** What tests are given of a service and its chain, in both places. */
export function givenOn(service: Harness, chain: KaratChain) {
  const known = new Map<Uuid, Promise<OnChain>>();

  async function put({ partnerId, wallet }: GivenPartner): Promise<OnChain> {
    const roles = { executive: newWallet(), update: newWallet(), withdrawal: newWallet() };
    const integrator = await chain.addPartner({
      partnerId,
      wallet: wallet.address,
      executives: [roles.executive.address],
      updateAuthority: roles.update.address,
      withdrawalAuthority: roles.withdrawal.address,
    });
    return { integrator, roles };
  }

  /** Puts a partner on chain, unless it was put there before, with a wallet of its own for each role. */
  function onChain(partner: GivenPartner): Promise<OnChain> {
    const found = known.get(partner.partnerId) ?? put(partner);
    known.set(partner.partnerId, found);
    return found;
  }

  return {
    onChain,
    /** A user of a partner with full KYC and 100,000 USDC, and GOLD if any is named; base units. */
    async user(partner: GivenPartner = service.main, gold?: bigint): Promise<GivenUser> {
      const user = await service.givenUser(partner.partnerId);
      await chain.fund(user.wallet.address, 100_000_000_000n);
      if (gold !== undefined) await chain.node.setTokenBalance(user.wallet.address, chain.goldMint, gold);
      return user;
    },
    /** The roles of a partner with 1 SOL and a key each, and its vault with `vaultFunding`; once the service knows the partner. */
    async treasury(partner: GivenPartner = service.main): Promise<Treasury> {
      const { partnerId } = partner;
      const { integrator, roles } = await onChain(partner);
      const { usdcMint, goldMint } = chain;
      const vault = integrator;
      for (const { address } of Object.values(roles)) chain.node.airdrop(address, 1_000_000_000n);
      await chain.node.setTokenBalance(vault, usdcMint, vaultFunding.usdc);
      await chain.node.setTokenBalance(vault, goldMint, vaultFunding.gold);
      await eventually(() => {
        if (!service.ctx.chain.program.integrator(partnerId)) throw new Error(`${partnerId} is not known`);
      }, 20_000);
      const key = (wallet: Wallet, scope: string) => givenKey(service, { partnerId, wallet, scope });
      return {
        ...{ partner, partnerId, integrator, vault },
        executive: await key(roles.executive, 'PARTNER_EXECUTIVE_AUTHORITY'),
        update: await key(roles.update, 'PARTNER_UPDATE_AUTHORITY'),
        withdrawal: await key(roles.withdrawal, 'PARTNER_WITHDRAWAL_AUTHORITY'),
      };
    },
    /** A redemption in a state, written to the database; its user's wallet holds 1 GOLD, and SOL. */
    async redemption(
      status: RedemptionStatus = 'submitted',
    ): Promise<{ id: RedemptionId; wallet: Wallet; account: Address }> {
      const partner = service.main;
      const user = await service.givenUser(partner.partnerId);
      const { address } = user.wallet;
      chain.node.airdrop(address, 1_000_000_000n);
      await chain.node.setTokenBalance(address, chain.goldMint, 1_000_000n);
      const id = await givenRedemption(service, { partner, user }, { status });
      return { id, wallet: user.wallet, account: tokenAccountOf(address, goldOf(chain)) };
    },
    /** Bars of a kilogram in the vault of Karachi. */
    async bars(count: number, more: Partial<NewBar> = {}): Promise<void> {
      const bars = Array.from({ length: count }, (_, index) => ({
        serial: `AA${index}`,
        refiner: 'Valcambi',
        fineness: '999.9',
        weightG: '1000',
        denominationId: tola.id,
        city: 'Karachi',
        ...more,
      }));
      const at = new Date(service.ctx.clock.now());
      await service.ctx.db.transaction((tx) => insertBars(tx, bars, at));
    },
    /** A statement of the reserves, signed by a wallet, once the API serves it. What the node was set up with is finalized. */
    async statement(by = newWallet()): Promise<StoredStatement> {
      await finalize(chain, service.ctx);
      const made = await publishStatement(service.ctx, createSigner(new Uint8Array(by.secretKey)));
      if (!made) throw new Error('no statement was made');
      const read = () => service.anonymous.get(`/v1/reserves/statements/${made.id}`);
      await eventually(async () => expectStatus(await read(), 200), 10_000);
      return made;
    },
    /** A key of the program's admin. */
    admin: () => givenKey(service, { partnerId: null, wallet: chain.admin, scope: 'ADMIN' }),
  };
}

/** A key of the tradebook API, written straight to the database, and a client with it. */
export async function givenKey(
  service: Harness,
  { partnerId, wallet, scope }: { partnerId: Uuid | null; wallet: Wallet; scope: string },
): Promise<RoleClient> {
  const keyId = newUuid();
  const apiKey = `service_tradebook_${randomBytes(32).toString('hex')}`;
  service.secrets.add(apiKey);
  await service.ctx.db.transaction((tx) =>
    tx.insert(apiKeys).values({
      id: keyId,
      surface: 'tradebook',
      partnerId,
      walletAddress: wallet.address,
      name: 'ordering',
      hash: hashApiKey(apiKey),
      scope,
      createdAt: new Date(service.ctx.clock.now()),
    }),
  );
  return roleClientOf(service, { wallet, keyId, apiKey });
}

export function roleClientOf(
  service: Harness,
  key: Pick<RoleClient, 'wallet' | 'keyId' | 'apiKey'>,
): RoleClient {
  const client = clientOf(service.app, { 'x-api-key': key.apiKey });
  const put: RoleClient['put'] = (url, body, headers = {}) =>
    client.send({
      method: 'PUT',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { ...client, ...key, put };
}
