import {
  findConfigPda,
  findRedemptionPda,
  getRedeemInstruction,
  getRedeemInstructionDataEncoder,
} from '@karat/program-client';
import {
  AccountRole,
  type Address,
  address,
  type Blockhash,
  createNoopSigner,
  getBase58Decoder,
  getBase58Encoder,
  type Instruction,
} from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { type RedemptionId, redemptionBytes, type Uuid, uuidBytes } from '../domain/ids.js';
import { formatMemo } from '../domain/memo.js';
import { memoProgram } from './build-trade.js';
import { compileLegacyMessage } from './compile-message.js';
import { keyOf, MessageTemplate } from './message-template.js';
import type { Signer } from './signer.js';
import { maxTransactionBytes, writeTransaction } from './wire.js';

/**
 * Compute units that a redemption may use: about 25,000 for the memo, 10,000 for the program, and 1,500 more for each bump
 * below 255 of the redemption's address.
 */
export const redemptionComputeUnitLimit = 60_000;

/** One redemption as it was quoted. */
export interface RedemptionPayment {
  redemptionId: RedemptionId;
  partnerId: Uuid;
  /** GOLD, base units. */
  amount: bigint;
  /** Wallet of the user, who pays from its associated token account. */
  user: Address;
  goldMint: Address;
  /** GOLD account of the escrow authority. */
  escrowGold: Address;
  blockhash: Blockhash;
}

export interface BuiltRedemption {
  /** The wire transaction: the service has signed, the user has not. */
  transaction: Uint8Array;
  /** Base58 signature of the service, which is the transaction's id. */
  txHash: string;
}

export interface RedemptionBuilder {
  build(payment: RedemptionPayment): Promise<BuiltRedemption>;
}

/** The program, who the service is, and what it pays. */
export interface RedemptionFrame {
  programAddress: Address;
  config: Address;
  serviceSigner: Address;
  /** Micro-lamports per compute unit. */
  computeUnitPrice: bigint;
}

/** The accounts that are of one redemption alone. */
interface OwnAccounts {
  user: Address;
  userGold: Address;
  redemption: Address;
}

/** Positions among the instructions. */
export const redemptionMemoPosition = 2;
export const redeemPosition = 3;

/**
 * The instructions of a redemption: compute budget, the service's memo, and `redeem`. The service pays the rent of the
 * redemption's account, and gets it back when the redemption is settled.
 */
export function redemptionInstructions(
  frame: RedemptionFrame,
  payment: RedemptionPayment,
  own: OwnAccounts,
): Instruction[] {
  const { programAddress, config, serviceSigner, computeUnitPrice } = frame;
  const service = createNoopSigner(serviceSigner);
  const { escrowGold, goldMint } = payment;
  const user = createNoopSigner(own.user);
  const accounts = { payer: service, config, serviceSigner: service, ...own, user, escrowGold, goldMint };
  return [
    getSetComputeUnitLimitInstruction({ units: redemptionComputeUnitLimit }),
    getSetComputeUnitPriceInstruction({ microLamports: computeUnitPrice }),
    {
      programAddress: memoProgram,
      accounts: [{ address: serviceSigner, role: AccountRole.READONLY_SIGNER }],
      data: memoData(payment),
    },
    getRedeemInstruction({ ...accounts, ...argumentsOf(payment) }, { programAddress }),
  ];
}

/** The message of a redemption as @solana/kit compiles it; what the template has to equal byte for byte. */
export function compileRedemption(
  frame: RedemptionFrame,
  payment: RedemptionPayment,
  own: OwnAccounts,
): Uint8Array {
  const instructions = redemptionInstructions(frame, payment, own);
  return compileLegacyMessage(frame.serviceSigner, payment.blockhash, instructions);
}

/** Stand-ins for the accounts of one redemption in the template: addresses that no account can have by accident. */
const standIns: OwnAccounts = {
  user: address('KaratUser1111111111111111111111111111111111'),
  userGold: address('KaratUserGoLd111111111111111111111111111111'),
  redemption: address('KaratRedemption1111111111111111111111111111'),
};

interface CachedTemplate {
  goldMint: Address;
  escrowGold: Address;
  frame: RedemptionFrame;
  template: MessageTemplate;
  /** Data of the instructions; those of memo and `redeem` are replaced for every redemption. */
  data: Uint8Array[];
}

/** Builds and signs redemptions from one template. */
export class TemplateRedemptionBuilder implements RedemptionBuilder {
  readonly #signer: Signer;
  readonly #programAddress: Address;
  readonly #computeUnitPrice: bigint;
  #cached: CachedTemplate | undefined;

  constructor(input: { programAddress: Address; signer: Signer; computeUnitPrice: bigint }) {
    this.#signer = input.signer;
    this.#programAddress = input.programAddress;
    this.#computeUnitPrice = input.computeUnitPrice;
  }

  async build(payment: RedemptionPayment): Promise<BuiltRedemption> {
    const message = await this.message(payment);
    const signature = await this.#signer.sign(message);
    const transaction = writeTransaction(message, signature);
    if (transaction.length > maxTransactionBytes) {
      throw new Error(`A redemption has ${transaction.length} bytes, more than the network carries`);
    }
    return { transaction, txHash: getBase58Decoder().decode(signature) };
  }

  /** The bytes to sign for a redemption. */
  async message(payment: RedemptionPayment): Promise<Uint8Array> {
    const own = await ownAccounts(payment, this.#programAddress);
    const { frame, template, data } = await this.#templateOf(payment);
    const patched = [...data];
    patched[redemptionMemoPosition] = memoData(payment);
    patched[redeemPosition] = redeemData(payment);
    const blockhash = Uint8Array.from(getBase58Encoder().encode(payment.blockhash));
    const slots = [own.user, own.userGold, own.redemption].map(keyOf);
    return template.fill(slots, blockhash, patched) ?? compileRedemption(frame, payment, own);
  }

  async #templateOf(payment: RedemptionPayment): Promise<CachedTemplate> {
    const { goldMint, escrowGold } = payment;
    const known = this.#cached;
    if (known && known.goldMint === goldMint && known.escrowGold === escrowGold) return known;
    const programAddress = this.#programAddress;
    const [config] = await findConfigPda({ programAddress });
    const { address: serviceSigner } = this.#signer;
    const frame = { programAddress, config, serviceSigner, computeUnitPrice: this.#computeUnitPrice };
    const instructions = redemptionInstructions(frame, payment, standIns);
    const slots = [standIns.user, standIns.userGold, standIns.redemption];
    this.#cached = {
      goldMint,
      escrowGold,
      frame,
      template: new MessageTemplate(serviceSigner, instructions, slots),
      data: instructions.map(({ data }) => Uint8Array.from(data ?? [])),
    };
    return this.#cached;
  }
}

/** The accounts that are of one redemption alone. */
export async function ownAccounts(
  { redemptionId, user, goldMint }: RedemptionPayment,
  programAddress: Address,
): Promise<OwnAccounts> {
  const [redemption] = await findRedemptionPda({ id: redemptionBytes(redemptionId) }, { programAddress });
  return { user, userGold: await goldAccountOf(user, goldMint), redemption };
}

/** The GOLD account of a wallet: its associated token account. */
export async function goldAccountOf(owner: Address, goldMint: Address): Promise<Address> {
  const [found] = await findAssociatedTokenPda({
    owner,
    mint: goldMint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return found;
}

function memoData({ redemptionId, amount }: RedemptionPayment): Uint8Array {
  return Buffer.from(formatMemo({ kind: 'redeem', id: redemptionId, amount }), 'utf8');
}

function argumentsOf({ redemptionId, partnerId, amount }: RedemptionPayment) {
  return { id: redemptionBytes(redemptionId), partnerId: uuidBytes(partnerId), amount };
}

function redeemData(payment: RedemptionPayment): Uint8Array {
  return Uint8Array.from(getRedeemInstructionDataEncoder().encode(argumentsOf(payment)));
}
