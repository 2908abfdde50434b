import {
  type AuthorityRole,
  findRedemptionPda,
  getAnnounceBurnInstructionAsync,
  getApplyAuthorityInstructionAsync,
  getAttestInstructionAsync,
  getCancelAuthorityInstructionAsync,
  getCancelBurnInstructionAsync,
  getConfigDecoder,
  getHandOverAuthorityInstructionAsync,
  getMintGoldInstructionAsync,
  getPartnerPurchaseInstruction,
  getPartnerSaleInstruction,
  getPartnerWithdrawInstruction,
  getProposeAuthorityInstructionAsync,
  getReclaimRedemptionInstructionAsync,
  getRedeemInstruction,
  getRedemptionDecoder,
  getRedemptionEncoder,
  getSettleRedemptionInstruction,
  getSweepEscrowInstruction,
  getTreasuryWithdrawInstruction,
  getUpdateExecutivesInstruction,
  KARAT_PROGRAM_ADDRESS,
  SettlementMode,
} from '@karat/program-client';
import type { Address, Instruction, TransactionSigner } from '@solana/kit';
import { executivePlaces } from '../../src/chain/program/executives.js';
import { goldOf, tokenAccountOf, tokenOf, usdcOf } from '../../src/chain/program/token-accounts.js';
import { insertOrder, type NewOrder } from '../../src/db/orders/orders.js';
import { newUuid, type RedemptionId, redemptionBytes, type Uuid, uuidBytes } from '../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../src/domain/money.js';
import { receiptOf } from '../chain/receipts.js';
import type { Trader, World } from './world.js';

export const token = 1_000_000n;
const target = { programAddress: KARAT_PROGRAM_ADDRESS };
const maxFeeBps = 1_000;

export type Vault = Awaited<ReturnType<typeof givenVault>>;

/** The vault of a world's partner with 1,000,000 USDC and 100 GOLD, and the calls that move it. */
export async function givenVault(world: World, trader: Trader = world.trader) {
  const { node, usdcMint, goldMint, program, h } = world;
  const { integrator, partnerWallet: signer } = trader;
  const vault = integrator;
  await node.setTokenBalance(vault, usdcMint, 1_000_000n * token);
  await node.setTokenBalance(vault, goldMint, 100n * token);
  await node.setTokenBalance(signer.address, usdcMint, 0n);
  await node.setTokenBalance(signer.address, goldMint, 0n);
  node.airdrop(signer.address, 100n * 1_000_000_000n);
  const accountsOf = async (owner: Address) => ({
    usdc: tokenAccountOf(owner, usdcOf(world)),
    gold: tokenAccountOf(owner, goldOf(world)),
  });
  const [vaults, owned] = [await accountsOf(vault), await accountsOf(signer.address)];
  const { priceAccount, usdcPriceAccount } = world.chain.settings;
  const trade = (executive: TransactionSigner) => ({
    ...{
      config: program.config,
      integrator,
      executive,
      vaultUsdc: vaults.usdc,
      vaultGold: vaults.gold,
    },
    ...{ treasuryAuthority: program.treasuryAuthority, treasuryUsdc: program.treasuryUsdc },
    ...{ treasuryGold: program.treasuryGold, feeUsdc: program.feeUsdc, usdcMint, goldMint, priceAccount },
    usdcPriceAccount,
    maxFeeBps,
  });
  let written: Uuid | undefined;
  /** What a call is executed once by: the id of the order that was written last, for the first call after it. */
  const once = (payer: TransactionSigner, orderId: Uuid = written ?? newUuid()) => {
    written = undefined;
    const expireAt = BigInt(node.nowUnixSeconds() + 86_000);
    return { id: uuidBytes(orderId), receipt: receiptOf(integrator, orderId), payer, expireAt };
  };
  return {
    vault,
    vaults,
    owned,
    signer,
    /** Pays at most `limit` USDC for `gold`. */
    purchase: (
      gold: bigint,
      limit = 1_000_000n * token,
      executive: TransactionSigner = signer,
      orderId?: Uuid,
    ): Instruction =>
      getPartnerPurchaseInstruction(
        { ...trade(executive), ...once(executive, orderId), goldOut: gold, maxUsdcIn: limit, minUsdcIn: 0n },
        target,
      ),
    sale: (gold: bigint, limit = 1n, orderId?: Uuid): Instruction =>
      getPartnerSaleInstruction(
        {
          ...{ ...trade(signer), ...once(signer, orderId) },
          ...{ goldIn: gold, minUsdcOut: limit, maxUsdcOut: 2n ** 64n - 1n },
        },
        target,
      ),
    withdrawal: (which: 'gold' | 'usdc', amount: bigint, orderId?: Uuid): Instruction =>
      getPartnerWithdrawInstruction(
        {
          ...{ config: program.config, integrator, withdrawalAuthority: signer, amount },
          ...once(signer, orderId),
          vaultToken: vaults[which],
          destination: owned[which],
          mint: which === 'gold' ? goldMint : usdcMint,
          tokenProgram: (which === 'gold' ? goldOf(world) : usdcOf(world)).program,
        },
        target,
      ),
    executives: (add: Address[], remove: Address[]): Instruction =>
      getUpdateExecutivesInstruction(
        {
          ...{ config: program.config, integrator, updateAuthority: signer },
          ...{
            removeCount: remove.length,
            remove: executivePlaces(remove),
            addCount: add.length,
            add: executivePlaces(add),
          },
        },
        target,
      ),
    /** An order as the service writes it down: a purchase of 1 GOLD for at most 5,000 USDC. */
    async order(changes: Partial<NewOrder> = {}): Promise<NewOrder & { id: Uuid }> {
      const order = {
        id: newUuid(),
        kind: 'purchase',
        partnerId: trader.partner.partnerId,
        keyId: trader.partner.keyId,
        signer: signer.address,
        integrator,
        goldAmount: goldUnits(token),
        usdcLimit: usdcUnits(5_000n * token),
        maxFeeBps,
        lastValidBlockHeight: 10_000_000n,
        createdAt: new Date(h.ctx.clock.now()),
        ...changes,
      } satisfies NewOrder as NewOrder & { id: Uuid };
      await h.ctx.db.transaction((tx) => insertOrder(tx, order));
      written = order.id;
      return order;
    },
  };
}

/** Changes the account of a redemption, whose times are days otherwise. */
async function rewriteRedemption(
  { node }: World,
  redemptionId: RedemptionId,
  times: { burnReadyAt?: bigint; reclaimableAt?: bigint },
): Promise<void> {
  const [address] = await findRedemptionPda({ id: redemptionBytes(redemptionId) }, target);
  const account = node.getAccount(address);
  if (!account) return;
  const data = getRedemptionEncoder().encode({ ...getRedemptionDecoder().decode(account.data), ...times });
  node.setAccount(address, { ...account, data: Uint8Array.from(data) });
}

/** The burn of a redemption, announced or cancelled, by operations and the admin. */
export async function burnOf({ operations, admin }: World, redemptionId: RedemptionId) {
  const id = redemptionBytes(redemptionId);
  const [redemption] = await findRedemptionPda({ id }, target);
  return {
    announce: await getAnnounceBurnInstructionAsync({ operations, redemption, id }, target),
    cancel: await getCancelBurnInstructionAsync({ authority: admin, redemption, id }, target),
  };
}

/** A redemption of the trader, whose time is over by decree, reclaimed. */
export async function reclaim(
  world: World,
  redemptionId: RedemptionId,
  rentPayer: Address = world.trader.wallet.address,
): Promise<Instruction> {
  const { program, goldMint, trader, node } = world;
  await rewriteRedemption(world, redemptionId, { reclaimableAt: BigInt(node.nowUnixSeconds()) - 10n });
  const id = redemptionBytes(redemptionId);
  const [redemption] = await findRedemptionPda({ id }, target);
  const { escrowAuthority, escrowGold } = program;
  const destination = tokenAccountOf(trader.user.address, goldOf(world));
  return getReclaimRedemptionInstructionAsync(
    { user: trader.user, redemption, rentPayer, escrowAuthority, escrowGold, goldMint, destination, id },
    target,
  );
}

/** A redemption of the trader that tests wrote to the database, settled by operations; a burn is announced and due by decree. */
export async function settleRedemption(
  world: World,
  mode: SettlementMode,
  redemptionId: RedemptionId,
  rentPayer = world.trader.wallet.address,
): Promise<Instruction> {
  const { program, operations, goldMint, trader, node } = world;
  if (mode === SettlementMode.Burn) {
    await rewriteRedemption(world, redemptionId, { burnReadyAt: BigInt(node.nowUnixSeconds()) - 10n });
  }
  const id = redemptionBytes(redemptionId);
  const [redemption] = await findRedemptionPda({ id }, target);
  const { config, escrowAuthority, escrowGold } = program;
  const user = trader.wallet.address;
  const destination = mode === SettlementMode.Burn ? escrowGold : tokenAccountOf(user, goldOf({ goldMint }));
  return getSettleRedemptionInstruction(
    {
      ...{ config, operations, redemption, rentPayer, escrowAuthority, escrowGold, goldMint },
      ...{ destination, id, mode },
    },
    target,
  );
}

/** Gold of escrow that no redemption needs, into the treasury. */
export function sweep({ program, admin, goldMint }: World, amount: bigint): Instruction {
  const { config, escrowAuthority, escrowGold, treasuryGold } = program;
  return getSweepEscrowInstruction(
    { config, admin, escrowAuthority, escrowGold, goldMint, treasuryGold, amount },
    target,
  );
}

/** A redemption of the trader, paid. */
export async function redemption(
  { program, service, goldMint, trader }: World,
  redemptionId: RedemptionId,
  amount: bigint,
): Promise<Instruction> {
  const id = redemptionBytes(redemptionId);
  const [redemption] = await findRedemptionPda({ id }, target);
  const { config, escrowGold } = program;
  return getRedeemInstruction(
    {
      ...{
        payer: service,
        serviceSigner: service,
        user: trader.user,
        config,
        escrowGold,
        goldMint,
        redemption,
      },
      userGold: tokenAccountOf(trader.user.address, goldOf({ goldMint })),
      ...{ id, partnerId: uuidBytes(trader.partner.partnerId), amount },
    },
    target,
  );
}

/** Inventory of the treasury, or fees, withdrawn by the admin to an account of the service's key. */
export async function treasuryWithdrawal(world: World, from: 'gold' | 'usdc' | 'fees', amount: bigint) {
  const { program, admin, service, node, goldMint, usdcMint } = world;
  const { config, treasuryAuthority, treasuryUsdc, treasuryGold, feeUsdc } = program;
  const mint = from === 'gold' ? goldMint : usdcMint;
  const { program: tokenProgram } = tokenOf(mint, world);
  const destination = tokenAccountOf(service.address, { mint, program: tokenProgram });
  if (!node.getAccount(destination)) await node.setTokenBalance(service.address, mint, 0n);
  return getTreasuryWithdrawInstruction(
    {
      ...{ config, admin, mint, tokenProgram, amount, destination },
      treasuryAuthority: from === 'fees' ? config : treasuryAuthority,
      treasuryToken: { usdc: treasuryUsdc, gold: treasuryGold, fees: feeUsdc }[from],
    },
    target,
  );
}

/** GOLD minted into the treasury by the admin. */
export function mintGold({ program, admin, goldMint }: World, amount: bigint): Promise<Instruction> {
  return getMintGoldInstructionAsync({ admin, treasuryGold: program.treasuryGold, goldMint, amount }, target);
}

/** An attestation of so much gold as of now, by the attestor. */
export async function attestation({ node, attestor, program }: World, amount: bigint): Promise<Instruction> {
  const config = node.getAccount(program.config);
  if (!config) throw new Error('the program has no configuration');
  const { burnedTotal: burnedAtAsOf } = getConfigDecoder().decode(config.data);
  const asOf = BigInt(node.nowUnixSeconds()) - 5n;
  const reportHash = new Uint8Array(32).fill(3);
  return getAttestInstructionAsync({ attestor, amount, asOf, burnedAtAsOf, reportHash }, target);
}

/** The wallet, update or withdrawal authority of the trader's partner, handed over by the partner's wallet, which is all three. */
export function handOver(world: World, role: AuthorityRole, key: Address): Promise<Instruction> {
  const { trader } = world;
  const accounts = { integrator: trader.integrator, holder: trader.partnerWallet };
  return getHandOverAuthorityInstructionAsync({ ...accounts, role, key }, target);
}

/** What the admin does about an authority of the trader's partner: proposes another, applies or cancels it. */
export async function recovery(
  world: World,
  role: AuthorityRole,
  key: Address,
  admin: TransactionSigner = world.admin,
) {
  const { trader } = world;
  const accounts = { integrator: trader.integrator, role, key };
  return {
    propose: await getProposeAuthorityInstructionAsync({ ...accounts, admin }, target),
    cancel: await getCancelAuthorityInstructionAsync({ ...accounts, authority: admin }, target),
    apply: await getApplyAuthorityInstructionAsync({ ...accounts, admin }, target),
  };
}
