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
import { goldOf, tokenAccountOf, usdcOf } from '../../src/chain/program/token-accounts.js';
import { newId, type TradeId, type UserId, uuidBytes, uuidOf } from '../../src/domain/ids.js';
import { formatMemo } from '../../src/domain/memo.js';
import { type GivenPartner, type HarnessOptions, harness, kitSigner, type Wallet } from '../harness.js';
import { anyAge, type KaratChain, startKaratChain } from '../karat-chain.js';
import { ownPort } from '../own-port.js';

const token = 1_000_000n;

export interface World {
  h: Awaited<ReturnType<typeof harness>>;
  node: Localnet;
  chain: KaratChain;
  usdcMint: Address;
  goldMint: Address;
  program: KaratChain['addresses'];
  service: KeyPairSigner;
  admin: KeyPairSigner;
  operations: KeyPairSigner;
  attestor: KeyPairSigner;
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
  const { slotMs = 50, ledger } = options;
  const chain = await startKaratChain({
    ...{ slotMs, ledger, programAddress: KARAT_PROGRAM_ADDRESS },
    rpcPort: ledger ? await ownPort() : 0,
  });
  chain.price.freeze();
  allowOldPrices(chain.node, chain.addresses.config);
  const { rpcUrl } = chain.node;
  const world = { node: chain.node } as World;
  const h = await harness({
    clock: { now: () => world.node.nowUnixMs() },
    ...options.harness,
    config: {
      ...chain.config,
      rpcUrls: [options.throughNode ? await options.throughNode(rpcUrl) : rpcUrl],
      ...options.harness?.config,
    },
  });
  const [service, admin, operations, attestor] = await Promise.all(
    [chain.service, chain.admin, chain.operations, chain.attestor].map(kitSigner),
  );
  if (!service || !admin || !operations || !attestor) throw new Error('no keys');
  Object.assign(world, {
    h,
    chain,
    usdcMint: chain.usdcMint,
    goldMint: chain.goldMint,
    program: chain.addresses,
    ...{ service, admin, operations, attestor },
    async restartNode(meanwhile: () => Promise<void>) {
      await world.node.stop();
      await meanwhile();
      world.node = await Localnet.start({ ...chain.nodeOptions, rpcPort: chain.node.rpcPort });
    },
    async close() {
      await h.close();
      await world.node.stop();
    },
  });
  world.trader = await givenTrader(world, h.main);
  return world;
}

/** Tests warp, and the price need not follow: the node is given a limit that the program would refuse. */
export function allowOldPrices(node: Localnet, config: Address): void {
  const account = node.getAccount(config);
  if (!account) throw new Error('the program has no configuration');
  const before = getConfigDecoder().decode(account.data);
  const after = { ...before, settings: { ...before.settings, maxAgeOpen: 1_000_000 } };
  node.setAccount(config, { ...account, data: new Uint8Array(getConfigEncoder().encode(after)) });
}

/** Registers a partner on chain and a funded user of it in both places. */
export async function givenTrader(
  { h, chain, node }: Pick<World, 'h' | 'chain' | 'node'>,
  partner: GivenPartner,
): Promise<Trader> {
  const integrator = await chain.addPartner({ partnerId: partner.partnerId, wallet: partner.wallet.address });
  const { id, wallet } = await h.givenUser(partner.partnerId);
  const [user, partnerWallet] = await Promise.all([kitSigner(wallet), kitSigner(partner.wallet)]);
  await node.setTokenBalance(user.address, chain.usdcMint, 1_000_000n * token);
  await node.setTokenBalance(user.address, chain.goldMint, 1_000n * token);
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
  const { usdcMint, goldMint, program, service, chain } = world;
  const { trader = world.trader, side = 'buy', amountIn = 100n * token, minAmountOut = 1n } = options;
  const accounts = {
    integrator: trader.integrator,
    serviceSigner: service,
    partnerWallet: trader.partnerWallet,
    user: trader.user,
    userUsdc: tokenAccountOf(trader.user.address, usdcOf(world)),
    userGold: tokenAccountOf(trader.user.address, goldOf(world)),
    treasuryAuthority: program.treasuryAuthority,
    treasuryUsdc: program.treasuryUsdc,
    treasuryGold: program.treasuryGold,
    feeUsdc: program.feeUsdc,
    usdcMint,
    goldMint,
    priceAccount: chain.settings.priceAccount,
    usdcPriceAccount: chain.settings.usdcPriceAccount,
    config: program.config,
    maxFeeBps: 1_000,
    expireAt: BigInt(world.node.nowUnixSeconds() + 86_000),
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
