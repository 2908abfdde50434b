import { CONFIG_KIND, findConfigPda, getConfigDecoder, getIntegratorSize } from '@karat/program-client';
import { type Uuid, uuidFromBytes } from '../../domain/ids.js';
import type { Chain } from '../chain.js';

/** Where an integrator has the id of its partner, and right behind it the number of its last event. */
const partnerIdAt = 8;
const partnerIdBytes = 16;
const sliceBytes = partnerIdBytes + 8;

/** The numbers of the last events of the program. */
export interface EventNumbers {
  /** Nothing of a later slot is missing in them. */
  slot: bigint;
  /** Of the configuration; undefined where there is none. */
  config: bigint | undefined;
  /** Of each partner's integrator. */
  partners: Map<Uuid, bigint>;
}

/** Reads with which numbers the program has counted its events, at commitment `finalized`. Rejects when the node fails. */
export async function readEventNumbers(
  { rpc, programAddress }: Pick<Chain, 'rpc' | 'programAddress'>,
  abortSignal: AbortSignal,
): Promise<EventNumbers> {
  const [configAddress] = await findConfigPda({ programAddress });
  const [config, integrators] = await Promise.all([
    rpc.getAccountInfo(configAddress, { commitment: 'finalized', encoding: 'base64' }).send({ abortSignal }),
    rpc
      .getProgramAccounts(programAddress, {
        commitment: 'finalized',
        encoding: 'base64',
        withContext: true,
        filters: [{ dataSize: BigInt(getIntegratorSize()) }],
        dataSlice: { offset: partnerIdAt, length: sliceBytes },
      })
      .send({ abortSignal }),
  ]);
  const partners = new Map<Uuid, bigint>();
  for (const { account } of integrators.value) {
    const slice = Buffer.from(account.data[0], 'base64');
    if (slice.length !== sliceBytes) continue;
    partners.set(uuidFromBytes(slice.subarray(0, partnerIdBytes)), slice.readBigUInt64LE(partnerIdBytes));
  }
  const bytes = Buffer.from(config.value?.data[0] ?? '', 'base64');
  const isConfig = config.value?.owner === programAddress && bytes[0] === CONFIG_KIND;
  const slots = [config.context.slot, BigInt(integrators.context.slot)];
  return {
    slot: slots.reduce((least, each) => (each < least ? each : least)),
    config: isConfig ? getConfigDecoder().decode(bytes).seq : undefined,
    partners,
  };
}
