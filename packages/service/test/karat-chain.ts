import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AccountState, Localnet, type LocalnetOptions } from '@karat/localnet';
import {
  fetchConfig,
  fetchIntegrator,
  getConfigDecoder,
  getConfigEncoder,
  getPauseInstruction,
  getResumeInstruction,
  getSetMarketInstruction,
  getUpdateIntegratorInstruction,
  type HotKeys,
  type IntegratorStatus,
  MarketState,
  type Settings,
} from '@karat/program-client';
import { type Address, createSolanaRpc, type Instruction, type TransactionSigner } from '@solana/kit';
import { getSetComputeUnitLimitInstruction } from '@solana-program/compute-budget';
import {
  attestReserve,
  createIntegrator,
  openProgram,
  ownGoldMetadata,
  priceAccountData,
  sandboxSettings,
  usdcAtPar,
} from '../../sandbox/src/own-chain.js';
import {
  createGoldMint,
  createUsdcMint,
  initializeProgram,
  pythReceiverProgram,
  type Seeder,
  sendInstructions,
  usdcUsdFeedId,
  xauUsdFeedId,
} from '../src/chain/admin/seed.js';
import { tokenAccountOf, tokenOf } from '../src/chain/program/token-accounts.js';
import { noKey } from '../src/chain/program/wallet.js';
import { noLimit } from '../src/chain/program/window.js';
import type { Clock } from '../src/clock.js';
import type { Context } from '../src/context.js';
import type { Uuid } from '../src/domain/ids.js';
import { lifetimeMs } from '../src/domain/lifetime.js';
import { kitSigner, newWallet, type Wallet } from './harness.js';
import { openRedemptionsOn } from './opened-redemptions.js';

const program = readFileSync(fileURLToPath(new URL('../../../program/karat.so', import.meta.url)));

/** What a price account says; `price x 10^exponent` US dollars per troy ounce, or per USDC. */
export interface PublishedPrice {
  price: bigint;
  confidence: bigint;
  exponent: number;
  /** Default: the chain's time when it is published. */
  publishTimeSeconds?: bigint;
}

export const usualPrice: PublishedPrice = { price: 410_012_000_000n, confidence: 80_000_000n, exponent: -8 };

export interface PartnerOnChain {
  partnerId: Uuid;
  wallet: Address;
  openFeeBps?: number;
  closedFeeBps?: number;
  dailyLimitUsdc?: bigint;
  /** Who governs the vault; default: the wallet, in every role. */
  updateAuthority?: Address;
  withdrawalAuthority?: Address;
  executives?: Address[];
}

export type KaratChain = Awaited<ReturnType<typeof startKaratChain>>;

/** Base units: more than tests write into token accounts. */
export const attestedGold = 10n ** 15n;

export interface KaratChainOptions extends Pick<LocalnetOptions, 'slotMs' | 'ledger' | 'rpcPort'> {
  /** Default: a new one, which no other chain of the process has. */
  programAddress?: Address;
}

/** A node of its own with the program initialised on it and a price that is published once a second, and when time was moved. */
export async function startKaratChain(options: KaratChainOptions = {}) {
  const [service, admin, operations] = [newWallet(), newWallet(), newWallet()];
  const [guardian, market, attestor] = [newWallet(), newWallet(), newWallet()];
  const { programAddress = newWallet().address, ...ofNode } = options;
  const programs = [{ address: programAddress, so: program, upgradeAuthority: admin.address }];
  const nodeOptions = { rpcPort: 0, ...ofNode, programs };
  const node = await Localnet.start(nodeOptions);
  for (const wallet of [service, admin, operations, guardian, market]) {
    node.airdrop(wallet.address, 100_000_000_000n);
  }
  const adminSigner = await kitSigner(admin);
  const seeder: Seeder = { rpc: createSolanaRpc(node.rpcUrl), payer: adminSigner, commitment: 'processed' };
  const [usdc, gold] = await Promise.all([kitSigner(newWallet()), kitSigner(newWallet())]);
  await createUsdcMint(seeder, { mint: usdc, authority: admin.address });
  const metadata = ownGoldMetadata('https://gold.example/token/gold.json');
  await createGoldMint(seeder, { mint: gold, metadata, programAddress, admin: admin.address });
  const mints = { usdcMint: usdc.address, goldMint: gold.address };
  const settings: Settings = {
    ...(await sandboxSettings()),
    guardian: guardian.address,
    attestor: attestor.address,
    // Tests trade for a vault in both directions; those about the interval set it.
    oppositeSideSeconds: 0,
    // Where inventory may go.
    withdrawOwners: [service.address, noKey, noKey, noKey],
  };
  const hotKeys: HotKeys = {
    operations: operations.address,
    market: market.address,
    compliance: noKey,
    serviceSigners: [service.address, noKey],
  };
  const addresses = await initializeProgram(seeder, {
    programAddress,
    upgradeAuthority: adminSigner,
    admin: admin.address,
    hotKeys,
    ...mints,
    settings,
  });
  await openProgram(seeder, { programAddress, admin: adminSigner, market: await kitSigner(market) });
  await attestReserve(seeder, {
    programAddress,
    goldMint: mints.goldMint,
    attestor: await kitSigner(attestor),
    amount: attestedGold,
  });
  await node.setTokenBalance(addresses.treasuryAuthority, mints.goldMint, 1_000_000_000n);
  await node.setTokenBalance(addresses.treasuryAuthority, mints.usdcMint, 1_000_000_000_000n);
  // As on a chain that has been running.
  node.finalize();
  const price = startPublishing(node, settings);
  openRedemptionsOn(programAddress, node);
  const clock: Clock = { now: () => node.nowUnixMs() };
  return {
    node,
    /** What the node was started with, to start it again. */
    nodeOptions,
    /** The chain's time, which moves with its warps. */
    clock,
    service,
    admin,
    operations,
    guardian,
    market,
    attestor,
    settings,
    hotKeys,
    addresses,
    ...mints,
    /** What sends and pays as the admin. */
    seeder,
    price,
    /** The key file of a wallet, as the Solana CLI writes it. */
    keyFile,
    /** Settings of a service that works with this chain. */
    config: {
      rpcUrls: [node.rpcUrl],
      wsUrls: [node.wsUrl],
      programId: programAddress,
      serviceSignerUrl: keyFile(service),
    },
    ...changesOf({
      node,
      seeder,
      adminSigner,
      guardian: await kitSigner(guardian),
      programAddress,
      settings,
      hotKeys,
      addresses,
      ...mints,
    }),
    /** Base units of `mint` that `owner` holds in its associated token account. */
    async balance(owner: Address, mint: Address): Promise<bigint> {
      return balanceOf(node.getAccount(tokenAccountOf(owner, tokenOf(mint, mints))));
    },
    /** Sets what a user holds in USDC, base units. */
    async fund(owner: Address, usdcAmount: bigint): Promise<void> {
      await node.setTokenBalance(owner, mints.usdcMint, usdcAmount);
    },
    /** The next calls of one method fail, or of those about a text: others ask the node too. `karat_injectFault`. */
    async injectFault(fault: { method: string; mode: string; times: number; about?: string }): Promise<void> {
      await call(node.rpcUrl, 'karat_injectFault', [fault]);
    },
    /** Ends what `injectFault` began. */
    async clearFaults(): Promise<void> {
      await call(node.rpcUrl, 'karat_clearFaults', []);
    },
    /** Sends a wire transaction straight to the node, without preflight, past the service; its signature. */
    sendStraight(transaction: Uint8Array): Promise<string> {
      const base64 = Buffer.from(transaction).toString('base64');
      return call(node.rpcUrl, 'sendTransaction', [base64, { encoding: 'base64', skipPreflight: true }]);
    },
    /** A landed transaction as `getTransaction` returns it, once it is confirmed. */
    landed(txHash: string): Promise<LandedTransaction> {
      return eventually(async () => {
        const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
        const found = await call<LandedTransaction | null>(node.rpcUrl, 'getTransaction', [txHash, options]);
        if (!found) throw new Error(`${txHash} is not confirmed`);
        return found;
      }, 10_000);
    },
    async stop(): Promise<void> {
      price.stop();
      await node.stop();
    },
  };
}

/** What tests read of a `getTransaction` response. */
export interface LandedTransaction {
  meta: { err: unknown; fee: number; computeUnitsConsumed: number };
}

/**
 * Moves the chain on until what has landed is final and the indexer looks whether it is, 12 s later, and waits until the service gives away blockhashes of then: the last one
 * before is 16 s older at once, and 20 s old, which is too old, just before a service that was idle reads the next.
 */
export async function finalize({ node, clock }: KaratChain, service: Pick<Context, 'chain'>): Promise<void> {
  node.warp({ slots: 40, seconds: 13 });
  const oldestMs = clock.now() + lifetimeMs;
  await eventually(() => {
    if (service.chain.blockhash.current().expiresAtMs < oldestMs) throw new Error('an older blockhash');
  }, 10_000);
}

/** One JSON-RPC call; rejects with the node's error. */
async function call<T = string>(url: string, method: string, params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result, error } = (await response.json()) as { result: T; error?: unknown };
  if (error) throw new Error(JSON.stringify(error));
  return result;
}

function startPublishing(node: Localnet, { priceAccount, usdcPriceAccount }: Settings) {
  let published: PublishedPrice = usualPrice;
  let publishedUsdc: PublishedPrice = usdcAtPar;
  const write = (account: Address, feedId: Uint8Array, price: PublishedPrice) => {
    const publishTimeSeconds = price.publishTimeSeconds ?? BigInt(node.nowUnixSeconds());
    node.setAccount(account, {
      lamports: 10_000_000n,
      owner: pythReceiverProgram,
      data: priceAccountData({ feedId, postedSlot: 1n, ...price, publishTimeSeconds }),
      executable: false,
    });
  };
  const publish = () => {
    write(priceAccount, xauUsdFeedId, published);
    write(usdcPriceAccount, usdcUsdFeedId, publishedUsdc);
  };
  publish();
  // Each publication wakes every service of the test.
  const start = () => setInterval(publish, 1_000);
  let timer: NodeJS.Timeout | undefined = start();
  node.onWarp(() => {
    if (timer) publish();
  });
  return {
    set(price: PublishedPrice): void {
      published = price;
      publish();
    },
    /** What one USDC is worth; without an argument at par again. */
    setUsdc(price: PublishedPrice = usdcAtPar): void {
      publishedUsdc = price;
      publish();
    },
    /** Publishes no more; the last prices grow old. */
    freeze(): void {
      clearInterval(timer);
      timer = undefined;
    },
    thaw(): void {
      timer ??= start();
      publish();
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

interface Parts {
  node: Localnet;
  seeder: Seeder;
  adminSigner: TransactionSigner;
  guardian: TransactionSigner;
  programAddress: Address;
  settings: Settings;
  hotKeys: HotKeys;
  addresses: { config: Address; feeUsdc: Address };
  usdcMint: Address;
  goldMint: Address;
}

const processed = { commitment: 'processed' } as const;
let sendings = 0;
/**
 * Sends an instruction in a transaction unlike any before: what is set, reset and set again within the life of one
 * blockhash would be the very bytes of the first time, which the chain takes once.
 */
export function sendAnew(seeder: Seeder, ...instructions: Instruction[]): Promise<string> {
  sendings += 1;
  const units = 200_000 + sendings;
  return sendInstructions(seeder, [getSetComputeUnitLimitInstruction({ units }), ...instructions]);
}

/** What an admin can change, each by a transaction of the program. */
function changesOf(parts: Parts) {
  const { seeder, adminSigner: admin, programAddress, addresses } = parts;
  const config = addresses.config;
  const send = async (...instructions: Instruction[]) => {
    const signature = await sendAnew(seeder, ...instructions);
    // Confirmed, so that the service reads it the next time.
    parts.node.warp({ slots: 1 });
    return signature;
  };
  const termsOf = (partner: PartnerOnChain) => ({
    openFeeBps: partner.openFeeBps ?? 50,
    closedFeeBps: partner.closedFeeBps ?? 100,
    dailyLimitUsdc: partner.dailyLimitUsdc ?? noLimit,
    partnerWallet: partner.wallet,
    updateAuthority: partner.updateAuthority ?? partner.wallet,
    withdrawalAuthority: partner.withdrawalAuthority ?? partner.wallet,
  });
  return {
    /** Puts a partner on chain and gives its integrator account; the wallet gets SOL for rents. */
    async addPartner(partner: PartnerOnChain): Promise<Address> {
      await seeder.rpc.requestAirdrop(partner.wallet, 10_000_000_000n as never).send();
      const { integrator } = await createIntegrator(seeder, {
        ...parts,
        authority: admin,
        partnerId: partner.partnerId,
        ...termsOf(partner),
        executives: partner.executives ?? [partner.wallet],
      });
      parts.node.warp({ slots: 1 });
      return integrator;
    },
    async changePartner(integrator: Address, partner: PartnerOnChain, status: IntegratorStatus) {
      const { data } = await fetchIntegrator(seeder.rpc, integrator, processed);
      return send(
        getUpdateIntegratorInstruction(
          {
            authority: admin,
            config,
            integrator,
            expectedTermsSeq: data.termsSeq,
            status,
            ...termsOf(partner),
          },
          { programAddress },
        ),
      );
    },
    /** Pauses exactly the flags, and sets the market; what is not named is none, and open. */
    async setStatus(input: { paused?: number; marketState?: MarketState }) {
      const { paused = 0, marketState = MarketState.Open } = input;
      const { data } = await fetchConfig(seeder.rpc, config, processed);
      const [clear, set] = [data.paused & ~paused, paused & ~data.paused];
      const target = { programAddress };
      const instructions = [
        ...(clear === 0
          ? []
          : [
              getResumeInstruction(
                { config, admin, guardian: parts.guardian, mask: clear, expectedPauseSeq: data.pauseSeq },
                target,
              ),
            ]),
        ...(set === 0 ? [] : [getPauseInstruction({ config, authority: admin, mask: set }, target)]),
        getSetMarketInstruction({ config, authority: admin, marketState }, target),
      ];
      return send(...instructions);
    },
    /**
     * Writes settings and hot keys as if the admin had changed them: those of the start, with what is given. A real change
     * of settings takes a day.
     */
    async changeSettings({
      serviceSigners,
      ...overrides
    }: Partial<Settings> & Partial<HotKeys> = {}): Promise<void> {
      const account = parts.node.getAccount(config);
      if (!account) throw new Error('the program has no configuration');
      const before = getConfigDecoder().decode(account.data);
      const [first = noKey, second = noKey] = serviceSigners ?? parts.hotKeys.serviceSigners;
      const after = getConfigEncoder().encode({
        ...before,
        settings: { ...parts.settings, ...overrides },
        hotKeys: { ...parts.hotKeys, ...overrides, serviceSigners: [first, second] },
        settingsSeq: before.settingsSeq + 1n,
      });
      parts.node.setAccount(config, { ...account, data: Uint8Array.from(after) });
    },
  };
}

/** SPL token account: mint [32], owner [32], amount u64. */
function balanceOf(account: AccountState | undefined): bigint {
  return account ? Buffer.from(account.data).readBigUInt64LE(64) : 0n;
}

function keyFile(wallet: Wallet): string {
  const path = join(mkdtempSync(join(tmpdir(), 'karat-key-')), 'service.json');
  writeFileSync(path, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
  return path;
}

/** For the status of a transaction that may be older than the 150 slots of which a node remembers it: a busy test takes longer. */
export const anyAge = { searchTransactionHistory: true };

/** Moves a chain's time into the next day (UTC) where less than ten minutes of this one are left: for what counts by the day. */
export function avoidMidnight(node: Localnet): void {
  const leftMs = 86_400_000 - (node.nowUnixMs() % 86_400_000);
  if (leftMs < 600_000) node.warp({ seconds: Math.ceil(leftMs / 1_000) });
}

/** After so long, a wait without a limit shows what it waits for: a test that runs out of time would not. */
const noteAfterMs = 10_000;
/** Longer than any test may take. Test files share a process, so a wait that never ended would go on in the next ones. */
const longestWaitMs = 300_000;

/**
 * Waits until `check` passes, as one who polls would. Throws what it threw last after `withinMs`; default: the limit of the
 * test is the only one.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = longestWaitMs): Promise<T> {
  const begunMs = performance.now();
  let noted = withinMs !== longestWaitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waitedMs = performance.now() - begunMs;
      if (waitedMs > withinMs) throw error;
      if (!noted && waitedMs > noteAfterMs) {
        noted = true;
        console.warn('waits for more than 10 s:', error);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
