import { token2022Program } from '@karat/signer';
import type { Address, ReadonlyUint8Array } from '@solana/kit';
import {
  BURN_CHECKED_DISCRIMINATOR,
  getBurnCheckedInstructionDataDecoder,
  getMintToCheckedInstructionDataDecoder,
  getTransferCheckedInstructionDataDecoder,
  getTransferInstructionDataDecoder,
  MINT_TO_CHECKED_DISCRIMINATOR,
  TOKEN_PROGRAM_ADDRESS,
  TRANSFER_CHECKED_DISCRIMINATOR,
  TRANSFER_DISCRIMINATOR,
} from '@solana-program/token';
import type { ChainInstruction } from './transaction.js';

/** Both have these instructions, byte for byte. */
const tokenPrograms: ReadonlySet<Address> = new Set([TOKEN_PROGRAM_ADDRESS, token2022Program]);
const checkedSize = getTransferCheckedInstructionDataDecoder().fixedSize;
const plainSize = getTransferInstructionDataDecoder().fixedSize;
const burnSize = getBurnCheckedInstructionDataDecoder().fixedSize;
const mintingSize = getMintToCheckedInstructionDataDecoder().fixedSize;

/** Change of a token account by transfers, in base units. */
export type TokenFlows = Map<Address, bigint>;

/**
 * Returns what the transfers, burns and mints that an invocation made itself move in sum, by token account, without
 * zeros. Undefined when it made any other call of a token program, or one of a mint that the account was not seen
 * with before.
 *
 * `trace` are the instructions in order of execution, `at` is the place of the invocation among them.
 */
export function flowsOf(
  trace: readonly ChainInstruction[],
  at: number,
  mintOf: ReadonlyMap<Address, Address>,
): TokenFlows | undefined {
  const flows: TokenFlows = new Map();
  for (const child of childrenOf(trace, at)) {
    if (!tokenPrograms.has(child.program)) continue;
    const transfer = readTransfer(child);
    if (!transfer) return undefined;
    const { source, target, mint, amount } = transfer;
    for (const [account, change] of [
      [source, -amount],
      [target, amount],
    ] as const) {
      if (account === undefined) continue;
      if (mint && mintOf.get(account) !== mint) return undefined;
      flows.set(account, (flows.get(account) ?? 0n) + change);
    }
  }
  for (const [account, change] of flows) if (change === 0n) flows.delete(account);
  return flows;
}

/** Returns the transfers, burns and mints that the invocation at `at` made itself, without what is none. */
export function transfersOf(trace: readonly ChainInstruction[], at: number): Transfer[] {
  return childrenOf(trace, at).flatMap((child) =>
    tokenPrograms.has(child.program) ? (readTransfer(child) ?? []) : [],
  );
}

export function sameFlows(a: TokenFlows, b: TokenFlows): boolean {
  return a.size === b.size && [...a].every(([account, change]) => b.get(account) === change);
}

/** Returns what the invocation at `at` invoked itself: one deeper, up to the next that is not below it. */
export function childrenOf(trace: readonly ChainInstruction[], at: number): ChainInstruction[] {
  const depth = trace[at]?.depth ?? 0;
  const children: ChainInstruction[] = [];
  for (let next = at + 1; next < trace.length; next += 1) {
    const instruction = trace[next] as ChainInstruction;
    if (instruction.depth <= depth) break;
    if (instruction.depth === depth + 1) children.push(instruction);
  }
  return children;
}

export interface Transfer {
  /** Undefined when the tokens are minted. */
  source: Address | undefined;
  /** Undefined when the tokens are burned. */
  target: Address | undefined;
  mint: Address | undefined;
  amount: bigint;
}

/** Returns the amount behind the discriminator of a transfer, burn or mint, base units: all of them have it there. */
function readTokenAmount(data: ReadonlyUint8Array): bigint {
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
}

function readTransfer(instruction: ChainInstruction): Transfer | undefined {
  const { accounts, data } = instruction;
  const [kind] = data;
  if (kind === TRANSFER_CHECKED_DISCRIMINATOR && data.length === checkedSize) {
    const [source, mint, target] = accounts;
    const amount = readTokenAmount(data);
    return source && mint && target ? { source, mint, target, amount } : undefined;
  }
  if (kind === TRANSFER_DISCRIMINATOR && data.length === plainSize) {
    const [source, target] = accounts;
    const amount = readTokenAmount(data);
    return source && target ? { source, target, mint: undefined, amount } : undefined;
  }
  if (kind === BURN_CHECKED_DISCRIMINATOR && data.length === burnSize) {
    const [source, mint] = accounts;
    const amount = readTokenAmount(data);
    return source && mint ? { source, target: undefined, mint, amount } : undefined;
  }
  if (kind === MINT_TO_CHECKED_DISCRIMINATOR && data.length === mintingSize) {
    const [mint, target] = accounts;
    const amount = readTokenAmount(data);
    return target && mint ? { source: undefined, target, mint, amount } : undefined;
  }
  return undefined;
}
