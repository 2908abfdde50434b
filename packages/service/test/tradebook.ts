import { findConfigPda, getUpdateExecutivesInstruction } from '@karat/program-client';
import { type Address, createSolanaRpc } from '@solana/kit';
import { executivePlaces } from '../src/chain/program/executives.js';
import {
  type ApiResponse,
  clientOf,
  expectStatus,
  type Harness,
  kitSigner,
  newAddress,
  type Wallet,
} from './harness.js';
import { type RoleClient, roleClientOf, type Treasury } from './karat.js';
import { type KaratChain, sendAnew } from './karat-chain.js';

/** Changes executives on chain by the update authority of a treasury, past the service. */
export async function updateExecutives(
  chain: KaratChain,
  treasury: Treasury,
  { add = [], remove = [] }: { add?: Address[]; remove?: Address[] },
): Promise<void> {
  const updateAuthority = await kitSigner(treasury.update.wallet);
  const { programId: programAddress } = chain.config;
  const [config] = await findConfigPda({ programAddress });
  const instruction = getUpdateExecutivesInstruction(
    {
      ...{ config, integrator: treasury.integrator, updateAuthority },
      ...{ removeCount: remove.length, remove: executivePlaces(remove) },
      ...{ addCount: add.length, add: executivePlaces(add) },
    },
    { programAddress },
  );
  const rpc = createSolanaRpc(chain.node.rpcUrl);
  await sendAnew({ rpc, payer: updateAuthority, commitment: 'processed' }, instruction);
  chain.node.warp({ slots: 1 });
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

/** A key minted over HTTP. */
export async function mintRoleKey(
  service: Harness,
  wallet: Wallet,
  desired: KeyRequest,
): Promise<RoleClient> {
  const { id: keyId, apiKey } = expectStatus(await mintKeyOf(service, wallet, desired), 201).body.data;
  return roleClientOf(service, { wallet, keyId, apiKey });
}
