import {
  type Address,
  address,
  type Base64EncodedDataResponse,
  getAddressEncoder,
  getBase58Encoder,
} from '@solana/kit';
import {
  findAssociatedTokenPda,
  getTokenDecoder,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import sodium from 'sodium-native';

const addressEncoder = getAddressEncoder();
const base58 = getBase58Encoder();

/** What stands where the program keeps no key: 32 zero bytes. */
export const noKey = address('11111111111111111111111111111111');

export async function tokenAccountOf(owner: Address, mint: Address): Promise<Address> {
  const [found] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  return found;
}

/** Returns what a token account holds, base units; undefined for an account that does not exist or is none. */
export function tokenAmountOf(
  account: { owner: Address; data: Base64EncodedDataResponse } | null | undefined,
): bigint | undefined {
  if (account?.owner !== TOKEN_PROGRAM_ADDRESS) return undefined;
  const data = Buffer.from(account.data[0], 'base64');
  return data.length === getTokenSize() ? getTokenDecoder().decode(data).amount : undefined;
}

/** Returns whether `signature` (64 bytes) is the wallet's Ed25519 signature of a UTF-8 text. */
export function isSignedBy(wallet: Address, message: string, signature: Uint8Array): boolean {
  if (signature.length !== sodium.crypto_sign_BYTES) return false;
  return sodium.crypto_sign_verify_detached(
    Buffer.from(signature),
    Buffer.from(message, 'utf8'),
    Buffer.from(addressEncoder.encode(wallet)),
  );
}

/** Returns the 64 bytes of a signature in base58; undefined for any other text. */
export function decodeBase58Signature(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{64,88}$/.test(text)) return undefined;
  const bytes = base58.encode(text);
  return bytes.length === sodium.crypto_sign_BYTES ? Uint8Array.from(bytes) : undefined;
}

/**
 * Returns whether a text is the base58 form of 64 bytes: what a caller sends who mistook the encoding of a signature.
 */
export function isBase58Signature(text: string): boolean {
  return decodeBase58Signature(text) !== undefined;
}
