import type { Address } from '@solana/kit';
import { noKey } from '../../chain/program/wallet.js';
import type { Context } from '../../context.js';
import { base64Fault, decodeBase64 } from '../../domain/encoding.js';
import { invalidField } from '../../errors.js';

/** Returns bytes of a signed transaction in a request; 400 `invalid_request` when it is no strict base64. */
export function signedTxBytes(signedTx: string, field = 'signed_tx'): Uint8Array {
  const bytes = decodeBase64(signedTx);
  if (bytes && bytes.length > 0) return bytes;
  throw invalidField(
    field,
    `${field} must be base64: standard alphabet, padded, no white space; ${base64Fault(signedTx)}.`,
  );
}

/** Returns the keys that the program takes as those of the service. */
export function registeredSigners({
  hotKeys,
}: {
  hotKeys: { serviceSigners: readonly Address[] };
}): Address[] {
  return hotKeys.serviceSigners.filter((address) => address !== noKey);
}

/** While keys are rotated, a quote may have been signed by an instance that holds the other key. */
export function serviceSignersOf(ctx: Context): Address[] {
  const own = ctx.chain.signer.address;
  if (ctx.chain.program.fault() !== undefined) return [own];
  return [own, ...registeredSigners(ctx.chain.program.config())];
}

/** What any quote's transaction is held to. */
export function rulesOf(ctx: Context) {
  const { programAddress } = ctx.chain;
  return { programAddress, serviceSigners: serviceSignersOf(ctx) };
}
