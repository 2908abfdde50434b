import { findConfigPda, getUpdateExecutivesInstruction } from '@karat/program-client';
import { type Address, createSolanaRpc } from '@solana/kit';
import { integratorAddresses } from '../src/chain/admin/seed.js';
import { executivePlaces } from '../src/chain/program/executives.js';
import type { Uuid } from '../src/domain/ids.js';
import {
  type ApiResponse,
  type Client,
  clientOf,
  type GivenPartner,
  type Harness,
  type HarnessOptions,
  harness,
  kitSigner,
  newAddress,
  newWallet,
  type Wallet,
} from './harness.js';
import { eventually, type KaratChain, sendAnew, startKaratChain } from './karat-chain.js';
import { expectStatus } from './trading.js';

/** Roles at a partner that a wallet can have. */
export type Role = 'executive' | 'update' | 'withdrawal';

/** A key of the tradebook API, minted over HTTP. */
export interface RoleKey {
  id: Uuid;
  apiKey: string;
  client: Client;
}

/** A partner on chain whose roles are held by a wallet each, with a key of each; its vault holds both tokens. */
export interface Treasury {
  partner: GivenPartner;
  partnerId: Uuid;
  integrator: Address;
  vault: Address;
  wallets: Record<Role, Wallet>;
  keys: Record<Role, RoleKey>;
}

/** What a vault of a test holds in base units: 1,000,000 USDC and 250.5 GOLD. */
export const vaultFunding = { usdc: 1_000_000_000_000n, gold: 250_500_000n };

export type Tradebook = Awaited<ReturnType<typeof startTradebook>>;

/** The service over a node with the program, with one partner that governs its vault. */
export async function startTradebook(options: Partial<HarnessOptions> = {}) {
  const chain = await startKaratChain();
  const service = await harness({
    clock: chain.clock,
    ...options,
    config: { ...chain.config, ...options.config },
  });
  const wallets = { executive: newWallet(), update: newWallet(), withdrawal: newWallet() };
  const onChain = await putOnChain(chain, service.main, wallets);
  await service.ctx.chain.start();
  const treasury = await withKeys(service, { ...onChain, partner: service.main, wallets });
  return {
    chain,
    service,
    treasury,
    partnerId: treasury.partnerId,
    keys: treasury.keys,
    /** Another partner that governs its vault. */
    async givenTreasury(): Promise<Treasury> {
      const partner = await service.givenPartner();
      const other = { executive: newWallet(), update: newWallet(), withdrawal: newWallet() };
      const found = await putOnChain(chain, partner, other);
      return withKeys(service, { ...found, partner, wallets: other });
    },
    /** A key of the program's admin. */
    adminKey: () => mintRoleKey(service, chain.admin, { keyType: 'ADMIN' }),
    /** Changes executives on chain by the update authority of a treasury, past the service. */
    async updateExecutives(of: Treasury, change: { add?: Address[]; remove?: Address[] }): Promise<void> {
      const updateAuthority = await kitSigner(of.wallets.update);
      const [config] = await findConfigPda({ programAddress: chain.config.programId });
      const seeder = {
        rpc: createSolanaRpc(chain.node.rpcUrl),
        payer: updateAuthority,
        commitment: 'processed' as const,
      };
      const add = change.add ?? [];
      const remove = change.remove ?? [];
      const instruction = getUpdateExecutivesInstruction(
        {
          config,
          integrator: of.integrator,
          updateAuthority,
          removeCount: remove.length,
          remove: executivePlaces(remove),
          addCount: add.length,
          add: executivePlaces(add),
        },
        { programAddress: chain.config.programId },
      );
      await sendAnew(seeder, instruction);
    },
    async stop() {
      await service.close();
      await chain.stop();
    },
  };
}

async function putOnChain(chain: KaratChain, partner: GivenPartner, wallets: Record<Role, Wallet>) {
  const { partnerId } = partner;
  const integrator = await chain.addPartner({
    partnerId,
    wallet: partner.wallet.address,
    executives: [wallets.executive.address],
    updateAuthority: wallets.update.address,
    withdrawalAuthority: wallets.withdrawal.address,
  });
  const { usdcMint, goldMint } = chain;
  const { programId: programAddress } = chain.config;
  const { vault } = await integratorAddresses({ programAddress, usdcMint, goldMint, partnerId });
  for (const { address } of Object.values(wallets)) chain.node.airdrop(address, 10_000_000_000n);
  await chain.node.setTokenBalance(vault, usdcMint, vaultFunding.usdc);
  await chain.node.setTokenBalance(vault, goldMint, vaultFunding.gold);
  return { partnerId, integrator, vault };
}

async function withKeys(service: Harness, treasury: Omit<Treasury, 'keys'>): Promise<Treasury> {
  const { wallets, partnerId } = treasury;
  const mint = (role: Role) =>
    eventually(() => mintRoleKey(service, wallets[role], { keyType: 'PARTNER', partnerId }), 10_000);
  const [executive, update, withdrawal] = await Promise.all([
    mint('executive'),
    mint('update'),
    mint('withdrawal'),
  ]);
  return { ...treasury, keys: { executive, update, withdrawal } };
}

/** What a challenge is asked for beside the wallet. */
export interface KeyRequest {
  keyType: 'ADMIN' | 'PARTNER';
  partnerId?: string;
}

/** Walks both steps of minting a key, from an address of its own so that no limit is met. */
export async function mintKeyOf(
  service: Harness,
  wallet: Wallet,
  desired: KeyRequest,
  more: { keyName?: string; expirationDays?: number } = {},
): Promise<ApiResponse> {
  const client = clientOf(service.app, {}, { remoteAddress: newAddress() });
  const challenge = await client.post('/api/auth/challenge', { walletAddress: wallet.address, ...desired });
  const { challengeId, message } = expectStatus(challenge, 200).body.data;
  const signature = wallet.sign(message);
  service.secrets.add(signature);
  const response = await client.post('/api/auth/api-key', {
    challengeId,
    signature,
    keyName: 'minted',
    ...more,
  });
  if (response.body.data?.apiKey) service.secrets.add(response.body.data.apiKey);
  return response;
}

export async function mintRoleKey(service: Harness, wallet: Wallet, desired: KeyRequest): Promise<RoleKey> {
  const { id, apiKey } = expectStatus(await mintKeyOf(service, wallet, desired), 201).body.data;
  return { id, apiKey, client: clientOf(service.app, { 'x-api-key': apiKey }) };
}
