import type { Address, SignatureBytes } from '@solana/kit';

/** Signs for the service. One interface for a key file now and a key management service later. */
export interface Signer {
  address: Address;
  /** Ed25519 signature (64 bytes) over a compiled transaction message. */
  sign(message: Uint8Array): Promise<SignatureBytes>;
}
