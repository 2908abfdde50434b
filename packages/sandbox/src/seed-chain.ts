import { getMintGoldInstructionAsync, getTreasuryWithdrawInstruction } from '@karat/program-client';
import {
  createGoldMint,
  createUsdcMint,
  decodeTokenMetadata,
  goldOf,
  initializeProgram,
  noKey,
  type Seeder,
  sendInstructions,
  tokenAccountOf,
  updateUriInstruction,
} from '@karat/service/seed';
import { type Address, createSolanaRpc, fetchEncodedAccount, type Instruction } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import {
  attestReserve,
  createIntegrator,
  goldStandingOn,
  openProgram,
  ownGoldMetadata,
  sandboxSettings,
} from './own-chain.js';
import {
  attestedGold,
  baseUnitsPerToken,
  type Funding,
  floatFunding,
  partnerFunding,
  serviceSol,
  shopFunding,
  treasuryFunding,
  userFunding,
} from './seed-plan.js';
import type { World } from './world.js';

const lamportsPerSol = 1_000_000_000n;

/** What seeding needs of a localnet. */
export interface SeededNode {
  rpcUrl: string;
  airdrop(address: string, lamports: bigint): unknown;
  setTokenBalance(owner: string, mint: string, amount: bigint): Promise<unknown>;
  getAccount(address: string): { lamports: bigint; data: Uint8Array } | undefined;
}

/**
 * Brings a fresh localnet to the state of `seed-plan.ts`: the program by real transactions, USDC by decree. GOLD is
 * attested, minted into the treasury, and withdrawn from there to everybody else. Safe to repeat after a first start
 * that was cut off; not to be run again later, since it would reset balances. Throws the reason of `signal` when that aborts.
 */
export async function seedChain(node: SeededNode, world: World, signal: AbortSignal): Promise<void> {
  const seeder: Seeder = {
    rpc: createSolanaRpc(node.rpcUrl),
    payer: world.admin.signer,
    commitment: 'processed',
  };
  const { admin, operations, service, guardian, market, attestor } = world;
  for (const key of [admin, operations, service, guardian, market, attestor])
    topUp(node, key.address, serviceSol);
  const { programAddress } = world;
  await createUsdcMint(seeder, { mint: world.usdcMint.signer, authority: admin.address });
  await createGoldMint(seeder, {
    mint: world.goldMint.signer,
    metadata: ownGoldMetadata('http://127.0.0.1/token/gold.json'),
    programAddress,
    admin: admin.address,
  });
  // For the rent of any address that `nameGold` writes.
  topUp(node, world.goldMint.address, 1n);
  signal.throwIfAborted();
  await seedProgram(seeder, world);
  await openProgram(seeder, { programAddress, admin: admin.signer, market: market.signer });
  signal.throwIfAborted();
  await Promise.all(world.partners.map((partner) => seedPartner(seeder, world, partner)));
  signal.throwIfAborted();
  const fundings: Holder[] = [
    ...partnerOwners(world).map((owner) => ({ owner, ...partnerFunding })),
    ...userOwners(world).map((owner) => ({ owner, ...userFunding })),
    { owner: world.shopWallet.address, ...shopFunding },
    { owner: world.float.address, ...floatFunding },
  ];
  await seedGold(node, seeder, world, fundings);
  for (const holder of [{ owner: world.program.treasuryAuthority, ...treasuryFunding }, ...fundings]) {
    signal.throwIfAborted();
    await node.setTokenBalance(holder.owner, world.usdcMint.address, holder.usdc * baseUnitsPerToken);
    topUp(node, holder.owner, holder.sol);
  }
}

/**
 * Has the mint of GOLD name the document that the service has at `apiUrl`, from which wallets take the logo. The port may be
 * another one at each start.
 */
export async function nameGold(rpcUrl: string, world: World, apiUrl: string): Promise<void> {
  const { signer: payer } = world.admin;
  // The service reads the name as it is confirmed, and keeps it.
  const seeder: Seeder = { rpc: createSolanaRpc(rpcUrl), payer, commitment: 'confirmed' };
  const mint = world.goldMint.address;
  const account = await fetchEncodedAccount(seeder.rpc, mint, { commitment: 'processed' });
  const uri = `${apiUrl}/token/gold.json`;
  const before = account.exists ? decodeTokenMetadata(account.data)?.uri : undefined;
  if (before === undefined || before === uri) return;
  await sendInstructions(seeder, [updateUriInstruction(mint, payer, uri)]);
}

interface Holder extends Funding {
  owner: Address;
}

/** As many transfers as fit into one transaction, each to an account of its own. */
const transfersPerTransaction = 15;

/** Attests gold and mints what all hold together; the admin withdraws what is not the treasury's, and hands it on. */
async function seedGold(node: SeededNode, seeder: Seeder, world: World, holders: Holder[]): Promise<void> {
  const { programAddress } = world;
  const goldMint = world.goldMint.address;
  const { treasuryAuthority, treasuryGold, config } = world.program;
  const admin = world.admin.signer;
  const amount = attestedGold * baseUnitsPerToken;
  await attestReserve(seeder, { programAddress, goldMint, attestor: world.attestor.signer, amount });
  const total = holders.reduce((sum, { gold }) => sum + gold, treasuryFunding.gold);
  const supply = total * baseUnitsPerToken;
  const standing = await goldStandingOn(seeder, { programAddress, goldMint });
  if (standing.supply < supply) {
    const minted = { admin, treasuryGold, goldMint, amount: supply - standing.supply };
    await sendInstructions(seeder, [await getMintGoldInstructionAsync(minted, { programAddress })]);
  }

  const gold = goldOf({ goldMint });
  const source = tokenAccountOf(admin.address, gold);
  const transfers: Instruction[] = [];
  let missing = 0n;
  for (const { owner, gold: ounces } of holders) {
    const destination = tokenAccountOf(owner, gold);
    if (ounces === 0n || balanceOf(node.getAccount(destination)) > 0n) continue;
    await node.setTokenBalance(owner, goldMint, 0n);
    const amount = ounces * baseUnitsPerToken;
    const transfer = { source, mint: goldMint, destination, authority: admin, decimals: 6, amount };
    transfers.push(getTransferCheckedInstruction(transfer, { programAddress: gold.program }));
    missing += amount;
  }
  const held = balanceOf(node.getAccount(source));
  if (held < missing) {
    const tokens = { treasuryToken: treasuryGold, mint: goldMint, tokenProgram: gold.program };
    const accounts = { config, admin, treasuryAuthority, ...tokens };
    await node.setTokenBalance(admin.address, goldMint, held);
    await sendInstructions(seeder, [
      getTreasuryWithdrawInstruction(
        { ...accounts, destination: source, amount: missing - held },
        { programAddress },
      ),
    ]);
  }
  for (let start = 0; start < transfers.length; start += transfersPerTransaction) {
    await sendInstructions(seeder, transfers.slice(start, start + transfersPerTransaction));
  }
}

/** SPL token account: mint [32], owner [32], amount u64. */
function balanceOf(account: { data: Uint8Array } | undefined): bigint {
  return account ? Buffer.from(account.data).readBigUInt64LE(64) : 0n;
}

async function seedProgram(seeder: Seeder, world: World): Promise<void> {
  await initializeProgram(seeder, {
    programAddress: world.programAddress,
    upgradeAuthority: world.admin.signer,
    admin: world.admin.address,
    hotKeys: {
      operations: world.operations.address,
      market: world.market.address,
      compliance: noKey,
      serviceSigners: [world.service.address, noKey],
    },
    usdcMint: world.usdcMint.address,
    goldMint: world.goldMint.address,
    settings: {
      ...(await sandboxSettings()),
      guardian: world.guardian.address,
      attestor: world.attestor.address,
      withdrawOwners: [world.admin.address, noKey, noKey, noKey],
    },
  });
}

async function seedPartner(seeder: Seeder, world: World, partner: World['partners'][number]): Promise<void> {
  await createIntegrator(seeder, {
    programAddress: world.programAddress,
    authority: world.operations.signer,
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
    partner.accounts.integrator,
    partner.executive.address,
    partner.updateAuthority.address,
    partner.withdrawalAuthority.address,
  ]);
}

function userOwners(world: World): Address[] {
  const users = world.partners.flatMap((partner) => partner.users.map((user) => user.key.address));
  return [...users, ...world.spareWallets.map((key) => key.address)];
}

/** Airdrops what is missing to so many SOL, so that a repetition adds nothing. */
function topUp(node: SeededNode, owner: Address, sol: bigint): void {
  const missing = sol * lamportsPerSol - (node.getAccount(owner)?.lamports ?? 0n);
  if (missing > 0n) node.airdrop(owner, missing);
}
