import { randomBytes } from 'node:crypto';
import { readLegacyTransaction } from '@karat/wire';
import type { Address } from '@solana/kit';
import { integratorAddresses } from '../src/chain/admin/seed.js';
import { apiKeys } from '../src/db/schema.js';
import { hashApiKey, newUuid, type Uuid } from '../src/domain/index.js';
import { type TxSignature, txSignatureOf } from '../src/domain/solana.js';
import {
  type ApiResponse,
  type Client,
  clientOf,
  type GivenPartner,
  type Harness,
  type HarnessOptions,
  harness,
  newAddress,
  newWallet,
  type Wallet,
} from './harness.js';
import { eventually, type KaratChain, startKaratChain } from './karat-chain.js';
import { configOf, expectStatus, type NodeUrls } from './trading.js';

/** A client of the tradebook API with the key of a role. */
export interface RoleClient extends Client {
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  wallet: Wallet;
  keyId: Uuid;
  apiKey: string;
}

/** A partner with a vault, whose roles are wallets of their own. */
export interface VaultPartner {
  partnerId: Uuid;
  integrator: Address;
  vault: Address;
  executive: RoleClient;
  update: RoleClient;
  withdrawal: RoleClient;
}

export type Ordering = Awaited<ReturnType<typeof startOrdering>>;

/** The service over a node with the program: one partner whose vault holds 1,000,000 USDC and 500 GOLD, and an admin. */
export async function startOrdering(
  options: Partial<HarnessOptions> & { reroute?: (urls: NodeUrls) => Promise<NodeUrls> } = {},
) {
  const chain = await startKaratChain();
  const { rpcUrl, wsUrl } = chain.node;
  const urls = configOf((await options.reroute?.({ rpcUrl, wsUrl })) ?? { rpcUrl, wsUrl });
  const config = { ...chain.config, ...urls, openRateLimitPerMinute: 1_000_000, ...options.config };
  const service = await harness({ clock: chain.clock, ...options, config });
  const partner = await givenVaultPartner(service, chain);
  const admin = await givenKey(service, { partnerId: null, wallet: chain.admin, scope: 'ADMIN' });
  await service.ctx.chain.start();
  const { price, blockhash, program } = service.ctx.chain;
  const ready = () =>
    eventually(() => [price.current(), blockhash.current(), program.treasury()], 10_000).then(
      () => undefined,
    );
  await ready();
  const open = clientOf(service.app, {}, { remoteAddress: newAddress() });
  return {
    chain,
    service,
    partner,
    admin,
    /** Without a key. */
    open,
    submit: (transaction: Uint8Array) =>
      open.post('/api/transactions/submit', { signedTransaction: base64(transaction) }),
    submitAll: (transactions: Uint8Array[]) =>
      open.post('/api/transactions/submit-batch', { signedTransactions: transactions.map(base64) }),
    /** Resolves once the service quotes again: after time was moved it needs a price and a blockhash of the new time. */
    ready,
    /** What a vault and the treasury hold, base units. */
    async balances(vault: Address = partner.vault) {
      const { usdcMint, goldMint, addresses } = chain;
      const of = async (owner: Address) => ({
        usdc: await chain.balance(owner, usdcMint),
        gold: await chain.balance(owner, goldMint),
      });
      return { vault: await of(vault), treasury: await of(addresses.treasuryAuthority) };
    },
    async stop() {
      await service.close();
      await chain.stop();
    },
  };
}

/** A partner on chain whose roles are three wallets with 1 SOL each, and keys for them. */
export async function givenVaultPartner(
  service: Harness,
  chain: KaratChain,
  { partnerId, wallet }: Pick<GivenPartner, 'partnerId' | 'wallet'> = service.main,
): Promise<VaultPartner> {
  const [executive, update, withdrawal] = [newWallet(), newWallet(), newWallet()];
  for (const { address } of [executive, update, withdrawal]) chain.node.airdrop(address, 1_000_000_000n);
  const integrator = await chain.addPartner({
    partnerId,
    wallet: wallet.address,
    executives: [executive.address],
    updateAuthority: update.address,
    withdrawalAuthority: withdrawal.address,
  });
  const { usdcMint, goldMint, config } = chain;
  const { vault } = await integratorAddresses({
    programAddress: config.programId,
    partnerId,
    usdcMint,
    goldMint,
  });
  await chain.node.setTokenBalance(vault, usdcMint, 1_000_000_000_000n);
  await chain.node.setTokenBalance(vault, goldMint, 500_000_000n);
  const key = (of: Wallet, scope: string) => givenKey(service, { partnerId, wallet: of, scope });
  return {
    partnerId,
    integrator,
    vault,
    executive: await key(executive, 'PARTNER_EXECUTIVE_AUTHORITY'),
    update: await key(update, 'PARTNER_UPDATE_AUTHORITY'),
    withdrawal: await key(withdrawal, 'PARTNER_WITHDRAWAL_AUTHORITY'),
  };
}

/** A key of the tradebook API, written straight to the database, and a client with it. */
export async function givenKey(
  service: Harness,
  { partnerId, wallet, scope }: { partnerId: Uuid | null; wallet: Wallet; scope: string },
): Promise<RoleClient> {
  const keyId = newUuid();
  const apiKey = `service_tradebook_${randomBytes(32).toString('hex')}`;
  service.secrets.add(apiKey);
  await service.ctx.db.transaction((tx) =>
    tx.insert(apiKeys).values({
      id: keyId,
      surface: 'tradebook',
      partnerId,
      walletAddress: wallet.address,
      name: 'ordering',
      hash: hashApiKey(apiKey),
      scope,
      createdAt: new Date(service.ctx.clock.now()),
    }),
  );
  const client = clientOf(service.app, { 'x-api-key': apiKey });
  const put: RoleClient['put'] = (url, body, headers = {}) =>
    client.send({
      method: 'PUT',
      url,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { ...client, put, wallet, keyId, apiKey };
}

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The transaction of an order's response. */
export function transactionOf(response: ApiResponse): Uint8Array {
  return Buffer.from(response.body.data.transaction.serializedTx, 'base64');
}

/** A transaction signed by wallets in the order of its signers. */
export function signedBy(transaction: Uint8Array, ...wallets: Wallet[]): Uint8Array {
  const { message } = readLegacyTransaction(transaction);
  const signed = Uint8Array.from(transaction);
  wallets.forEach((wallet, index) => {
    signed.set(wallet.signBytes(message), 1 + 64 * index);
  });
  return signed;
}

/** Base58 of the first signature. */
export function signatureOf(transaction: Uint8Array): TxSignature {
  return txSignatureOf(transaction.subarray(1, 65));
}

/** A new order of a role, with its transaction signed. */
export async function ordered(client: RoleClient, path: string, body: object) {
  const response = expectStatus(await client.post(path, body), 201);
  return { response, signed: signedBy(transactionOf(response), client.wallet) };
}

/** An order of each kind that moves value, by the main partner, and what its record becomes. */
export function ordersOf(ordering: () => Ordering) {
  return {
    purchase: () =>
      ordered(ordering().partner.executive, paths.purchases, { goldAmount: 1, maxUsdcAmount: 5_000 }),
    withdrawal: () =>
      ordered(ordering().partner.withdrawal, paths.withdrawals, { amount: 2, tokenType: 'usdc' }),
    /** The record behind a path of the trading API, once it has a status. */
    becomes: (path: string, status: string) =>
      eventually(async () => {
        const { data } = expectStatus(await ordering().partner.update.get(`/api/trading/${path}`), 200).body;
        if (data.status !== status) throw new Error(`${path} is ${data.status}`);
        return data;
      }, 15_000),
  };
}

export const paths = {
  purchases: '/api/trading/purchases/partner',
  sales: '/api/trading/sales/partner',
  withdrawals: '/api/trading/withdrawals',
  executives: (partnerId: string) => `/api/distribution/partner/${partnerId}/executive-authority`,
};
