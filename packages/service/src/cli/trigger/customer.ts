import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import type { Sandbox } from './sandbox.js';

/** A customer of the partner who was registered for one trigger, with a funded wallet. */
export interface Customer {
  id: string;
  wallet: KeyPairSigner;
}

/** 1,000 tokens and one SOL, in base units. */
const [tokens, lamports] = ['1000000000', 1_000_000_000];

/** Registers a customer of its own, so that no other customer's balance or status changes. */
export async function newCustomer(sandbox: Sandbox): Promise<Customer> {
  const { api, rpc, info } = sandbox;
  const wallet = await generateKeyPairSigner();
  await rpc('requestAirdrop', wallet.address, lamports);
  await fund(sandbox, wallet, tokens);
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
  sandbox.note("emptying the customer's wallet, so that the transaction fails on chain");
  await fund(sandbox, wallet, '0');
}

async function fund({ rpc, info }: Sandbox, wallet: KeyPairSigner, amount: string): Promise<void> {
  for (const mint of [info.chain.usdc_mint, info.chain.gold_mint]) {
    await rpc('karat_setTokenBalance', wallet.address, mint, amount);
  }
}
