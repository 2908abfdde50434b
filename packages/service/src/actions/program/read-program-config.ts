import type { Config as ProgramConfig } from '@karat/program-client';
import { responseOf } from '../../chain/node/landing.js';
import { readConfig } from '../../chain/program/program-snapshot.js';
import type { Context } from '../../context.js';

const readWithinMs = 3_000;

/**
 * Reads the program's configuration from the node, as it is at `slot` or later. Throws `service_unavailable` when the node
 * does not respond.
 */
export function readProgramConfig(ctx: Context, slot = 0n): Promise<ProgramConfig> {
  return responseOf(readConfig(ctx.chain, 'confirmed', AbortSignal.timeout(readWithinMs), slot));
}
