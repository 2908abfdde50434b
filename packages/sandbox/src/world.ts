import { KARAT_PROGRAM_ADDRESS } from '@karat/program-client';
import { asUuid, type Uuid } from '@karat/service/domain';
import {
  type IntegratorAddresses,
  integratorAddresses,
  type PriceSettings,
  type ProgramAddresses,
  programAddresses,
  pythPrices,
} from '@karat/service/seed';
import type { Address, KeyPairSigner } from '@solana/kit';
import { keyFile, newKeyPairBytes, wellKnownKeyPairBytes } from './keys.js';
import {
  type PartnerPlan,
  partnerPlans,
  spareWalletCount,
  type UserPlan,
  wellKnownKeys,
} from './seed-plan.js';
import type { State, StateFolder } from './state-folder.js';

/** A key pair and the path of its file, relative to the state folder. */
export interface Key {
  file: string;
  signer: KeyPairSigner;
  address: Address;
}

export interface SeededPartner {
  plan: PartnerPlan;
  partnerId: Uuid;
  wallet: Key;
  executive: Key;
  updateAuthority: Key;
  withdrawalAuthority: Key;
  accounts: IntegratorAddresses;
  users: { plan: UserPlan; key: Key }[];
}

/** Every key and address of a sandbox, the same at each start. */
export interface World {
  programAddress: Address;
  prices: PriceSettings;
  program: ProgramAddresses;
  service: Key;
  admin: Key;
  operations: Key;
  guardian: Key;
  market: Key;
  reserves: Key;
  attestor: Key;
  usdcMint: Key;
  goldMint: Key;
  partners: SeededPartner[];
  spareWallets: Key[];
  /** The wallet that gives GOLD to customers who come later. */
  float: Key;
  /** The wallet that the page of the shop is given. */
  shopWallet: Key;
}

/** Reads the keys of a sandbox, making those that are missing, and derives its addresses. */
export async function openWorld(folder: StateFolder, state: State): Promise<World> {
  const key = async (name: string): Promise<Key> => {
    const file = `keys/${name}.json`;
    const make = wellKnownKeys.has(name) ? () => wellKnownKeyPairBytes(name) : newKeyPairBytes;
    const signer = await keyFile(folder.file('keys', `${name}.json`), make);
    return { file, signer, address: signer.address };
  };
  const programAddress = KARAT_PROGRAM_ADDRESS;
  const usdcMint = await key('usdc-mint');
  const goldMint = await key('gold-mint');
  const chain = { programAddress, usdcMint: usdcMint.address, goldMint: goldMint.address };
  const partners: SeededPartner[] = [];
  for (const plan of partnerPlans) partners.push(await openPartner(plan, state, chain, key));
  const spareWallets: Key[] = [];
  for (let n = 1; n <= spareWalletCount; n += 1) spareWallets.push(await key(`spare-${n}`));
  return {
    programAddress,
    prices: await pythPrices(),
    program: await programAddresses(chain),
    service: await key('service'),
    admin: await key('admin'),
    operations: await key('operations'),
    guardian: await key('guardian'),
    market: await key('market'),
    reserves: await key('reserves'),
    attestor: await key('attestor'),
    usdcMint,
    goldMint,
    partners,
    spareWallets,
    float: await key('float'),
    shopWallet: await key('shop-wallet'),
  };
}

async function openPartner(
  plan: PartnerPlan,
  state: State,
  chain: { programAddress: Address; usdcMint: Address; goldMint: Address },
  key: (name: string) => Promise<Key>,
): Promise<SeededPartner> {
  const partnerId = asUuid(state.partner_ids[plan.slug] ?? '');
  if (partnerId === undefined) throw new Error(`The state file names no partner ${plan.slug}`);
  const users: SeededPartner['users'] = [];
  for (const user of plan.users) users.push({ plan: user, key: await key(user.key) });
  return {
    plan,
    partnerId,
    wallet: await key(`${plan.slug}-wallet`),
    executive: await key(`${plan.slug}-executive`),
    updateAuthority: await key(`${plan.slug}-update`),
    withdrawalAuthority: await key(`${plan.slug}-withdrawal`),
    accounts: await integratorAddresses({ ...chain, partnerId }),
    users,
  };
}
