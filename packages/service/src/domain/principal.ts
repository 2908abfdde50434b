import type { Uuid } from './ids.js';

/** Who makes a request: an active key of an active partner. */
export interface Principal {
  keyId: Uuid;
  partnerId: Uuid;
}
