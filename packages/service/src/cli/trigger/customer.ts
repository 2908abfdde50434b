import { type Address, createSolanaRpc, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { sendGold } from '../../chain/admin/seed.js';
import { CommandError } from '../command.js';
import type { Sandbox } from './sandbox.js';

/** A customer of the partner who was registered for one trigger, with a funded wallet. */
export interface Customer {
  id: string;
  wallet: KeyPairSigner;
}

/** 1,000 USDC, the GOLD for the smallest bar and its fee, and one SOL, in base units. */
const [usdc, gold, lamports] = ['1000000000', 1_000_000n, 1_000_000_000];

/** Registers a customer of its own, so that no other customer's balance or status changes. */
export async function newCustomer(sandbox: Sandbox): Promise<Customer> {
  const { api, rpc, info } = sandbox;
  const wallet = await generateKeyPairSigner();
  await rpc('requestAirdrop', wallet.address, lamports);
  await fund(sandbox, wallet);
  const { service_user_id: id } = await api<{ service_user_id: string }>('POST', '/v1/users', {
    user_id: `trigger-${wallet.address}`,
    wallet_address: wallet.address,
    kyc: {
      country: 'PK',
      full_name: 'Triggered Customer',
      kyc_provider: 'karat trigger',
      kyc_level: 'full',
      kyc_verified_at: '2026-01-15T09:30:00Z',
    },
  });
  sandbox.note(`registered customer ${id} at ${info.partner_api_url}`);
  return { id, wallet };
}

/** Takes all tokens from a customer, so that what was quoted before fails on chain. */
export async function impoverish(sandbox: Sandbox, { wallet }: Customer): Promise<void> {
  const { rpc, info, note, key } = sandbox;
  note("emptying the customer's wallet, so that the transaction fails on chain");
  await rpc('karat_setTokenBalance', wallet.address, info.chain.usdc_mint, '0');
  await moveGold(sandbox, wallet, (await key(info.float_wallet)).address);
}

async function fund(sandbox: Sandbox, wallet: KeyPairSigner): Promise<void> {
  const { rpc, info, key } = sandbox;
  await rpc('karat_setTokenBalance', wallet.address, info.chain.usdc_mint, usdc);
  const float = await key(info.float_wallet);
  await moveGold(sandbox, float, wallet.address).catch((error: Error) => {
    throw new CommandError(
      `${info.float_wallet} could not fund a customer (${error.message}); npm start -- --reset fills it again`,
    );
  });
}

/** Moves what a customer gets; GOLD that exists already, because tokens set by decree would have no bars behind them. */
async function moveGold({ info }: Sandbox, from: KeyPairSigner, to: Address): Promise<void> {
  const seeder = { rpc: createSolanaRpc(info.rpc_url), payer: from, commitment: 'confirmed' } as const;
  await sendGold(seeder, { goldMint: info.chain.gold_mint as Address, from, to, amount: gold });
}
