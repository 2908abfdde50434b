import {
  type BuyInstructionDataArgs,
  type Config,
  findConfigPda,
  getBuyInstruction,
  getBuyInstructionDataEncoder,
  getSellInstruction,
  getSellInstructionDataEncoder,
  type SellInstructionDataArgs,
} from '@karat/program-client';
import {
  AccountRole,
  type Address,
  address,
  type Blockhash,
  createNoopSigner,
  getBase58Encoder,
  type Instruction,
} from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token';
import { type TradeId, uuidBytes, uuidOf } from '../../domain/ids.js';
import { formatMemo } from '../../domain/memo.js';
import type { IntegratorEntry } from '../program/program.js';
import { tokenAccountOf } from '../program/wallet.js';
import { compileLegacyMessage } from './compile-message.js';
import { type Key, keyOf, MessageTemplate } from './message-template.js';
import { type SignedQuote, type Signer, signQuote } from './signer.js';

/** Version 3 of SPL Memo, in the deployment that every wallet and explorer knows. */
export const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/**
 * Compute units that a trade may use. Measured: 13,000, or 23,500 when it makes the token account, whose address the
 * chain searches for at 1,500 a try; older builds of the token program take about 40,000 more. Unused units cost
 * nothing but priority fee.
 */
export const tradeComputeUnitLimit = 100_000;

export type TradeSide = 'buy' | 'sell';

/** One trade as it was quoted. Amounts are base units. */
export interface TradeTerms {
  side: TradeSide;
  tradeId: TradeId;
  /** USDC of a buy, GOLD of a sell. */
  amountIn: bigint;
  /** GOLD of a buy, USDC of a sell. */
  minAmountOut: bigint;
  /** The same: the treasury gives no more. */
  maxAmountOut: bigint;
  /** The program refuses a higher fee. */
  maxFeeBps: number;
  /** Unix seconds; the program refuses a later execution. */
  expireAtSeconds: bigint;
  user: Address;
  integrator: IntegratorEntry;
  config: Config;
  blockhash: Blockhash;
}

interface UserAccounts {
  user: Address;
  userUsdc: Address;
  userGold: Address;
}

/** Who the service is on this chain, and what it pays. */
export interface TradeFrame {
  programAddress: Address;
  configAddress: Address;
  serviceSigner: Address;
  computeUnitPrice: bigint;
}

/**
 * Returns the instructions of a trade, made by the generated clients: compute budget, the service's memo, the user's
 * receiving token account if it is missing, at the partner wallet's cost, the trade.
 */
export function tradeInstructions(frame: TradeFrame, terms: TradeTerms, own: UserAccounts): Instruction[] {
  const { config, integrator } = terms;
  const partnerWallet = createNoopSigner(integrator.data.partnerWallet);
  const serviceSigner = createNoopSigner(frame.serviceSigner);
  const accounts = {
    config: frame.configAddress,
    integrator: integrator.address,
    serviceSigner,
    partnerWallet,
    user: createNoopSigner(own.user),
    userUsdc: own.userUsdc,
    userGold: own.userGold,
    treasuryAuthority: config.treasuryAuthority,
    treasuryUsdc: config.treasuryUsdc,
    treasuryGold: config.treasuryGold,
    feeUsdc: config.feeUsdc,
    usdcMint: config.usdcMint,
    goldMint: config.goldMint,
    priceAccount: config.priceAccount,
  };
  const buying = terms.side === 'buy';
  const program = { programAddress: frame.programAddress };
  return [
    getSetComputeUnitLimitInstruction({ units: tradeComputeUnitLimit }),
    getSetComputeUnitPriceInstruction({ microLamports: frame.computeUnitPrice }),
    {
      programAddress: memoProgram,
      accounts: [{ address: frame.serviceSigner, role: AccountRole.READONLY_SIGNER }],
      data: memoData(terms),
    },
    getCreateAssociatedTokenIdempotentInstruction({
      payer: partnerWallet,
      ata: buying ? own.userGold : own.userUsdc,
      owner: own.user,
      mint: buying ? config.goldMint : config.usdcMint,
    }),
    buying
      ? getBuyInstruction({ ...accounts, ...buyArguments(terms) }, program)
      : getSellInstruction({ ...accounts, ...sellArguments(terms) }, program),
  ];
}

/** Returns the message of a trade as @solana/kit compiles it; what the templates have to equal byte for byte. */
export function compileTrade(frame: TradeFrame, terms: TradeTerms, own: UserAccounts): Uint8Array {
  return compileLegacyMessage(frame.serviceSigner, terms.blockhash, tradeInstructions(frame, terms, own));
}

/** Stand-ins for the user's accounts in a template: addresses that no account can have by accident. */
const standIns: UserAccounts = {
  user: address('KaratUser1111111111111111111111111111111111'),
  userUsdc: address('KaratUserUsdc111111111111111111111111111111'),
  userGold: address('KaratUserGoLd111111111111111111111111111111'),
};
const slotsInOrder = [standIns.user, standIns.userUsdc, standIns.userGold];

const maxKnownUsers = 10_000;
/** Position of the memo and of the trade among the instructions. */
const memoPosition = 2;
const tradePosition = 4;

interface CachedTemplate {
  config: Config;
  partnerWallet: Address;
  template: MessageTemplate;
  /** Data of the instructions; those of memo and trade are replaced for every trade. */
  data: Uint8Array[];
}

/** Builds and signs trades from one template for each partner and side. */
export class TemplateTradeBuilder {
  readonly #input: { programAddress: Address; signer: Signer; computeUnitPrice: bigint };
  readonly #templates = new Map<string, CachedTemplate>();
  readonly #users = new Map<string, Key[]>();
  #frame: TradeFrame | undefined;

  constructor(input: { programAddress: Address; signer: Signer; computeUnitPrice: bigint }) {
    this.#input = input;
  }

  async build(terms: TradeTerms): Promise<SignedQuote> {
    return signQuote(this.#input.signer, await this.message(terms));
  }

  async message(terms: TradeTerms): Promise<Uint8Array> {
    const frame = await this.#getFrame();
    const keys = await this.#userKeys(terms);
    const { template, data } = this.#templateOf(frame, terms);
    const blockhash = Uint8Array.from(getBase58Encoder().encode(terms.blockhash));
    const filled = template.fill(keys, blockhash, withTerms(data, terms));
    if (filled) return filled;
    const [user, userUsdc, userGold] = keys.map((key) => key.address);
    if (!user || !userUsdc || !userGold) throw new Error('The accounts of the user are incomplete');
    return compileTrade(frame, terms, { user, userUsdc, userGold });
  }

  async #getFrame(): Promise<TradeFrame> {
    if (this.#frame) return this.#frame;
    const { programAddress, signer, computeUnitPrice } = this.#input;
    const [configAddress] = await findConfigPda({ programAddress });
    this.#frame = { programAddress, configAddress, serviceSigner: signer.address, computeUnitPrice };
    return this.#frame;
  }

  #templateOf(frame: TradeFrame, terms: TradeTerms): CachedTemplate {
    const name = `${terms.side} ${terms.integrator.address}`;
    const known = this.#templates.get(name);
    const { partnerWallet } = terms.integrator.data;
    if (known && known.config === terms.config && known.partnerWallet === partnerWallet) return known;
    const instructions = tradeInstructions(frame, terms, standIns);
    const made: CachedTemplate = {
      config: terms.config,
      partnerWallet,
      template: new MessageTemplate(frame.serviceSigner, instructions, slotsInOrder),
      data: instructions.map(({ data }) => Uint8Array.from(data ?? [])),
    };
    this.#templates.set(name, made);
    return made;
  }

  /** Wallet and associated token accounts of a user; deriving these is the dearest part of a trade. */
  async #userKeys({ user, config }: TradeTerms): Promise<Key[]> {
    const name = `${user} ${config.usdcMint} ${config.goldMint}`;
    const known = this.#users.get(name);
    if (known) return known;
    const [userUsdc, userGold] = await Promise.all([
      tokenAccountOf(user, config.usdcMint),
      tokenAccountOf(user, config.goldMint),
    ]);
    const keys = [user, userUsdc, userGold].map(keyOf);
    if (this.#users.size >= maxKnownUsers) this.#users.clear();
    this.#users.set(name, keys);
    return keys;
  }
}

function withTerms(data: Uint8Array[], terms: TradeTerms): Uint8Array[] {
  const patched = [...data];
  patched[memoPosition] = memoData(terms);
  patched[tradePosition] = tradeData(terms);
  return patched;
}

function memoData({ side, tradeId, amountIn }: TradeTerms): Uint8Array {
  return Buffer.from(formatMemo({ kind: side, id: tradeId, amount: amountIn }), 'utf8');
}

function tradeData(terms: TradeTerms): Uint8Array {
  const data =
    terms.side === 'buy'
      ? getBuyInstructionDataEncoder().encode(buyArguments(terms))
      : getSellInstructionDataEncoder().encode(sellArguments(terms));
  return Uint8Array.from(data);
}

function buyArguments(terms: TradeTerms): BuyInstructionDataArgs {
  const { amountIn, minAmountOut, maxAmountOut } = terms;
  return { usdcIn: amountIn, minGoldOut: minAmountOut, maxGoldOut: maxAmountOut, ...guardsOf(terms) };
}

function sellArguments(terms: TradeTerms): SellInstructionDataArgs {
  const { amountIn, minAmountOut, maxAmountOut } = terms;
  return { goldIn: amountIn, minUsdcOut: minAmountOut, maxUsdcOut: maxAmountOut, ...guardsOf(terms) };
}

function guardsOf({ maxFeeBps, expireAtSeconds, tradeId }: TradeTerms) {
  return { maxFeeBps, expireAt: expireAtSeconds, id: uuidBytes(uuidOf(tradeId)) };
}
