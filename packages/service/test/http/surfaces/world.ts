import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Uuid } from '../../../src/domain/ids.js';
import {
  type Client,
  clientOf,
  type GivenPartner,
  type HarnessOptions,
  newAddress,
  newWallet,
  type Wallet,
} from '../../harness.js';
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

/** The two steps by which a wallet gets a key of a surface. */
interface KeySteps {
  challengePath: string;
  keyPath: string;
  walletOf(tenant: Tenant): Wallet;
  /** Body of the first step. */
  desired(walletAddress: string, partnerId: string): object;
  /** Body of the second step. */
  proof(challengeId: string, signature: string): object;
}
export const keySteps = {
  partner: {
    challengePath: '/v1/auth/challenge',
    keyPath: '/v1/auth/api-key',
    walletOf: ({ partner }) => partner.wallet,
    desired: (wallet_address, partner_id) => ({ wallet_address, partner_id }),
    proof: (challenge_id, signature) => ({ challenge_id, signature, key_name: 'k' }),
  },
  tradebook: {
    challengePath: '/api/auth/challenge',
    keyPath: '/api/auth/api-key',
    walletOf: ({ vault }) => vault.update.wallet,
    desired: (walletAddress, partnerId) => ({ walletAddress, keyType: 'PARTNER', partnerId }),
    proof: (challengeId, signature) => ({ challengeId, signature, keyName: 'k' }),
  },
} satisfies Record<string, KeySteps>;

/** Body of a request that registers a user. */
export function userBody(overrides: object = {}, kyc: object = {}) {
  return {
    user_id: `user-${randomBytes(5).toString('hex')}`,
    wallet_address: newWallet().address as string,
    kyc: {
      country: 'PK',
      full_name: 'Ayesha Khan',
      kyc_provider: 'sumsub',
      kyc_level: 'full',
      kyc_verified_at: '2025-03-01T12:00:00+05:00',
      ...kyc,
    },
    ...overrides,
  };
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
  const anonymous = (app = service.app): Client => clientOf(app, {}, { remoteAddress: newAddress() });
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
    anonymous,
    /** The first step to a key for a tenant; `signature` is by its wallet. */
    async challenge(surface: keyof typeof keySteps, tenant: Tenant = own) {
      const { challengePath, walletOf, desired } = keySteps[surface];
      const wallet = walletOf(tenant);
      const { body } = await anonymous().post(
        challengePath,
        desired(wallet.address, tenant.partner.partnerId),
      );
      const { message, challenge_id: id = body.data?.challengeId } = { ...body, ...body.data };
      return { id: id as string, message: message as string, signature: wallet.sign(message) };
    },
    /** The second step; `more` are further fields of its body. */
    async mint(surface: keyof typeof keySteps, challengeId: string, signature: string, more: object = {}) {
      const { keyPath, proof } = keySteps[surface];
      const response = await anonymous().post(keyPath, { ...proof(challengeId, signature), ...more });
      const key = response.body.api_key ?? response.body.data?.apiKey;
      if (key) service.secrets.add(key);
      return response;
    },
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
