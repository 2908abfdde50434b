import { createHash } from 'node:crypto';
import { decodeLongBase58, encodeBase58 } from '@karat/wire';
import sodium from 'sodium-native';
import { requireAddressBytes } from './address-bytes.js';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from './addresses.js';

/** What the faucet starts with: half of a network's first supply, in lamports. */
export const FAUCET_LAMPORTS = 500_000_000_000_000_000n;

export interface KeyPair {
  address: string;
  secretKey: Buffer;
}

/** Returns a key pair that belongs to a ledger: its seed is sha256 over the ledger's nonce and a name. */
export function derivedKeyPair(nonce: Uint8Array, name: string): KeyPair {
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  const seed = createHash('sha256').update(nonce).update(name).digest();
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, seed);
  return { address: encodeBase58(publicKey), secretKey };
}

/**
 * Returns a signed transfer from the faucet, in wire form. `count` makes each one unlike the others: two equal airdrops
 * within one blockhash would otherwise be one transaction. It goes into a compute-unit limit, which costs nothing.
 */
export function airdropTransaction(
  faucet: KeyPair,
  to: string,
  lamports: bigint,
  blockhash: string,
  count: number,
): Buffer {
  const unitLimit = Buffer.alloc(5);
  unitLimit[0] = 2;
  unitLimit.writeUInt32LE(1_000 + (count % 1_000_000), 1);
  const transfer = Buffer.alloc(12);
  transfer.writeUInt32LE(2, 0);
  transfer.writeBigUInt64LE(lamports, 4);
  const keys = [faucet.address, to, SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM].map(requireAddressBytes);
  const message = Buffer.concat([
    Buffer.from([1, 0, 2, keys.length]),
    ...keys,
    // Not remembered as addresses are: it never comes by again.
    decodeLongBase58(blockhash) ?? Buffer.alloc(32),
    Buffer.from([2, 3, 0, unitLimit.length]),
    unitLimit,
    Buffer.from([2, 2, 0, 1, transfer.length]),
    transfer,
  ]);
  const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
  sodium.crypto_sign_detached(signature, message, faucet.secretKey);
  return Buffer.concat([Buffer.from([1]), signature, message]);
}
