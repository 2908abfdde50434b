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
import {
  findAssociatedTokenPda,
  getTransferCheckedInstruction,
  getTransferCheckedInstructionDataEncoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import type { RedemptionId } from '../domain/ids.js';
import { formatMemo } from '../domain/memo.js';
import { tokenDecimals } from '../domain/money.js';
import { memoProgram } from './build-trade.js';
import { compileLegacyMessage } from './compile-message.js';
import { keyOf, MessageTemplate } from './message-template.js';
import type { Signer } from './signer.js';
import { maxTransactionBytes, writeTransaction } from './wire.js';

/** Compute units that a redemption may use: about 25,000 for the memo, 7,000 for the transfer. */
export const redemptionComputeUnitLimit = 60_000;

/** One redemption as it was quoted. */
export interface RedemptionTransfer {
  redemptionId: RedemptionId;
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
  build(transfer: RedemptionTransfer): Promise<BuiltRedemption>;
}

/** Who the service is, and what it pays. */
export interface RedemptionFrame {
  serviceSigner: Address;
  /** Micro-lamports per compute unit. */
  computeUnitPrice: bigint;
}

/** The user's side of a redemption. */
interface UserAccounts {
  user: Address;
  userGold: Address;
}

/** Positions among the instructions. */
export const redemptionMemoPosition = 2;
export const redemptionTransferPosition = 3;

/** The instructions of a redemption: compute budget, the service's memo, the transfer into escrow. */
export function redemptionInstructions(
  frame: RedemptionFrame,
  transfer: RedemptionTransfer,
  own: UserAccounts,
): Instruction[] {
  return [
    getSetComputeUnitLimitInstruction({ units: redemptionComputeUnitLimit }),
    getSetComputeUnitPriceInstruction({ microLamports: frame.computeUnitPrice }),
    {
      programAddress: memoProgram,
      accounts: [{ address: frame.serviceSigner, role: AccountRole.READONLY_SIGNER }],
      data: memoData(transfer),
    },
    getTransferCheckedInstruction({
      source: own.userGold,
      mint: transfer.goldMint,
      destination: transfer.escrowGold,
      authority: createNoopSigner(own.user),
      amount: transfer.amount,
      decimals: tokenDecimals,
    }),
  ];
}

/** The message of a redemption as @solana/kit compiles it; what the template has to equal byte for byte. */
export function compileRedemption(
  frame: RedemptionFrame,
  transfer: RedemptionTransfer,
  own: UserAccounts,
): Uint8Array {
  const instructions = redemptionInstructions(frame, transfer, own);
  return compileLegacyMessage(frame.serviceSigner, transfer.blockhash, instructions);
}

/** Stand-ins for the user's accounts in the template: addresses that no account can have by accident. */
const standIns: UserAccounts = {
  user: address('KaratUser1111111111111111111111111111111111'),
  userGold: address('KaratUserGoLd111111111111111111111111111111'),
};

interface CachedTemplate {
  goldMint: Address;
  escrowGold: Address;
  template: MessageTemplate;
  /** Data of the instructions; those of memo and transfer are replaced for every redemption. */
  data: Uint8Array[];
}

/** Builds and signs redemptions from one template. */
export class TemplateRedemptionBuilder implements RedemptionBuilder {
  readonly #signer: Signer;
  readonly #frame: RedemptionFrame;
  #cached: CachedTemplate | undefined;

  constructor(input: { signer: Signer; computeUnitPrice: bigint }) {
    this.#signer = input.signer;
    this.#frame = { serviceSigner: input.signer.address, computeUnitPrice: input.computeUnitPrice };
  }

  async build(transfer: RedemptionTransfer): Promise<BuiltRedemption> {
    const message = await this.message(transfer);
    const signature = await this.#signer.sign(message);
    const transaction = writeTransaction(message, signature);
    if (transaction.length > maxTransactionBytes) {
      throw new Error(`A redemption has ${transaction.length} bytes, more than the network carries`);
    }
    return { transaction, txHash: getBase58Decoder().decode(signature) };
  }

  /** The bytes to sign for a redemption. */
  async message(transfer: RedemptionTransfer): Promise<Uint8Array> {
    const own = { user: transfer.user, userGold: await goldAccountOf(transfer.user, transfer.goldMint) };
    const { template, data } = this.#templateOf(transfer);
    const patched = [...data];
    patched[redemptionMemoPosition] = memoData(transfer);
    patched[redemptionTransferPosition] = transferData(transfer);
    const blockhash = Uint8Array.from(getBase58Encoder().encode(transfer.blockhash));
    const filled = template.fill([own.user, own.userGold].map(keyOf), blockhash, patched);
    return filled ?? compileRedemption(this.#frame, transfer, own);
  }

  #templateOf(transfer: RedemptionTransfer): CachedTemplate {
    const { goldMint, escrowGold } = transfer;
    const known = this.#cached;
    if (known && known.goldMint === goldMint && known.escrowGold === escrowGold) return known;
    const instructions = redemptionInstructions(this.#frame, transfer, standIns);
    const slots = [standIns.user, standIns.userGold];
    this.#cached = {
      goldMint,
      escrowGold,
      template: new MessageTemplate(this.#frame.serviceSigner, instructions, slots),
      data: instructions.map(({ data }) => Uint8Array.from(data ?? [])),
    };
    return this.#cached;
  }
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

function memoData({ redemptionId, amount }: RedemptionTransfer): Uint8Array {
  return Buffer.from(formatMemo({ kind: 'redeem', id: redemptionId, amount }), 'utf8');
}

function transferData({ amount }: RedemptionTransfer): Uint8Array {
  return Uint8Array.from(
    getTransferCheckedInstructionDataEncoder().encode({ amount, decimals: tokenDecimals }),
  );
}
