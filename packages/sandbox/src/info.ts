import type { SeededMember } from './seed-members.js';
import type { SeededOperator } from './seed-operators.js';
import { denominationPlans } from './seed-plan.js';
import type { ApiKeys } from './state-folder.js';
import type { World } from './world.js';

/** What is known about a user only once the database has it. */
export interface SeededUser {
  partnerId: string;
  serviceUserId: string;
  userId: string;
  keyFile: string;
}

export interface Addresses {
  apiUrl: string;
  operatorUrl: string;
  rpcUrl: string;
  wsUrl: string;
  databaseUrl: string;
  /** Undefined where the documentation is not built. */
  docsUrl: string | undefined;
  /** Undefined where the console is not built. */
  consoleUrl: string | undefined;
  /** Undefined where the portal is not built. */
  portalUrl: string | undefined;
  /** Undefined where the shop's partner has no key. */
  shopUrl: string | undefined;
}

/** Version of `sandbox.json`; people script against its fields. */
const infoVersion = 1;

/** The content of `sandbox.json`: where everything is and what was seeded. Key files are relative to its folder. */
export function sandboxInfo(
  world: World,
  users: SeededUser[],
  { operators, members, apiKeys }: { operators: SeededOperator[]; members: SeededMember[]; apiKeys: ApiKeys },
  at: Addresses,
) {
  return {
    version: infoVersion,
    pid: process.pid,
    partner_api_url: at.apiUrl,
    tradebook_api_url: at.apiUrl,
    operator_url: at.operatorUrl,
    rpc_url: at.rpcUrl,
    ws_url: at.wsUrl,
    database_url: at.databaseUrl,
    ...(at.consoleUrl !== undefined && { console_url: at.consoleUrl }),
    ...(at.portalUrl !== undefined && { portal_url: at.portalUrl }),
    ...(at.docsUrl !== undefined && { docs_url: at.docsUrl }),
    ...(at.shopUrl !== undefined && { shop_url: at.shopUrl }),
    chain: {
      program_id: world.programAddress,
      usdc_mint: world.usdcMint.address,
      gold_mint: world.goldMint.address,
      escrow_gold_account: world.program.escrowGold,
      treasury_gold_account: world.program.treasuryGold,
      treasury_usdc_account: world.program.treasuryUsdc,
      fee_usdc_account: world.program.feeUsdc,
      price_account: world.prices.priceAccount,
      usdc_price_account: world.prices.usdcPriceAccount,
      service_signer: world.service.address,
      service_signer_keypair: world.service.file,
      admin_keypair: world.admin.file,
      operations_keypair: world.operations.file,
      guardian_keypair: world.guardian.file,
      market_keypair: world.market.file,
      reserves_keypair: world.reserves.file,
      attestor_keypair: world.attestor.file,
    },
    operators: operators.map(({ email, role, password, token }) => ({ email, role, password, token })),
    partners: world.partners.map((partner) => ({
      partner_id: partner.partnerId,
      name: partner.plan.name,
      fee_bps: partner.plan.openFeeBps,
      fee_percentage: Number(partner.plan.feePercentage),
      api_key: apiKeys[partner.plan.slug],
      members: members
        .filter(({ partner: slug }) => slug === partner.plan.slug)
        .map(({ email, role, password }) => ({ email, role, password })),
      central_vault_address: partner.accounts.integrator,
      wallet_keypair: partner.wallet.file,
      executive_keypairs: [partner.executive.file],
      update_authority_keypair: partner.updateAuthority.file,
      withdrawal_authority_keypair: partner.withdrawalAuthority.file,
    })),
    users: users.map((user) => ({
      partner_id: user.partnerId,
      service_user_id: user.serviceUserId,
      user_id: user.userId,
      keypair: user.keyFile,
    })),
    spare_wallets: world.spareWallets.map((key) => key.file),
    float_wallet: world.float.file,
    denominations: denominationPlans.map(({ id, country, city }) => ({ id, country, city })),
  };
}

export type SandboxInfo = ReturnType<typeof sandboxInfo>;
