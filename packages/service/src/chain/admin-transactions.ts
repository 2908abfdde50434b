import { type Config, getSetMarketInstructionAsync, type MarketState } from '@karat/program-client';
import {
  type Address,
  createNoopSigner,
  getBase58Decoder,
  type Instruction,
  type Signature,
} from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { AppError } from '../errors.js';
import { isAbsent } from './absence.js';
import { agreed } from './agreed.js';
import type { Chain } from './chain.js';
import { compileLegacyMessage } from './compile-message.js';
import { describeProgramError } from './program-errors.js';
import type { Signer } from './signer.js';
import { signatureBytes, writeTransaction } from './wire.js';

/** A transaction that one key of the house signed and pays for; it needs nobody else. */
export interface SignedTransaction {
  /** Wire format. */
  transaction: Uint8Array;
  /** Base58 signature. */
  txHash: string;
  /** It cannot land above this block height. */
  lastValidBlockHeight: bigint;
}

/** A transaction of one key, which pays for it too, signed or not. */
export interface LoneTransaction extends Omit<SignedTransaction, 'txHash'> {
  /** Base58 signature; undefined when this process does not hold the key. */
  txHash: string | undefined;
}

/** What became of a transaction. */
export type Landing =
  /** In a confirmed block, and it did what it says. */
  | { kind: 'confirmed'; slot: bigint }
  /** In a confirmed block, without effect but for its fee. */
  | { kind: 'failed'; slot: bigint; reason: string }
  /** The node did not take it; `reason` is the node's text. */
  | { kind: 'refused'; reason: string }
  /** It did not land and can no longer. */
  | { kind: 'expired' }
  /** Not known yet: it may still land. */
  | { kind: 'pending' };

/** Compute units that one instruction of the program may use, besides those of token programs. */
const computeUnitLimit = 60_000;
const pollMs = 100;
/** Longest look for a proof, in milliseconds. */
const proofTimeoutMs = 4_000;

/**
 * Signs a transaction of `instructions` as the only signer and fee payer, with a new blockhash. Rejects when the node
 * does not answer.
 */
export async function signAlone(
  chain: Pick<Chain, 'rpc'>,
  signer: Signer,
  instructions: Instruction[],
  computeUnitPrice: bigint,
  units = computeUnitLimit,
): Promise<SignedTransaction> {
  const { message, lastValidBlockHeight } = await compileAlone(
    chain,
    signer.address,
    instructions,
    computeUnitPrice,
    units,
  );
  const signature = await signer.sign(message);
  const txHash = getBase58Decoder().decode(signature);
  return { transaction: writeTransaction(message, signature), txHash, lastValidBlockHeight };
}

/**
 * Builds a transaction of `instructions` with `key` as the only signer and fee payer, signed when `signer` is there: else
 * the place of the signature is empty. Rejects when the node does not answer.
 */
export async function prepareAlone(
  chain: Pick<Chain, 'rpc'>,
  key: Address,
  signer: Signer | undefined,
  instructions: Instruction[],
  computeUnitPrice: bigint,
): Promise<LoneTransaction> {
  if (signer) return signAlone(chain, signer, instructions, computeUnitPrice);
  const { message, lastValidBlockHeight } = await compileAlone(chain, key, instructions, computeUnitPrice);
  const transaction = writeTransaction(message, new Uint8Array(signatureBytes));
  return { transaction, txHash: undefined, lastValidBlockHeight };
}

async function compileAlone(
  chain: Pick<Chain, 'rpc'>,
  key: Address,
  instructions: Instruction[],
  computeUnitPrice: bigint,
  units = computeUnitLimit,
) {
  const { value: lifetime } = await chain.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const budget = [
    getSetComputeUnitLimitInstruction({ units }),
    getSetComputeUnitPriceInstruction({ microLamports: computeUnitPrice }),
  ];
  const message = compileLegacyMessage(key, lifetime.blockhash, [...budget, ...instructions]);
  return { message, lastValidBlockHeight: lifetime.lastValidBlockHeight };
}

/**
 * Returns a limit of compute units that differs between states of the program: what is paused, resumed and paused again within
 * the life of one blockhash must not be the very bytes of the first time, which the chain takes once.
 */
export function distinctUnits(limit: number, { seq }: Pick<Config, 'seq'>): number {
  return limit + Number(seq % 1_000n);
}

/** Signs a `set_market` as the market key, which pays for it too. Nothing is sent. */
export async function signSetMarket(
  chain: Chain,
  market: Signer,
  config: Pick<Config, 'seq'>,
  marketState: MarketState,
  computeUnitPrice: bigint,
): Promise<SignedTransaction> {
  const instruction = await getSetMarketInstructionAsync(
    { authority: createNoopSigner(market.address), marketState },
    { programAddress: chain.programAddress },
  );
  return signAlone(chain, market, [instruction], computeUnitPrice, distinctUnits(computeUnitLimit, config));
}

/** Sends a signed transaction and waits until it is confirmed or cannot land any more, or until `deadline`. */
export async function sendAndWait(
  chain: Pick<Chain, 'rpc' | 'sender'>,
  signed: SignedTransaction,
  deadline: AbortSignal,
): Promise<Landing> {
  const outcome = await chain.sender.send(signed.transaction, signed.txHash, deadline);
  if (outcome.kind === 'refused') return { kind: 'refused', reason: outcome.reason };
  for (;;) {
    // A node that fails to answer leaves the question open, and the transaction may have landed meanwhile.
    const landing = await findLanding(chain, signed).catch((): Landing => ({ kind: 'pending' }));
    if (landing.kind !== 'pending' || deadline.aborted) return landing;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/**
 * What the chain knows about a transaction at the moment. `expired` is said only when the last block that could hold it
 * is final and the node, asked afterwards, does not know it. Rejects when the node does not answer.
 */
export async function findLanding(
  chain: Pick<Chain, 'rpc'>,
  signed: Pick<SignedTransaction, 'txHash' | 'lastValidBlockHeight'>,
): Promise<Landing> {
  const final = await chain.rpc.getEpochInfo({ commitment: 'finalized' }).send();
  const { context, value } = await chain.rpc
    .getSignatureStatuses([signed.txHash as Signature], { searchTransactionHistory: true })
    .send();
  const status = value[0];
  if (!status) {
    // Several nodes may stand behind one address: one that lags behind proves nothing by not knowing.
    const over = final.blockHeight > signed.lastValidBlockHeight && context.slot >= final.absoluteSlot;
    return over ? { kind: 'expired' } : { kind: 'pending' };
  }
  if (status.confirmationStatus === 'processed') return { kind: 'pending' };
  if (status.err === null) return { kind: 'confirmed', slot: status.slot };
  return { kind: 'failed', slot: status.slot, reason: reasonOf(status.err) };
}

/**
 * Returns what the chain knows at the moment about a transaction that it carried in `slot` before. `expired` is returned only
 * where `findLanding` does so and the nodes agree that the finalized chain lacks it (`isAbsent`), everything up to
 * `recordedSlot` being recorded. Rejects when the nodes fail.
 */
export async function findLandingAgain(
  chain: Chain,
  landed: Pick<SignedTransaction, 'txHash' | 'lastValidBlockHeight'> & { slot: bigint },
  recordedSlot: bigint,
): Promise<Landing> {
  const landing = await findLanding(chain, landed);
  if (landing.kind !== 'expired') return landing;
  const seen = { txSignature: landed.txHash, slot: landed.slot };
  const signal = AbortSignal.timeout(proofTimeoutMs);
  const isProven = await agreed(chain.witnesses, (rpc) => isAbsent(rpc, seen, recordedSlot, signal), signal);
  return isProven ? landing : { kind: 'pending' };
}

/** What the node answers. Throws `service_unavailable` when it does not. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw new AppError('service_unavailable', 'The Solana node does not respond; try again shortly.', {
      cause,
    });
  }
}

/** Why a transaction failed: `Paused: Instructions of this kind are paused.`, or the chain's own words as JSON. */
export function reasonOf(error: unknown): string {
  const instructionError = memberOf(error, 'InstructionError');
  const custom = Array.isArray(instructionError) ? memberOf(instructionError[1], 'Custom') : undefined;
  const meaning = custom === undefined ? undefined : describeProgramError(Number(custom));
  return meaning ?? JSON.stringify(error, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
