import type { Config } from '@karat/program-client';
import { signatureBytes, writeTransaction } from '@karat/wire';
import { type Address, getAddressDecoder, type Instruction } from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { toInteger } from '../../domain/integer.js';
import { lifetimeMs } from '../../domain/lifetime.js';
import { type TxSignature, txSignatureOf } from '../../domain/solana.js';
import { unavailable } from '../../errors.js';
import type { Chain } from '../chain.js';
import { type RecentBlockhash, recentOf } from '../node/blockhash.js';
import { responseOf, type SentTransaction } from '../node/landing.js';
import { noKey } from '../program/wallet.js';
import type { Signer } from '../sign/signer.js';
import { compileLegacyMessage } from './compile-message.js';

/** Keys of the program's configuration that sign what people of the service do on chain. */
export type Role = 'admin' | 'operations' | 'guardian' | 'market';

/** Returns the key that has a role by the program's configuration; `noKey` where nobody has it. */
export function keyOf({ admin, hotKeys, settings }: Config, role: Role): Address {
  return {
    admin,
    operations: hotKeys.operations,
    guardian: settings.guardian,
    market: hotKeys.market,
  }[role];
}

/** Units that a transaction may use: making two token accounts and an integrator takes about 75,000. */
const computeUnitLimit = 200_000;
const readWithinMs = 2_000;

export interface PreparedTransaction {
  /** Wire format; the place of a signature is empty where this process does not hold the key. */
  transaction: Uint8Array;
  /** Base58 signature; undefined while signatures are missing. */
  txHash: TxSignature | undefined;
  /** Base58 signature that it has as soon as all have signed; undefined while that of its payer is missing. */
  finalTxHash: TxSignature | undefined;
  /** Who still has to sign. */
  missing: Address[];
  lastValidBlockHeight: bigint;
  expiresAtMs: number;
}

/** A transaction that has all its signatures. */
export type SignedTransaction = PreparedTransaction & SentTransaction;

export interface Draft {
  instructions: Instruction[];
  payer: Address;
  /** Keys that sign in addition to those of this process. */
  keys?: readonly Signer[];
}

/**
 * Returns the first of the roles whose key this process holds; else the first that somebody has. Throws `service_unavailable`
 * when this process holds a key for one of them that the program does not know.
 */
export function actingRole(chain: Chain, config: Config, allowed: readonly Role[]): Role {
  const held = allowed.find((role) => chain[role]?.address === keyOf(config, role));
  if (held) return held;
  const foreign = allowed.find((role) => chain[role] !== undefined);
  if (foreign) {
    const message = `The ${foreign} key of this process is not the program's ${foreign}.`;
    throw unavailable(message);
  }
  return allowed.find((role) => keyOf(config, role) !== noKey) ?? 'admin';
}

/** Returns whether this process can sign in a role. */
export function holds(chain: Chain, config: Config, role: Role): boolean {
  return chain[role] !== undefined && chain[role].address === keyOf(config, role);
}

/**
 * Returns who pays for a transaction of these roles. The admin, which may be an account of a multisig program, pays only where
 * there is no other payer: a hot key that signs anyway pays, else the operations key.
 */
export function payerOf(chain: Chain, config: Config, roles: readonly Role[]): Address {
  const hot = roles.find((role) => role !== 'admin');
  if (hot) return keyOf(config, hot);
  const { admin, hotKeys } = config;
  if (holds(chain, config, 'operations')) return hotKeys.operations;
  return holds(chain, config, 'admin') || hotKeys.operations === noKey ? admin : hotKeys.operations;
}

/**
 * Puts instructions into a transaction that `payer` pays for, signed by the keys that this process holds. Throws
 * `service_unavailable` while the node is silent.
 */
export async function prepareTransaction(
  chain: Chain,
  config: Config,
  draft: Draft,
): Promise<PreparedTransaction> {
  return assembleTransaction(chain, draft, {
    ...(await recentLifetime(chain)),
    computeUnits: distinctUnits(config),
  });
}

/** How long a transaction can land, and what it may use. */
export interface Terms extends RecentBlockhash {
  computeUnits: number;
}

/** Puts instructions into a transaction, signed by `keys` and by those of this process's keys that it needs. */
export async function assembleTransaction(
  chain: Pick<Chain, Role | 'computeUnitPrice'>,
  { instructions, payer, keys = [] }: Draft,
  { blockhash, lastValidBlockHeight, expiresAtMs, computeUnits }: Terms,
): Promise<PreparedTransaction> {
  const message = compileLegacyMessage(payer, blockhash, [
    getSetComputeUnitLimitInstruction({ units: computeUnits }),
    getSetComputeUnitPriceInstruction({ microLamports: chain.computeUnitPrice }),
    ...instructions,
  ]);
  const signers = signersOf(message);
  const held = [...keys, chain.operations, chain.guardian, chain.market, chain.admin];
  const signatures = await Promise.all(
    signers.map((signer) => held.find((key) => key?.address === signer)?.sign(message)),
  );
  const missing = signers.filter((_, index) => signatures[index] === undefined);
  const finalTxHash = signatures[0] && txSignatureOf(signatures[0]);
  return {
    transaction: writeTransaction(
      message,
      ...signatures.map((each) => each ?? new Uint8Array(signatureBytes)),
    ),
    txHash: missing.length === 0 ? finalTxHash : undefined,
    finalTxHash,
    missing,
    lastValidBlockHeight,
    expiresAtMs,
  };
}

/** Signs a transaction that needs only the given keys and those of this process. */
export async function signTransaction(
  chain: Chain,
  config: Config,
  draft: Draft,
): Promise<SignedTransaction> {
  const { txHash, ...prepared } = await prepareTransaction(chain, config, draft);
  if (txHash === undefined) throw new Error(`The keys of ${prepared.missing.join(', ')} are missing`);
  return { ...prepared, txHash };
}

/**
 * Returns a limit of compute units that differs between states of the program: what is paused, resumed and paused again within
 * the life of one blockhash must not be the very bytes of the first time, which the chain takes once.
 */
function distinctUnits({ seq }: Config): number {
  return computeUnitLimit + toInteger(seq % 1_000n);
}

/**
 * Returns a recent blockhash with the height above which nothing lands that is signed with it: the one that is kept fresh,
 * or a new one in a process that keeps none, as the command line.
 */
export async function recentLifetime(chain: Chain): Promise<RecentBlockhash> {
  if (chain.blockhash.fault() === undefined) return chain.blockhash.current();
  const signal = AbortSignal.timeout(readWithinMs);
  const call = chain.rpc.getLatestBlockhash({ commitment: 'confirmed' });
  const { value } = await responseOf(call.send({ abortSignal: signal }));
  return { ...recentOf(value), expiresAtMs: Date.now() + lifetimeMs };
}

const headerBytes = 3;
const keyBytes = 32;

/** Returns the signers of a legacy message, in their order. */
function signersOf(message: Uint8Array): Address[] {
  // The count of accounts takes one byte: a transaction has room for 35.
  const start = headerBytes + 1;
  return Array.from({ length: message[0] ?? 0 }, (_, index) =>
    getAddressDecoder().decode(message, start + index * keyBytes),
  );
}
