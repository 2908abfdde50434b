import { rotateKycKey } from '../actions/users/rotate-kyc-key.js';
import { readKycConfig } from '../config.js';
import { KycSeal } from '../kyc/kyc-seal.js';
import { openKeyWrappers } from '../kyc/open-key-wrappers.js';
import type { Call, Outcome } from './command.js';
import { withDatabase } from './with-database.js';

export async function rotate(call: Call): Promise<Outcome> {
  const kyc = new KycSeal(await openKeyWrappers(readKycConfig(call.env), call.terminal.env));
  const rotated = await withDatabase(call, (ctx) => rotateKycKey({ ...ctx, kyc }));
  const { keyId, records, resumed, unreadable } = rotated;
  const lines = [JSON.stringify({ key_id: keyId, records, resumed, unreadable })];
  return { exitCode: unreadable.length === 0 ? 0 : 1, lines };
}
