import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Localnet } from '@karat/localnet';
import {
  getBuyInstruction,
  getConfigDecoder,
  getConfigEncoder,
  getSellInstruction,
  KARAT_PROGRAM_ADDRESS,
} from '@karat/program-client';
import { memoProgram } from '@karat/signer';
import {
  type AccountMeta,
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  type Signature,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';
import {
  attestReserve,
  createIntegrator,
  noRoles,
  openProgram,
  priceAccountData,
  sandboxSettings,
} from '../../../sandbox/src/own-chain.js';
import {
  createMints,
  initializeProgram,
  type ProgramAddresses,
  pythReceiverProgram,
  type Seeder,
  treasuryAuthorityOf,
  xauUsdFeedId,
} from '../../src/chain/admin/seed.js';

import { tokenAccountOf } from '../../src/chain/program/wallet.js';
import type { Config } from '../../src/config.js';
import { newId, type TradeId, type UserId, uuidBytes, uuidOf } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import {
  type GivenPartner,
  type HarnessOptions,
  harness,
  kitSigner,
  newWallet,
  type Wallet,
} from '../harness.js';
import { anyAge } from '../karat-chain.js';
import { openRedemptionsOn } from '../opened-redemptions.js';
import { ownPort } from '../own-port.js';

const karatSo = new URL('../../../../program/karat.so', import.meta.url);
const sol = 1_000_000_000n;
const token = 1_000_000n;

export interface World {
  h: Awaited<ReturnType<typeof harness>>;
  node: Localnet;
  seeder: Seeder;
  service: KeyPairSigner;
  admin: KeyPairSigner;
  usdcMint: Address;
  goldMint: Address;
  program: ProgramAddresses;
  trader: Trader;
  /** Stops the node, does something, and starts it again where it was. Needs a ledger. */
  restartNode(meanwhile: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** A user of a partner with what a trade of theirs needs. */
export interface Trader {
  partner: GivenPartner;
  integrator: Address;
  userId: UserId;
  wallet: Wallet;
  user: KeyPairSigner;
  partnerWallet: KeyPairSigner;
}

export interface WorldOptions {
  slotMs?: number;
  /** Folder of the node's ledger, for a node that is stopped and started again. */
  ledger?: string;
  /** Something between the service and its node: given the node's address, gives the one that the service uses. */
  throughNode?: (rpcUrl: string) => Promise<string>;
  harness?: HarnessOptions;
}

/** The service over a real chain: a node of its own, the real program, one partner with one funded user. */
export async function givenWorld(options: WorldOptions = {}): Promise<World> {
  const [service, admin, payer, usdc, gold] = await Promise.all(
    [newWallet(), newWallet(), newWallet(), newWallet(), newWallet()].map(async (wallet) => ({
      wallet,
      signer: await kitSigner(wallet),
    })),
  );
  if (!service || !admin || !payer || !usdc || !gold) throw new Error('no keys');
  const nodeOptions = {
    slotMs: options.slotMs ?? 50,
    ledger: options.ledger,
    programs: [
      {
        address: KARAT_PROGRAM_ADDRESS,
        so: readFileSync(karatSo),
        upgradeAuthority: admin.signer.address,
      },
    ],
  };
  const node = await Localnet.start({ ...nodeOptions, rpcPort: options.ledger ? await ownPort() : 0 });
  const world = { node } as World;
  openRedemptionsOn(KARAT_PROGRAM_ADDRESS, node);
  for (const key of [payer, service, admin]) node.airdrop(key.signer.address, 100n * sol);
  const config: Partial<Config> = {
    rpcUrls: [options.throughNode ? await options.throughNode(node.rpcUrl) : node.rpcUrl],
    wsUrls: [node.wsUrl],
    programId: KARAT_PROGRAM_ADDRESS,
    serviceSignerUrl: keyFile(service.wallet),
  };
  const h = await harness({
    clock: { now: () => world.node.nowUnixMs() },
    ...options.harness,
    config: { ...config, ...options.harness?.config },
  });
  const seeder: Seeder = { rpc: h.ctx.chain.rpc, payer: payer.signer, commitment: 'processed' };
  const keys = { service: service.signer, admin: admin.signer, usdc: usdc.signer, gold: gold.signer };
  const program = await seedProgram(node, seeder, keys);
  const mints = { usdcMint: usdc.signer.address, goldMint: gold.signer.address };
  const trader = await givenTrader({ h, node, seeder, admin: admin.signer, ...mints }, h.main);
  Object.assign(world, {
    h,
    seeder,
    service: service.signer,
    admin: admin.signer,
    ...mints,
    program,
    trader,
    async restartNode(meanwhile: () => Promise<void>) {
      await world.node.stop();
      await meanwhile();
      world.node = await Localnet.start({ ...nodeOptions, rpcPort: node.rpcPort });
    },
    async close() {
      await h.close();
      await world.node.stop();
    },
  });
  return world;
}

function keyFile(wallet: Wallet): string {
  const path = join(mkdtempSync(join(tmpdir(), 'karat-key-')), 'service.json');
  writeFileSync(path, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
  return path;
}

async function seedProgram(
  node: Localnet,
  seeder: Seeder,
  keys: { service: KeyPairSigner; admin: KeyPairSigner; usdc: KeyPairSigner; gold: KeyPairSigner },
): Promise<ProgramAddresses> {
  const { service, admin, usdc, gold } = keys;
  const programAddress = KARAT_PROGRAM_ADDRESS;
  await createMints(seeder, [
    { mint: usdc, authority: admin.address },
    { mint: gold, authority: await treasuryAuthorityOf(programAddress) },
  ]);
  const settings = {
    ...(await sandboxSettings()),
    operations: admin.address,
    attestor: admin.address,
    // Where inventory goes to.
    withdrawOwners: [service.address, ...noRoles.withdrawOwners.slice(1)],
  };
  const program = await initializeProgram(seeder, {
    programAddress,
    upgradeAuthority: admin,
    admin: admin.address,
    guardian: admin.address,
    serviceSigner: service.address,
    usdcMint: usdc.address,
    goldMint: gold.address,
    settings,
  });
  await openProgram(seeder, { programAddress: KARAT_PROGRAM_ADDRESS, admin, market: admin });
  allowOldPrices(node, program.config);
  await attestReserve(seeder, {
    programAddress,
    goldMint: gold.address,
    attestor: admin,
    amount: 10n ** 15n,
  });
  await node.setTokenBalance(program.treasuryAuthority, gold.address, 1_000_000n * token);
  await node.setTokenBalance(program.treasuryAuthority, usdc.address, 1_000_000_000n * token);
  const data = priceAccountData({
    feedId: xauUsdFeedId,
    price: 4_100_12000000n,
    confidence: 80000000n,
    exponent: -8,
    publishTimeSeconds: BigInt(node.nowUnixSeconds()),
    postedSlot: 1n,
  });
  node.setAccount(settings.priceAccount, {
    lamports: sol,
    owner: pythReceiverProgram,
    data,
    executable: false,
  });
  return program;
}

/** Tests warp, and the price need not follow: the node is given a limit that the program would refuse. */
export function allowOldPrices(node: Localnet, config: Address): void {
  const account = node.getAccount(config);
  if (!account) throw new Error('the program has no configuration');
  const settings = { ...getConfigDecoder().decode(account.data), maxAgeOpen: 1_000_000 };
  node.setAccount(config, { ...account, data: new Uint8Array(getConfigEncoder().encode(settings)) });
}

/** Registers a partner on chain and a funded user of it in both places. */
export async function givenTrader(
  world: Pick<World, 'h' | 'node' | 'seeder' | 'admin' | 'usdcMint' | 'goldMint'>,
  partner: GivenPartner,
): Promise<Trader> {
  const { h, node, seeder, admin, usdcMint, goldMint } = world;
  const partnerWallet = await kitSigner(partner.wallet);
  const { integrator } = await createIntegrator(seeder, {
    programAddress: KARAT_PROGRAM_ADDRESS,
    authority: admin,
    partnerId: partner.partnerId,
    usdcMint,
    goldMint,
    openFeeBps: 50,
    closedFeeBps: 100,
    partnerWallet: partnerWallet.address,
    updateAuthority: partnerWallet.address,
    withdrawalAuthority: partnerWallet.address,
    executives: [partnerWallet.address],
  });
  const { id, wallet } = await h.givenUser(partner.partnerId);
  const user = await kitSigner(wallet);
  await node.setTokenBalance(user.address, usdcMint, 1_000_000n * token);
  await node.setTokenBalance(user.address, goldMint, 1_000n * token);
  return { partner, integrator, userId: id, wallet, user, partnerWallet };
}

/** What a test may change in a trade's transaction. */
export interface TradeOptions {
  id?: TradeId;
  side?: 'buy' | 'sell';
  /** USDC of a buy, GOLD of a sell, base units. */
  amountIn?: bigint;
  minAmountOut?: bigint;
  trader?: Trader;
  /** Text of the service's memo; null: none. */
  memo?: string | null;
  /** Further instructions behind the memo. */
  more?: Instruction[];
  /** Instead of the trade. */
  instead?: Instruction[];
  feePayer?: TransactionSigner;
}

/** The instruction of a trade on this world's chain. */
export async function tradeInstruction(world: World, options: TradeOptions = {}): Promise<Instruction> {
  const { usdcMint, goldMint, program, service } = world;
  const { trader = world.trader, side = 'buy', amountIn = 100n * token, minAmountOut = 1n } = options;
  const { priceAccount } = await sandboxSettings();
  const accounts = {
    integrator: trader.integrator,
    serviceSigner: service,
    partnerWallet: trader.partnerWallet,
    user: trader.user,
    userUsdc: tokenAccountOf(trader.user.address, usdcMint),
    userGold: tokenAccountOf(trader.user.address, goldMint),
    treasuryAuthority: program.treasuryAuthority,
    treasuryUsdc: program.treasuryUsdc,
    treasuryGold: program.treasuryGold,
    feeUsdc: program.feeUsdc,
    usdcMint,
    goldMint,
    priceAccount,
    config: program.config,
    maxFeeBps: 1_000,
    expireAt: BigInt(world.node.nowUnixSeconds() + 1_000_000),
    id: uuidBytes(uuidOf(options.id ?? newId('trd'))),
  };
  const target = { programAddress: KARAT_PROGRAM_ADDRESS };
  const most = 2n ** 64n - 1n;
  return side === 'buy'
    ? getBuyInstruction({ ...accounts, usdcIn: amountIn, minGoldOut: minAmountOut, maxGoldOut: most }, target)
    : getSellInstruction(
        { ...accounts, goldIn: amountIn, minUsdcOut: minAmountOut, maxUsdcOut: most },
        target,
      );
}

/** A memo with signers, as the memo program takes it. */
export function memoInstruction(text: string, signers: TransactionSigner[]): Instruction {
  const accounts = signers.map((signer) => ({
    address: signer.address,
    role: AccountRole.READONLY_SIGNER,
    signer,
  }));
  return {
    programAddress: memoProgram,
    accounts: accounts as AccountMeta[],
    data: new TextEncoder().encode(text),
  };
}

/** Sends a trade past all checks of node and service, so that also what fails lands. */
export async function sendTrade(
  world: World,
  options: TradeOptions = {},
): Promise<{ id: TradeId; signature: Signature }> {
  const { side = 'buy', amountIn = 100n * token, id = newId('trd') } = options;
  const memo = options.memo === undefined ? formatMemo({ kind: side, id, amount: amountIn }) : options.memo;
  const instructions = [
    ...(options.instead ?? [await tradeInstruction(world, { ...options, id })]),
    ...(memo === null ? [] : [memoInstruction(memo, [world.service])]),
    ...(options.more ?? []),
  ];
  return { id, signature: await send(world, instructions, options.feePayer ?? world.service) };
}

/** Signs with every signer that the instructions carry and sends without preflight. */
export async function send(
  world: Pick<World, 'h' | 'node'>,
  instructions: Instruction[],
  feePayer: TransactionSigner,
): Promise<Signature> {
  const { signature, post } = await prepared(world, instructions, feePayer);
  await post();
  return signature;
}

/** As `send` does, but the transaction goes out when `post` is called: for those that are to follow each other at once. */
export async function prepared(
  world: Pick<World, 'h'>,
  instructions: Instruction[],
  feePayer: TransactionSigner,
): Promise<{ signature: Signature; wire: string; post(): Promise<unknown> }> {
  const { rpc } = world.h.ctx.chain;
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (m) => setTransactionMessageFeePayerSigner(feePayer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  const wire = getBase64EncodedWireTransaction(transaction);
  return {
    signature: getSignatureFromTransaction(transaction),
    wire,
    post: () => rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send(),
  };
}

/** Waits until the node says that a transaction is confirmed (or final); real time in milliseconds of that moment. */
export async function landed(
  world: Pick<World, 'h'>,
  signature: Signature,
  commitment: 'confirmed' | 'finalized' = 'confirmed',
): Promise<number> {
  return eventually(async () => {
    const { value } = await world.h.ctx.chain.rpc.getSignatureStatuses([signature], anyAge).send();
    const status = value[0]?.confirmationStatus;
    return status === commitment || status === 'finalized' ? performance.now() : undefined;
  });
}

/** What `read` gives as soon as it gives something, asked for every few milliseconds. Throws what it threw last in the end. */
export async function eventually<T>(read: () => Promise<T | undefined>, withinMs = 25_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    let failure: unknown = new Error(`nothing within ${withinMs} ms`);
    try {
      const found = await read();
      if (found !== undefined) return found;
    } catch (error) {
      failure = error;
    }
    if (performance.now() > deadline) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
