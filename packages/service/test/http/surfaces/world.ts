import { expect } from 'vitest';
import type { Uuid } from '../../../src/domain/ids.js';
import { type Client, clientOf, type GivenPartner, type HarnessOptions, newAddress } from '../../harness.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { startOperators } from '../../operators.js';
import { givenVaultPartner, startOrdering, type VaultPartner } from '../../ordering.js';
import { seedDenominations } from '../../redeeming.js';
import { type GivenUser, givenUser } from '../../trading.js';

/** A partner that calls both of its surfaces: on chain, with a vault and a user who holds 100,000 USDC and 10 GOLD. */
export interface Tenant {
  partner: GivenPartner;
  user: GivenUser;
  /** Its roles on the tradebook API. */
  vault: VaultPartner;
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Starts the service over a node with the program, with callers of each of its surfaces. */
export async function startWorld(options: Partial<HarnessOptions> = {}) {
  const { service, chain, partner: ownVault, admin, ready, stop } = await startOrdering(options);
  await seedDenominations(service);
  const tenantOf = async (partner: GivenPartner, vault: VaultPartner): Promise<Tenant> => {
    const user = await givenUser(service, chain, partner);
    await chain.node.setTokenBalance(user.wallet.address, chain.goldMint, 10_000_000n);
    return { partner, user, vault };
  };
  const { program } = service.ctx.chain;
  const known = (partnerId: Uuid) =>
    eventually(() => expect(program.integrator(partnerId)).toBeDefined(), 10_000);
  const own = await tenantOf(service.main, ownVault);
  await known(service.main.partnerId);
  const operators = await startOperators(service);
  return {
    service,
    chain,
    own,
    operators,
    /** A wallet of the program's admin, with its key. */
    admin,
    /** Resolves once the service quotes again. */
    ready,
    async stop(): Promise<void> {
      await operators.close();
      await stop();
    },
    /** Resolves once the service knows the partner on chain. */
    known,
    /** Another tenant, which the service knows. */
    async givenTenant(name?: string): Promise<Tenant> {
      const partner = await service.givenPartner(name === undefined ? {} : { name });
      const tenant = await tenantOf(partner, await givenVaultPartner(service, chain, partner));
      await known(partner.partnerId);
      return tenant;
    },
    /** A client without a key, from an address of its own so that no limit is met. */
    anonymous: (app = service.app): Client => clientOf(app, {}, { remoteAddress: newAddress() }),
    /** What `ask` resolves to while the price is too old to quote. */
    async withStalePrice<T>(ask: () => Promise<T>): Promise<T> {
      const { price } = service.ctx.chain;
      chain.price.set({ ...usualPrice, publishTimeSeconds: 1n });
      try {
        await eventually(() => expect(() => price.current()).toThrow(), 10_000);
        return await ask();
      } finally {
        chain.price.set(usualPrice);
        await ready();
      }
    },
  };
}
