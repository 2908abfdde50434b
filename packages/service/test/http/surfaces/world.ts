import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import {
  type Client,
  clientOf,
  type GivenPartner,
  type HarnessOptions,
  newAddress,
  newWallet,
  type Wallet,
} from '../../harness.js';
import { type GivenUser, startKarat, type Treasury } from '../../karat.js';
import { eventually, usualPrice } from '../../karat-chain.js';
import { startOperators } from '../../operators.js';

/** A partner that calls both of its surfaces: on chain, with a vault and a user who holds 100,000 USDC and 10 GOLD. */
export interface Tenant {
  partner: GivenPartner;
  user: GivenUser;
  /** Its roles on the tradebook API. */
  vault: Treasury;
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
  const k = await startKarat({ redeems: true, ...options });
  const { service, chain, given, ready } = k;
  const tenantOf = async (partner: GivenPartner, user?: GivenUser): Promise<Tenant> => ({
    partner,
    user: user ?? (await given.user(partner, 10_000_000n)),
    vault: await given.treasury(partner),
  });
  const anonymous = (app = service.app): Client => clientOf(app, {}, { remoteAddress: newAddress() });
  const own = await tenantOf(service.main, k.user);
  const operators = await startOperators(service);
  return {
    ...k,
    own,
    operators,
    /** A wallet of the program's admin, with its key. */
    admin: await given.admin(),
    async stop(): Promise<void> {
      await operators.close();
      await k.stop();
    },
    /** Another tenant, which the service knows. */
    givenTenant: async (name?: string): Promise<Tenant> =>
      tenantOf(await service.givenPartner(name === undefined ? {} : { name })),
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
