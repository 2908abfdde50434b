import { type Address, createNoopSigner, type Signature } from '@solana/kit';
import { getCreateAccountWithSeedInstruction } from '@solana-program/system';
import { AppError } from '../../errors.js';
import {
  assembleTransaction,
  type PreparedTransaction,
  recentLifetime,
  type Terms,
} from '../build/prepare-transaction.js';
import type { Signer } from '../build/signer.js';
import type { Chain } from '../chain.js';
import { answered } from '../node/landing.js';
import { wordsOf } from '../program/program-errors.js';
import { bufferSeed, headerBytes, initializeBuffer, loaderV3, readBuffer, writeCode } from './loader.js';

/** Bytes of code in one transaction: beside two signatures and what they cost, 864 would fit. */
export const pieceBytes = 860;
/** Units that one transaction with the loader takes, with room: its instructions cost 2,370 each. */
export const loaderUnits = 10_000;
/** How often everything that is missing is sent. */
const rounds = 5;
/** Transactions that are on their way to the node at once. */
const atOnce = 8;
const sendWithinMs = 10_000;
const pollMs = 400;
/** Most signatures that a node looks up in one call. */
const statusesPerCall = 256;

/** A buffer, and who pays for it and writes it. */
export interface BufferWriting {
  buffer: Address;
  payer: Signer;
  writer: Signer;
}

/** Instructions that make a program's buffer, empty, for `size` bytes of code. */
export function createBuffer(
  { buffer, payer, writer }: BufferWriting,
  { program, size, lamports }: { program: Address; size: number; lamports: bigint },
) {
  return [
    getCreateAccountWithSeedInstruction({
      payer: createNoopSigner(payer.address),
      newAccount: buffer,
      base: payer.address,
      seed: bufferSeed(program),
      amount: lamports,
      space: headerBytes.buffer + size,
      programAddress: loaderV3,
    }),
    initializeBuffer(buffer, writer.address),
  ];
}

/** Returns where the pieces begin in which a buffer's code is not yet that of the file, of the same length. */
export function missingPieces(code: Uint8Array, file: Uint8Array): number[] {
  const starts: number[] = [];
  for (let start = 0; start < file.length; start += pieceBytes) {
    const end = start + pieceBytes;
    if (Buffer.compare(code.subarray(start, end), file.subarray(start, end)) !== 0) starts.push(start);
  }
  return starts;
}

/**
 * Writes into a buffer what it lacks of a file, and returns when it holds all of it. Throws `broadcast_failed` when the node
 * refuses, and `service_unavailable` when pieces do not land; what was written stays, and another call goes on.
 */
export async function fillBuffer(
  chain: Chain,
  writing: BufferWriting,
  file: Uint8Array,
  progress: (left: number) => void,
): Promise<void> {
  let reason = 'pieces did not land in time';
  for (let round = 0; round <= rounds; round += 1) {
    const buffer = await answered(readBuffer(chain.rpc, writing.buffer));
    const missing = missingPieces(buffer?.code ?? new Uint8Array(), file);
    progress(missing.length);
    if (missing.length === 0) return;
    if (round === rounds) break;
    const sent = await sendPieces(chain, writing, file, missing);
    reason = sent.reason ?? reason;
    if (sent.accepted === 0) break;
  }
  throw new AppError(
    'service_unavailable',
    `The buffer ${writing.buffer} is not complete: ${reason}. Run the command again to go on, or with --close-buffer yes to get its rent back.`,
  );
}

/** Sends pieces and waits until none can land any more; how many the node took, and why it took no more. */
async function sendPieces(
  chain: Chain,
  { buffer, payer, writer }: BufferWriting,
  file: Uint8Array,
  starts: number[],
): Promise<{ accepted: number; reason: string | undefined }> {
  const lifetime = await recentLifetime(chain);
  const terms: Terms = { ...lifetime, computeUnits: loaderUnits };
  const accepted: PreparedTransaction[] = [];
  let reason: string | undefined;
  const waiting = [...starts];
  const sendNext = async () => {
    for (let start = waiting.shift(); start !== undefined; start = waiting.shift()) {
      const piece = file.subarray(start, start + pieceBytes);
      const instructions = [writeCode(buffer, writer.address, start, piece)];
      const draft = { instructions, payer: payer.address, keys: [payer, writer] };
      const prepared = await assembleTransaction(chain, draft, terms);
      const deadline = AbortSignal.timeout(sendWithinMs);
      const outcome = await chain.sender.send(prepared.transaction, prepared.txHash ?? '', deadline);
      if (outcome.kind === 'accepted') accepted.push(prepared);
      else reason = outcome.kind === 'refused' ? outcome.reason : 'the Solana node does not respond';
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendNext));
  const failure = await waitForAll(chain, accepted, lifetime.lastValidBlockHeight);
  return { accepted: accepted.length, reason: failure ?? reason };
}

/** Waits until all have landed or none can any more; the first failure among them. */
async function waitForAll(
  { rpc }: Chain,
  sent: PreparedTransaction[],
  lastValidBlockHeight: bigint,
): Promise<string | undefined> {
  let open = sent.map(({ txHash }) => txHash as Signature);
  let failure: string | undefined;
  while (open.length > 0) {
    const height = await answered(rpc.getBlockHeight({ commitment: 'confirmed' }).send());
    const left: Signature[] = [];
    for (let start = 0; start < open.length; start += statusesPerCall) {
      const some = open.slice(start, start + statusesPerCall);
      const { value } = await answered(rpc.getSignatureStatuses(some).send());
      some.forEach((signature, index) => {
        const status = value[index];
        if (status?.err) failure ??= `The chain refused ${signature}: ${wordsOf(status.err)}`;
        const landed = status && (status.err || status.confirmationStatus !== 'processed');
        if (!landed) left.push(signature);
      });
    }
    open = left;
    if (height > lastValidBlockHeight) break;
    if (open.length > 0) await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return failure;
}
