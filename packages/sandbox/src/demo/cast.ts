import type { Karat } from '@karat/sdk';
import type { KeyPairSigner } from '@solana/kit';
import type { Mints, SolanaRpc } from './chain.js';
import type { RunningSandbox } from './running-sandbox.js';
import type { Teller } from './teller.js';

export type SeededPartner = RunningSandbox['info']['partners'][number];

/** Where the story takes place, and the partner whose server it shows. */
export interface Scene {
  sandbox: RunningSandbox;
  teller: Teller;
  rpc: SolanaRpc;
  mints: Mints;
  partner: SeededPartner;
  partnerWallet: KeyPairSigner;
}

/** The scene with everybody in it: what trading and redeeming need. */
export interface Cast extends Scene {
  /** The partner API with the partner's key. */
  karat: Karat;
  customer: { wallet: KeyPairSigner; serviceUserId: string };
}
