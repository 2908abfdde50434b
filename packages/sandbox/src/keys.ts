import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit';
import { readIfThere, writeAtomically } from './files.js';
import { UserError } from './user-error.js';

/**
 * Returns the key pair in a file, made at first use by `make`. The file is as the Solana CLI writes it: a JSON array of 64 bytes
 * (seed, then public key), mode 0600.
 */
export async function keyFile(path: string, make = newKeyPairBytes): Promise<KeyPairSigner> {
  const text = await readIfThere(path);
  if (text !== undefined) return readKeyPair(path, text);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const bytes = make();
  await writeAtomically(path, `${JSON.stringify([...bytes])}\n`);
  return createKeyPairSignerFromBytes(bytes);
}

/** Returns the secret in a file, made at first use: 64 hexadecimal digits, mode 0600. */
export async function secretFile(path: string): Promise<string> {
  const text = await readIfThere(path);
  if (text !== undefined) return text.trim();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const secret = randomBytes(32).toString('hex');
  await writeAtomically(path, `${secret}\n`);
  return secret;
}

/** Returns a fresh key pair: 32 bytes seed, 32 bytes public key. */
export function newKeyPairBytes(): Uint8Array {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return Buffer.concat([rawKey(privateKey, 'd'), rawKey(publicKey, 'x')]);
}

const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Returns the key pair of a name, the same on every machine: 32 bytes seed, 32 bytes public key. */
export function wellKnownKeyPairBytes(name: string): Uint8Array {
  const seed = createHash('sha256').update(`Karat sandbox: ${name}`).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  return Buffer.concat([seed, rawKey(createPublicKey(privateKey), 'x')]);
}

function rawKey(key: KeyObject, member: 'd' | 'x'): Buffer {
  return Buffer.from(key.export({ format: 'jwk' })[member] ?? '', 'base64url');
}

async function readKeyPair(path: string, text: string): Promise<KeyPairSigner> {
  try {
    return await createKeyPairSignerFromBytes(Uint8Array.from(JSON.parse(text) as number[]));
  } catch {
    throw new UserError(`${path} does not hold a key pair; restore it or start over with --reset`);
  }
}
