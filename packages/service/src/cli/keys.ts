import { loadSigner } from '@karat/signer';
import { type Address, isAddress } from '@solana/kit';
import { noKey } from '../chain/program/wallet.js';
import { type Signer, SignerError } from '../chain/sign/signer.js';
import { asWalletAddress } from '../domain/solana.js';
import { type Call, UsageError } from './command.js';
import { quoted } from './parse.js';
import { mustBe } from './texts.js';

/** How the value of an option is read. */
export type Read<T> = (call: Call, name: string) => T;

export function readIfGiven<T>(call: Call, name: string, read: Read<T>): T | undefined {
  return call.find(name) === undefined ? undefined : read(call, name);
}

export function readAddress(call: Call, name: string): Address {
  const text = call.get(name);
  if (isAddress(text) && text !== noKey) return text;
  throw mustBe(call, name, 'an address');
}

/** Parses the address of a role, which may be a program's account; `none` for an empty role. */
export function readRole(call: Call, name: string): Address {
  return call.get(name) === 'none' ? noKey : readAddress(call, name);
}

/** Reads the address of a key: one that can sign. */
export function readWallet(call: Call, name: string): Address {
  const text = call.get(name);
  const wallet = asWalletAddress(text);
  if (wallet && wallet !== noKey) return wallet;
  throw mustBe(call, name, 'the address of a key');
}

/** Returns the payer of the admin's transaction, if the call names one. */
export function readFeePayer(call: Call): Address | undefined {
  return readIfGiven(call, 'fee-payer', readWallet);
}

/** Reads the key of a file, if the call names one. Its path may be shown, what is in it never. */
export function readKeyFile(call: Call, name: string): Signer | undefined {
  const path = call.find(name);
  if (path === undefined) return undefined;
  try {
    return loadSigner(path);
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    throw new UsageError(`${call.sourceOf(name)}: ${quoted(path)} ${error.message}`);
  }
}
