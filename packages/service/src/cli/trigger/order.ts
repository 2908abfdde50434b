import { type Address, generateKeyPairSigner, type KeyPairSigner, signBytes } from '@solana/kit';
import { tokenAccountOf, tokenOf } from '../../chain/program/token-accounts.js';
import { CommandError } from '../command.js';
import {
  clientOf,
  lifetimeSeconds,
  passTime,
  Refusal,
  type Sandbox,
  type Send,
  sendUnchecked,
  sign,
} from './sandbox.js';

export type OrderKind = 'purchase' | 'sale' | 'withdrawal';
export type OrderEnd = 'confirmed' | 'failed' | 'expired';

interface Order {
  id: string;
  transaction: string;
}

/** Amounts are small, so that a vault lasts for hundreds of them. */
const [gold, usdc] = [0.1, 10];

/** Places an order for the partner's vault and brings it to its end. Returns its id. */
export async function order(sandbox: Sandbox, kind: OrderKind, end: OrderEnd): Promise<string> {
  const { partner } = sandbox;
  const file = kind === 'withdrawal' ? partner.withdrawal_authority_keypair : partner.executive_keypairs[0];
  if (file === undefined) throw new CommandError('sandbox.json names no executive');
  const wallet = await sandbox.key(file);
  return asRole(sandbox, wallet, async (api) => {
    const { id, transaction } = await placeInTime(sandbox, api, kind);
    sandbox.note(`ordered ${kind} ${id}`);
    if (end === 'expired') {
      await passTime(sandbox, lifetimeSeconds, 'after which the transaction can no longer land');
      return id;
    }
    const signed = await sign(transaction, [wallet]);
    if (end === 'confirmed') await api('POST', '/api/transactions/submit', { signedTransaction: signed });
    else await withEmptyVault(sandbox, kind, () => sendUnchecked(sandbox, signed));
    return id;
  });
}

/** Adds an executive to the partner and removes it again. */
export async function changeExecutives(sandbox: Sandbox): Promise<string> {
  const { partner_id: id, update_authority_keypair: file } = sandbox.partner;
  const wallet = await sandbox.key(file);
  const newcomer = await generateKeyPairSigner();
  await asRole(sandbox, wallet, async (api) => {
    for (const how of ['add', 'remove']) {
      sandbox.note(`update authority: ${how} executive ${newcomer.address}`);
      const path = `/api/distribution/partner/${id}/executive-authority`;
      const { data } = await api<{ data: { transaction: { serializedTx: string } } }>('PUT', path, {
        [how]: [newcomer.address],
      });
      const signedTransaction = await sign(data.transaction.serializedTx, [wallet]);
      await api('POST', '/api/transactions/submit', { signedTransaction });
    }
  });
  return id;
}

/** Places an order; where the vault has just traded in the other direction, once the program lets it change sides. */
async function placeInTime(sandbox: Sandbox, api: Send, kind: OrderKind): Promise<Order> {
  try {
    return await place(api, kind);
  } catch (error) {
    const waits = error instanceof Refusal && error.text.includes('opposite_side_too_early');
    if (!waits || error.retryAfterSeconds === undefined) throw error;
    const why = 'after which the vault may trade in the other direction';
    await passTime(sandbox, error.retryAfterSeconds + 1, why);
    return place(api, kind);
  }
}

async function place(api: Send, kind: OrderKind): Promise<Order> {
  const estimated = async (how: 'buy' | 'sell') => {
    const response = await api<{ data: { estimatedUsdcAmount: number } }>(
      'POST',
      `/api/trading/estimate/${how}`,
      { goldAmount: gold },
    );
    return response.data.estimatedUsdcAmount;
  };
  const bodies = {
    purchase: async () => ({ goldAmount: gold, maxUsdcAmount: Math.ceil((await estimated('buy')) * 1.05) }),
    sale: async () => ({ goldAmount: gold, minimumUsdcAmount: Math.floor((await estimated('sell')) * 0.95) }),
    withdrawal: async () => ({ amount: usdc, tokenType: 'usdc' }),
  };
  const paths = { purchase: 'purchases/partner', sale: 'sales/partner', withdrawal: 'withdrawals' };
  const { data } = await api<{
    data: { transaction: { serializedTx: string } } & Record<
      'purchaseId' | 'sellId' | 'withdrawalId',
      string
    >;
  }>('POST', `/api/trading/${paths[kind]}`, await bodies[kind]());
  const id = { purchase: data.purchaseId, sale: data.sellId, withdrawal: data.withdrawalId }[kind];
  return { id, transaction: data.transaction.serializedTx };
}

/** Takes from the vault what an order spends while something is done, and gives it back. */
async function withEmptyVault(sandbox: Sandbox, kind: OrderKind, act: () => Promise<void>): Promise<void> {
  const { rpc, info, partner, note } = sandbox;
  const mint = (kind === 'sale' ? info.chain.gold_mint : info.chain.usdc_mint) as Address;
  const owner = partner.central_vault_address as Address;
  const account = tokenAccountOf(owner, tokenOf(mint, { goldMint: info.chain.gold_mint as Address }));
  const { value } = await rpc<{ value: { amount: string } }>('getTokenAccountBalance', account, {
    commitment: 'processed',
  });
  note('emptying the vault for a moment, so that the order fails on chain');
  await rpc('karat_setTokenBalance', owner, mint, '0');
  try {
    await act();
  } finally {
    await rpc('karat_setTokenBalance', owner, mint, value.amount);
  }
}

/** Does something with a key of the tradebook API for a wallet's roles, which is revoked then. */
async function asRole<T>(
  sandbox: Sandbox,
  wallet: KeyPairSigner,
  act: (api: Send) => Promise<T>,
): Promise<T> {
  const { info, partner, operate, note } = sandbox;
  const open = clientOf(info.tradebook_api_url, note);
  const { data: challenge } = await open<{ data: { challengeId: string; message: string } }>(
    'POST',
    '/api/auth/challenge',
    { walletAddress: wallet.address, keyType: 'PARTNER', partnerId: partner.partner_id },
  );
  const signature = await signBytes(wallet.keyPair.privateKey, Buffer.from(challenge.message));
  const { data: minted } = await open<{ data: { apiKey: string; id: string } }>('POST', '/api/auth/api-key', {
    challengeId: challenge.challengeId,
    signature: Buffer.from(signature).toString('base64'),
    keyName: 'karat trigger',
    expirationDays: 1,
  });
  try {
    return await act(clientOf(info.tradebook_api_url, note, { 'x-api-key': minted.apiKey }));
  } finally {
    await operate('POST', `/api-keys/${minted.id}/revoke`, { reason: 'karat trigger' });
  }
}
