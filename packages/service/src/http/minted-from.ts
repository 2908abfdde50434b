import type { FastifyRequest } from 'fastify';
import type { MintedFrom } from '../actions/record-minted.js';

/** Returns what the audit log keeps of a request that mints a key. */
export function mintedFrom({ ip, id }: FastifyRequest): MintedFrom {
  return { address: ip, requestId: id };
}
