import { createHash } from 'node:crypto';
import { KARAT_PROGRAM_ADDRESS } from '@karat/program-client';
import { type Address, getAddressDecoder, getAddressEncoder, isOffCurveAddress } from '@solana/kit';
import { type Uuid, uuidBytes } from '../../src/domain/ids.js';

/** Where the receipt of an order is, without waiting: PDA ["order", integrator, id]. */
export function receiptOf(
  integrator: Address,
  orderId: Uuid,
  programAddress: Address = KARAT_PROGRAM_ADDRESS,
): Address {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256')
      .update('order')
      .update(Uint8Array.from(getAddressEncoder().encode(integrator)))
      .update(uuidBytes(orderId))
      .update(Uint8Array.of(bump))
      .update(Uint8Array.from(getAddressEncoder().encode(programAddress)))
      .update('ProgramDerivedAddress')
      .digest();
    const address = getAddressDecoder().decode(hash);
    if (isOffCurveAddress(address)) return address;
  }
  throw new Error('no address');
}

/** Lets the call of a message name an integrator's order `to` instead of `from`; signatures over it are void then. */
export function nameOrder(
  bytes: Buffer,
  { integrator, from, to }: { integrator: Address; from: Uuid; to: Uuid },
  programAddress?: Address,
): Buffer {
  for (const bytesOf of [
    (id: Uuid) => Buffer.from(getAddressEncoder().encode(receiptOf(integrator, id, programAddress))),
    (id: Uuid) => Buffer.from(uuidBytes(id)),
  ]) {
    const at = bytes.indexOf(bytesOf(from));
    if (at < 0) throw new Error(`the message does not name ${from}`);
    bytesOf(to).copy(bytes, at);
  }
  return bytes;
}
