import {
  BUY_DISCRIMINATOR,
  type BuyInstructionDataArgs,
  type Config,
  findConfigPda,
  getBuyInstruction,
  getSellInstruction,
  SELL_DISCRIMINATOR,
  type SellInstructionDataArgs,
} from '@karat/program-client';
import { memoProgram } from '@karat/signer';
import { type FilledMessage, type Key, keyOf, MessageTemplate } from '@karat/wire';
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
import { type TradeId, uuidBytes, uuidOf, writeUuid } from '../../domain/ids.js';
import { formatMemo } from '../../domain/memo.js';
import type { IntegratorEntry } from '../program/integrator.js';
import { createTokenAccountAt, goldOf, tokenAccountOf, usdcOf } from '../program/token-accounts.js';
import { type Signer, signQuote } from '../sign/signer.js';
import { compileLegacyMessage } from './compile-message.js';

/**
 * Compute units that a trade may use. Measured: 19,000, or 27,000 to 40,000 when it makes the token account, whose address the
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
  /** Whether the user pays for the token account that is made if it is missing; otherwise the partner does. */
  userPaysRent: boolean;
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
 * receiving token account if it is missing, at the cost of the partner's wallet or the user's, the trade.
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
    priceAccount: config.settings.priceAccount,
  };
  const { usdcPriceAccount } = config.settings;
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
    createTokenAccountAt(
      buying ? own.userGold : own.userUsdc,
      terms.userPaysRent ? accounts.user : partnerWallet,
      own.user,
      buying ? goldOf(config) : usdcOf(config),
    ),
    buying
      ? getBuyInstruction({ ...accounts, usdcPriceAccount, ...buyArguments(terms) }, program)
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

/** Positions of the memo and of the trade among the instructions: their data is that of one quote. */
const openPositions = [2, 4];

/** How many users' accounts are kept, twice: a message is 800 bytes for each side. */
const maxRecentUsers = 10_000;

interface CachedTemplate {
  config: Config;
  partnerWallet: Address;
  template: MessageTemplate;
}

/** What trades have templates of their own for: their side, and who pays for the token account. */
type Form = `${TradeSide} ${'partner' | 'user'}`;

const formOf = ({ side, userPaysRent }: Pick<TradeTerms, 'side' | 'userPaysRent'>): Form =>
  `${side} ${userPaysRent ? 'user' : 'partner'}`;

/** What is worked out once for a user. */
interface KnownUser {
  usdcMint: Address;
  goldMint: Address;
  /** Wallet and associated token accounts, in the order of the slots. */
  keys: Key<Address>[];
  /** The messages of the user's trades. */
  filled: Partial<Record<Form, { template: MessageTemplate; message: FilledMessage | undefined }>>;
}

/** Builds and signs trades from one template for each partner, side and payer of the token account. */
export class TemplateTradeBuilder {
  readonly #input: { programAddress: Address; signer: Signer; computeUnitPrice: bigint };
  readonly #templates: Record<Form, Map<Address, CachedTemplate>> = {
    'buy partner': new Map(),
    'buy user': new Map(),
    'sell partner': new Map(),
    'sell user': new Map(),
  };
  /** Users of the last trades, and those before: what is used stays. */
  #recentUsers = new Map<Address, KnownUser>();
  #earlierUsers = new Map<Address, KnownUser>();
  #frame: TradeFrame | undefined;
  #blockhash: { text: Blockhash; bytes: Uint8Array } | undefined;

  constructor(input: { programAddress: Address; signer: Signer; computeUnitPrice: bigint }) {
    this.#input = input;
  }

  /** Returns a trade in wire format, signed by the service. */
  async build(terms: TradeTerms): Promise<Uint8Array> {
    return signQuote(this.#input.signer, await this.message(terms));
  }

  async message(terms: TradeTerms): Promise<Uint8Array> {
    return this.#write(this.#frame ?? (await this.#findFrame()), terms);
  }

  #write(frame: TradeFrame, terms: TradeTerms): Uint8Array {
    const form = formOf(terms);
    const user = this.#findUser(terms) ?? this.#deriveUser(terms);
    const template = this.#templateOf(frame, terms);
    let filled = user.filled[form];
    if (filled?.template !== template) {
      filled = { template, message: template.fill(user.keys) };
      user.filled[form] = filled;
    }
    if (filled.message) {
      return filled.message.write(this.#bytesOf(terms.blockhash), [memoData(terms), tradeData(terms)]);
    }
    const [wallet, userUsdc, userGold] = user.keys.map((key) => key.address);
    if (!wallet || !userUsdc || !userGold) throw new Error('The accounts of the user are incomplete');
    return compileTrade(frame, terms, { user: wallet, userUsdc, userGold });
  }

  async #findFrame(): Promise<TradeFrame> {
    const { programAddress, signer, computeUnitPrice } = this.#input;
    const [configAddress] = await findConfigPda({ programAddress });
    this.#frame = { programAddress, configAddress, serviceSigner: signer.address, computeUnitPrice };
    return this.#frame;
  }

  #bytesOf(text: Blockhash): Uint8Array {
    if (this.#blockhash?.text !== text) {
      this.#blockhash = { text, bytes: Uint8Array.from(getBase58Encoder().encode(text)) };
    }
    return this.#blockhash.bytes;
  }

  #templateOf(frame: TradeFrame, terms: TradeTerms): MessageTemplate {
    const { config, integrator } = terms;
    const templates = this.#templates[formOf(terms)];
    const known = templates.get(integrator.address);
    const { partnerWallet } = integrator.data;
    if (known && known.config === config && known.partnerWallet === partnerWallet) return known.template;
    const instructions = tradeInstructions(frame, terms, standIns);
    const holes = { slots: slotsInOrder, open: openPositions };
    const template = new MessageTemplate(frame.serviceSigner, instructions, holes);
    templates.set(integrator.address, { config, partnerWallet, template });
    return template;
  }

  #findUser({ user, config }: TradeTerms): KnownUser | undefined {
    const recent = this.#recentUsers.get(user);
    const known = recent ?? this.#earlierUsers.get(user);
    if (known?.usdcMint !== config.usdcMint || known.goldMint !== config.goldMint) return undefined;
    if (!recent) this.#keepUser(user, known);
    return known;
  }

  /** Works out the token accounts of a user, which is the dearest part of a trade. */
  #deriveUser({ user, config }: TradeTerms): KnownUser {
    const { usdcMint, goldMint } = config;
    const accounts = [tokenAccountOf(user, usdcOf(config)), tokenAccountOf(user, goldOf(config))];
    const derived: KnownUser = { usdcMint, goldMint, keys: [user, ...accounts].map(keyOf), filled: {} };
    this.#keepUser(user, derived);
    return derived;
  }

  #keepUser(user: Address, known: KnownUser): void {
    if (this.#recentUsers.size >= maxRecentUsers) {
      this.#earlierUsers = this.#recentUsers;
      this.#recentUsers = new Map();
    }
    this.#recentUsers.set(user, known);
  }
}

function memoData({ side, tradeId, amountIn }: TradeTerms): Uint8Array {
  return Buffer.from(formatMemo({ kind: side, id: tradeId, amount: amountIn }), 'latin1');
}

/**
 * Returns the data of a trade's instruction, the same layout for both: u8 discriminator, u64 amount in, u64 least and u64
 * most amount out, u16 highest fee in basis points, i64 expiry, 16 bytes id; little endian. The clients' own encoders give
 * the same bytes, several times slower.
 */
function tradeData(terms: TradeTerms): Uint8Array {
  const data = Buffer.allocUnsafe(tradeDataBytes);
  data[0] = terms.side === 'buy' ? BUY_DISCRIMINATOR : SELL_DISCRIMINATOR;
  data.writeBigUInt64LE(terms.amountIn, 1);
  data.writeBigUInt64LE(terms.minAmountOut, 9);
  data.writeBigUInt64LE(terms.maxAmountOut, 17);
  data.writeUInt16LE(terms.maxFeeBps, 25);
  data.writeBigInt64LE(terms.expireAtSeconds, 27);
  writeUuid(data, uuidOf(terms.tradeId), 35);
  return data;
}

const tradeDataBytes = 51;

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
