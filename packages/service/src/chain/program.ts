import type { Config, Integrator } from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { Uuid } from '../domain/ids.js';

export interface IntegratorEntry {
  address: Address;
  data: Integrator;
}

export interface ProgramReader {
  /** The program's configuration. Throws `service_unavailable` while it was never read or the node is silent. */
  config(): Config;
  /** A partner's integrator account, or undefined when there is none on chain. */
  integrator(partnerId: Uuid): IntegratorEntry | undefined;
  fault(): string | undefined;
}
