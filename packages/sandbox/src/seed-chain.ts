import {
  createIntegrator,
  createMints,
  initializeProgram,
  type Seeder,
  sandboxSettings,
} from '@karat/service/seed';
import { type Address, createSolanaRpc } from '@solana/kit';
import { type Funding, partnerFunding, serviceSol, treasuryFunding, userFunding } from './seed-plan.js';
import type { World } from './world.js';

const lamportsPerSol = 1_000_000_000n;
const baseUnitsPerToken = 1_000_000n;

/** What seeding needs of a localnet. */
export interface SeededNode {
  rpcUrl: string;
  airdrop(address: string, lamports: bigint): unknown;
  setTokenBalance(owner: string, mint: string, amount: bigint): Promise<unknown>;
  getAccount(address: string): { lamports: bigint } | undefined;
}

/**
 * Brings a fresh localnet to what `seed-plan.ts` says: the program by real transactions, balances by decree. Safe to
 * repeat after a first start that was cut off; not to be run again later, since it would reset balances.
 */
export async function seedChain(node: SeededNode, world: World): Promise<void> {
  const seeder: Seeder = {
    rpc: createSolanaRpc(node.rpcUrl),
    payer: world.admin.signer,
    commitment: 'processed',
  };
  const { admin, operations, service, guardian } = world;
  for (const key of [admin, operations, service, guardian]) topUp(node, key.address, serviceSol);
  await createMints(seeder, {
    mints: [world.usdcMint.signer, world.goldMint.signer],
    mintAuthority: world.admin.address,
  });
  await seedProgram(seeder, world);
  await Promise.all(world.partners.map((partner) => seedPartner(seeder, world, partner)));
  await fund(node, world, world.program.treasuryAuthority, treasuryFunding);
  for (const owner of partnerOwners(world)) await fund(node, world, owner, partnerFunding);
  for (const owner of userOwners(world)) await fund(node, world, owner, userFunding);
}

async function seedProgram(seeder: Seeder, world: World): Promise<void> {
  await initializeProgram(seeder, {
    programAddress: world.programAddress,
    upgradeAuthority: world.admin.signer,
    admin: world.admin.address,
    guardian: world.guardian.address,
    serviceSigner: world.service.address,
    feeOwner: world.fees.address,
    usdcMint: world.usdcMint.address,
    goldMint: world.goldMint.address,
    settings: { ...(await sandboxSettings()), operations: world.operations.address },
  });
}

async function seedPartner(seeder: Seeder, world: World, partner: World['partners'][number]): Promise<void> {
  await createIntegrator(seeder, {
    programAddress: world.programAddress,
    admin: world.admin.signer,
    partnerId: partner.partnerId,
    usdcMint: world.usdcMint.address,
    goldMint: world.goldMint.address,
    openFeeBps: partner.plan.openFeeBps,
    closedFeeBps: partner.plan.closedFeeBps,
    partnerWallet: partner.wallet.address,
    updateAuthority: partner.updateAuthority.address,
    withdrawalAuthority: partner.withdrawalAuthority.address,
    executives: [partner.executive.address],
  });
}

function partnerOwners(world: World): Address[] {
  return world.partners.flatMap((partner) => [
    partner.wallet.address,
    partner.accounts.vault,
    partner.executive.address,
    partner.updateAuthority.address,
    partner.withdrawalAuthority.address,
  ]);
}

function userOwners(world: World): Address[] {
  const users = world.partners.flatMap((partner) => partner.users.map((user) => user.key.address));
  return [...users, ...world.spareWallets.map((key) => key.address)];
}

async function fund(node: SeededNode, world: World, owner: Address, funding: Funding): Promise<void> {
  await node.setTokenBalance(owner, world.usdcMint.address, funding.usdc * baseUnitsPerToken);
  await node.setTokenBalance(owner, world.goldMint.address, funding.gold * baseUnitsPerToken);
  topUp(node, owner, funding.sol);
}

/** Airdrops what is missing to so many SOL, so that a repetition adds nothing. */
function topUp(node: SeededNode, owner: Address, sol: bigint): void {
  const missing = sol * lamportsPerSol - (node.getAccount(owner)?.lamports ?? 0n);
  if (missing > 0n) node.airdrop(owner, missing);
}
