import { createSigner } from '@karat/signer';
import { expect } from 'vitest';
import { publishStatement } from '../src/actions/reserves/publish-statement.js';
import { insertBars, type NewBar } from '../src/db/bars/bars.js';
import type { StoredStatement } from '../src/db/reserves/statements.js';
import { newWallet } from './harness.js';
import { eventually, finalize } from './karat-chain.js';
import { tola } from './redeeming.js';
import type { Trading } from './trading.js';

type Place = Pick<Trading, 'service' | 'chain'>;

/** Puts bars of a kilogram into the vault of Karachi. */
export async function givenBars(
  { service }: Pick<Place, 'service'>,
  count: number,
  more: Partial<NewBar> = {},
) {
  const given = Array.from({ length: count }, (_, index) => ({
    serial: `AA${index}`,
    refiner: 'Valcambi',
    fineness: '999.9',
    weightG: '1000',
    denominationId: tola.id,
    city: 'Karachi',
    ...more,
  }));
  await service.ctx.db.transaction((tx) => insertBars(tx, given, new Date(service.ctx.clock.now())));
}

/** Publishes a statement of the reserves, signed by a wallet, and returns it once the API serves it. What the node was set up with is finalized. */
export async function givenStatement({ service, chain }: Place, by = newWallet()): Promise<StoredStatement> {
  await finalize(chain, service.ctx);
  const signer = createSigner(new Uint8Array(by.secretKey));
  const made = await publishStatement(service.ctx, signer);
  if (!made) throw new Error('no statement was made');
  await eventually(async () => {
    expect((await service.anonymous.get(`/v1/reserves/statements/${made.id}`)).status).toBe(200);
  }, 10_000);
  return made;
}
