import { memoProgram } from '@karat/signer';
import { encodeBase58 } from '@karat/wire';
import { AccountRole, type Address, type Signature } from '@solana/kit';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

import { takeGuardsAway } from './guards.js';
import { type OrderCall, readOrderCall } from './order-call.js';
import { signatureDifference } from './signed-message.js';
import {
  type InstructionView,
  TransactionDifference,
  type TransactionView,
  viewTransaction,
} from './transaction-view.js';

export interface InspectedOrder {
  /** Base58 of its one signature. */
  signature: Signature;
  /** Base58. */
  blockhash: string;
  call: OrderCall;
  instructions: InstructionView[];
}

/** A transaction that cannot be submitted here; the message gives the caller the reason. */
export class UnsupportedTransaction extends Error {
  override name = 'UnsupportedTransaction';
}

/**
 * Passes a legacy transaction that one wallet signed, with one call of the program that carries out an order, and and
 * along with it compute budget, memos, for a withdrawal the creation of the account that receives it, and the guards
 * that a wallet added. So no one can be made to sign a transfer under the name of a purchase, a durable nonce cannot
 * let a transaction outlive its order, no lookup table hides an account, and the open route is of no use for anything
 * else. Throws an `UnsupportedTransaction`, and a `TransactionDifference` for what is no transaction or not validly
 * signed.
 */
export function inspectOrder(
  bytes: Uint8Array,
  programAddress: Address,
  serviceSigners: readonly Address[],
): InspectedOrder {
  const view = viewOrder(bytes);
  const call = requireOneCall(view, programAddress);
  for (const instruction of unguarded(view, serviceSigners))
    requireSupported(instruction, programAddress, call);
  requireOneSigner(view, call);
  return {
    signature: view.txHash,
    blockhash: encodeBase58(view.blockhash),
    call,
    instructions: view.instructions,
  };
}

/** High bit of the first byte of a message: not a legacy one. */
const versionBit = 0x80;

function viewOrder(bytes: Uint8Array): TransactionView {
  if (isVersioned(bytes)) {
    throw new UnsupportedTransaction(
      'It is a versioned transaction; transactions of the tradebook are legacy transactions.',
    );
  }
  return viewTransaction(bytes, 'transaction');
}

/** Returns whether the message after the signatures has a version prefix. More than 127 signatures don't fit. */
function isVersioned(bytes: Uint8Array): boolean {
  const signatures = bytes[0] ?? 0;
  const first = bytes[1 + signatures * 64];
  return signatures < versionBit && first !== undefined && first >= versionBit;
}

/** Returns the instructions but for guards, which are taken by the same rules as with a quote. */
function unguarded(view: TransactionView, serviceSigners: readonly Address[]): InstructionView[] {
  try {
    return takeGuardsAway(view, serviceSigners)?.instructions ?? view.instructions;
  } catch (error) {
    if (error instanceof TransactionDifference) throw new UnsupportedTransaction(error.message);
    throw error;
  }
}

function requireOneCall(view: TransactionView, programAddress: Address): OrderCall {
  const calls = view.instructions.filter(({ program }) => program === programAddress);
  const [only] = calls;
  if (!only) throw new UnsupportedTransaction("It does not call Karat's program.");
  if (calls.length > 1) {
    throw new UnsupportedTransaction(
      `It calls Karat's program ${calls.length} times; an order is a single call.`,
    );
  }
  const call = readOrderCall(only);
  if (call) return call;
  throw new UnsupportedTransaction(
    'Its call is not a purchase, sale, withdrawal or change of executives. Trades of users are submitted to the partner API.',
  );
}

/** Number of the instruction that the associated token program makes an account by, unless there is one. */
const createIdempotent = 1;

function requireSupported(
  { program, accounts, data }: InstructionView,
  programAddress: Address,
  call: OrderCall,
): void {
  if ([programAddress, COMPUTE_BUDGET_PROGRAM_ADDRESS, memoProgram].includes(program)) return;
  if (program !== ASSOCIATED_TOKEN_PROGRAM_ADDRESS) {
    throw new UnsupportedTransaction(`It also calls ${program}, which no order does.`);
  }
  const makesDestination =
    call.kind === 'withdrawal' &&
    data.length === 1 &&
    data[0] === createIdempotent &&
    accounts[1] === call.destination;
  if (makesDestination) return;
  throw new UnsupportedTransaction('It makes a token account that is not the destination of a withdrawal.');
}

function requireOneSigner(view: TransactionView, call: OrderCall): void {
  const [signer] = view.accounts;
  if (
    view.signatures.length !== 1 ||
    signer !== call.signer ||
    view.roleOf(0) !== AccountRole.WRITABLE_SIGNER
  ) {
    throw new UnsupportedTransaction(
      `It must be signed and paid for by ${call.signer} alone, the wallet of its role.`,
    );
  }
  const verdict = view.verdict(0);
  if (verdict === 'valid') return;
  throw signatureDifference(signer, verdict);
}
