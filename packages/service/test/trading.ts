import type { Address } from '@solana/kit';
import type { Config } from '../src/config.js';
import type { UserId } from '../src/domain/ids.js';
import { cosign } from './chain/signed-trade.js';
import {
  type ApiResponse,
  type GivenPartner,
  type Harness,
  type HarnessOptions,
  harness,
  type Wallet,
} from './harness.js';
import { avoidMidnight, eventually, type KaratChain, startKaratChain } from './karat-chain.js';

/** Addresses of a node, or of several, separated by commas. */
export interface NodeUrls {
  rpcUrl: string;
  wsUrl: string;
}

/** The addresses as the configuration takes them. */
export function configOf({ rpcUrl, wsUrl }: NodeUrls): Pick<Config, 'rpcUrls' | 'wsUrls'> {
  return { rpcUrls: rpcUrl.split(','), wsUrls: wsUrl.split(',') };
}

export interface GivenUser {
  id: UserId;
  wallet: Wallet;
}

export type Trading = Awaited<ReturnType<typeof startTrading>>;

/** The service over a node with the program: one partner on chain with one user who holds 100,000 USDC. */
export async function startTrading(
  options: Partial<HarnessOptions> & {
    /** Puts something between the service and the node, before the service starts. */
    reroute?: (urls: NodeUrls) => Promise<NodeUrls>;
  } = {},
) {
  const chain = await startKaratChain();
  const { rpcUrl, wsUrl } = chain.node;
  const urls = configOf((await options.reroute?.({ rpcUrl, wsUrl })) ?? { rpcUrl, wsUrl });
  const service = await harness({
    clock: chain.clock,
    ...options,
    config: { ...chain.config, ...urls, ...options.config },
  });
  const partner = service.main;
  const integrator = await chain.addPartner({ partnerId: partner.partnerId, wallet: partner.wallet.address });
  const user = await givenUser(service, chain, partner);
  await service.ctx.chain.start();
  const amounts = { buy: { usdc_amount: 100 }, sell: { gold_amount: 0.1 } };
  const sideOf = (side: 'buy' | 'sell') => {
    const quote = (body: object = {}) =>
      partner.client.post(`/v1/${side}`, { service_user_id: user.id, ...amounts[side], ...body });
    return {
      quote,
      /** A quote for the user, and its transaction. */
      async quoted(body: object = {}) {
        const response = expectStatus(await quote(body), 200);
        const { trade_id: tradeId, partially_signed_transaction: base64 } = response.body;
        return { tradeId: tradeId as string, transaction: Buffer.from(base64, 'base64'), response };
      },
      submit: (tradeId: string, transaction: Uint8Array, client = partner.client) =>
        client.post(`/v1/${side}/${tradeId}/submit`, {
          signed_tx: Buffer.from(transaction).toString('base64'),
        }),
    };
  };
  const buy = sideOf('buy');
  await eventually(async () => expectStatus(await buy.quote(), 200));
  return {
    chain,
    service,
    partner,
    integrator,
    user,
    buy,
    sell: sideOf('sell'),
    ...buy,
    /** The transaction signed by partner and user. */
    signed: (transaction: Uint8Array) => cosign(transaction, [partner.wallet, user.wallet]),
    /** Goes on to the next day (UTC) where less than ten minutes of this one are left, and waits for a price. */
    async avoidMidnight(): Promise<void> {
      avoidMidnight(chain.node);
      await eventually(async () => expectStatus(await buy.quote(), 200), 10_000);
    },
    /** What everyone holds whom a trade could touch. */
    async balances() {
      const { usdcMint, goldMint, addresses } = chain;
      const holders: [string, Address][] = [
        ['user', user.wallet.address],
        ['treasury', addresses.treasuryAuthority],
      ];
      const entries = await Promise.all(
        holders.map(async ([name, owner]) => [
          name,
          { usdc: await chain.balance(owner, usdcMint), gold: await chain.balance(owner, goldMint) },
        ]),
      );
      return Object.fromEntries(entries) as Record<string, { usdc: bigint; gold: bigint }>;
    },
    async stop() {
      await service.close();
      await chain.stop();
    },
  };
}

/** A user of a partner with full KYC and 100,000 USDC. */
export async function givenUser(
  service: Harness,
  chain: KaratChain,
  partner: GivenPartner,
): Promise<GivenUser> {
  const user = await service.givenUser(partner.partnerId);
  await chain.fund(user.wallet.address, 100_000_000_000n);
  return user;
}

/** The response, if it has that status; else an error that shows it. */
export function expectStatus(response: ApiResponse, status: number): ApiResponse {
  if (response.status === status) return response;
  throw new Error(`got ${response.status} instead of ${status}: ${response.text}`);
}
