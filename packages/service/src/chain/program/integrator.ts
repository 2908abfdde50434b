import { getIntegratorDecoder, type Integrator } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { type Uuid, uuidFromBytes } from '../../domain/ids.js';

/** A partner's account on chain. */
export interface IntegratorEntry {
  address: Address;
  data: Integrator;
}

/** Where the id of the partner is in the bytes of an integrator. */
const partnerIdAt = 8;
const partnerIdBytes = 16;

/**
 * An integrator that is decoded when it is first used. Decoding takes many times as long as all else that is done with it,
 * because of its addresses, and a service with thousands of partners would not come to quote for that.
 */
export class KnownIntegrator implements IntegratorEntry {
  readonly address: Address;
  readonly partnerId: Uuid;
  readonly #bytes: Uint8Array;
  #data: Integrator | undefined;

  constructor(address: Address, bytes: Uint8Array) {
    this.address = address;
    this.partnerId = uuidFromBytes(bytes.subarray(partnerIdAt, partnerIdAt + partnerIdBytes));
    this.#bytes = bytes;
  }

  get data(): Integrator {
    this.#data ??= getIntegratorDecoder().decode(this.#bytes);
    return this.#data;
  }
}
