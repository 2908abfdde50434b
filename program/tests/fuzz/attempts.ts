import * as client from '@karat/program-client';
import { AccountRole, type Address, type Instruction, isSignerRole } from '@solana/kit';
import { addressOf, DAY, eight, inventory, ONE, signer, tokenProgramOf, ZERO_ADDRESS } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import type { Partner, View, World } from './world.js';

/** An instruction that is tried. */
export interface Attempt {
  name: string;
  instruction: Instruction;
  /** Whether something in it was replaced at random: it may be anything then. */
  broken: boolean;
}

/** Who acts: one of the partners with its present keys, one of the users. */
interface Cast {
  partner: Partner;
  integrator: client.Integrator;
  user: Address;
}

type Build = (world: World, view: View, cast: Cast) => Instruction | undefined;

const roleKeys = ['partnerWallet', 'updateAuthority', 'withdrawalAuthority'] as const;

/** Goes to the moment at which something that waits can be done, now and then. */
function meet(world: World, readyAt: bigint | undefined, times = 2): void {
  if (readyAt !== undefined && readyAt > world.now && world.random.once(times))
    world.passTime(readyAt - world.now);
}

const order = (world: World, { partner }: Cast) => ({
  ...world.random.pick(partner.orders),
  expireAt:
    world.now + BigInt(world.random.pick([60, 3_600, 3_600, DAY, DAY, world.random.pick([-1, DAY + 1])])),
});
const userExpiry = (world: World) => ({
  expireAt: world.now + BigInt(world.random.pick([0, 60, 60, 60, 60, world.random.pick([-1, 60])])),
});
const balanceOf = (view: View, address: Address | undefined) => (address && view.balances.get(address)) || 0n;

const changes = (world: World): Partial<client.SettingsArgs>[] => [
  { guardian: world.anyKey() },
  { attestor: world.anyKey() },
  { dailyOutflowUsdc: world.random.pick([1_000n * ONE, 100_000n * ONE, U64_MAX]) },
  { dailyOutflowGold: world.random.pick([ONE, 100n * ONE, U64_MAX]) },
  { dailyMint: world.random.pick([ONE, 50n * ONE, U64_MAX]) },
  { oppositeSideSeconds: world.random.pick([0, 60, 3_600]) },
  { requireBacking: world.random.below(2), freezeEnabled: world.random.below(2) },
  { maxAgeClosed: world.random.pick([0, 3_600]), maxFeeBps: world.random.pick([150, 200, 1_001]) },
  { withdrawOwners: eight([world.anyKey(), addressOf('admin')]).slice(0, 4) },
  { maxTradeUsdc: world.random.pick([1_000n * ONE, 1_000_000n * ONE]) },
];

const withdraw = (world: World, view: View, { partner, integrator }: Cast, token: 'Usdc' | 'Gold') => {
  const vaultToken = partner[`vault${token}`];
  const destination = world.purseOf(integrator.withdrawalAuthority, token);
  return client.getPartnerWithdrawInstruction({
    ...world.scenario.at,
    payer: signer(world.scenario.at.payer),
    withdrawalAuthority: signer(integrator.withdrawalAuthority),
    vaultToken,
    destination: destination ?? vaultToken,
    mint: world.scenario.at[token === 'Usdc' ? 'usdcMint' : 'goldMint'],
    tokenProgram: tokenProgramOf(world.scenario.at[token === 'Usdc' ? 'usdcMint' : 'goldMint']),
    amount: world.random.amount(balanceOf(view, vaultToken)),
    ...order(world, { partner, integrator, user: integrator.withdrawalAuthority }),
  });
};

/** Goes to just before a vault may trade in the other direction, or just after. */
function meetOppositeSide(world: World, { config }: View, { vaultTradedAt }: client.Integrator): void {
  const wait = config.settings.oppositeSideSeconds;
  const moment = vaultTradedAt + BigInt(wait + 5 - world.random.below(Math.floor(wait / 2) + 10));
  meet(world, moment, 3);
}

/** Of the redemptions that are open, one; else one that is none. */
const slotOf = (world: World) => {
  const open = world.slots.filter(({ redemption }) => world.exists(redemption));
  return world.random.pick(open.length > 0 ? open : world.slots);
};
const redemptionOf = (world: World, address: Address) =>
  world.exists(address) ? world.scenario.redemption(address) : undefined;

/** Every instruction, built as its rightful signers would. */
const builders: Record<string, Build> = {
  initialize: ({ scenario }) => scenario.initialize(),
  proposeSettings: (world) => world.scenario.proposeSettings(world.random.pick(changes(world))),
  applySettings: (world, { proposal }) => {
    meet(world, proposal?.readyAt);
    return world.scenario.applySettings();
  },
  cancelSettings: (world, { config }) =>
    world.random.once(2)
      ? world.scenario.cancelSettings(world.random.pick([config.admin, config.settings.guardian]))
      : undefined,
  proposeAdmin: (world) => world.scenario.proposeAdmin(world.anyKey()),
  acceptAdmin: (world, { config }) => {
    meet(world, config.adminProposal.key === ZERO_ADDRESS ? undefined : config.adminProposal.readyAt);
    return world.scenario.acceptAdmin(config.adminProposal.key);
  },
  cancelAdmin: (world, { config }) =>
    world.random.once(3) ? world.scenario.cancelAdmin(config.settings.guardian) : undefined,
  replaceKey: (world, { config: { hotKeys } }) => {
    const { Operations, Market, Compliance, ServiceSigner } = client.HotKeyRole;
    const [role, old] = world.random.pick([
      [Operations, hotKeys.operations],
      [Market, hotKeys.market],
      [Compliance, hotKeys.compliance],
      [ServiceSigner, world.random.pick(hotKeys.serviceSigners)],
    ] as [client.HotKeyRole, Address][]);
    return world.scenario.replaceKey(
      role,
      old,
      world.random.once(3) ? world.anyKey() : world.random.pick(world.keys),
    );
  },
  rotateAccounts: (world, { config }) => {
    const { feeAccounts, treasuryAccounts, random } = world;
    const accounts = {
      treasuryUsdc: random.once(4) ? random.pick(treasuryAccounts.usdc) : config.treasuryUsdc,
      treasuryGold: random.once(4) ? random.pick(treasuryAccounts.gold) : config.treasuryGold,
      feeUsdc: random.pick(feeAccounts),
    };
    return world.scenario.rotateAccounts(accounts, config.settingsSeq);
  },
  pause: (world, { config }) =>
    world.scenario.pause(
      1 << world.random.below(6),
      world.random.pick([config.settings.guardian, config.admin]),
    ),
  resume: (world) => world.scenario.resume(world.random.pick([31, 63])),
  setMarket: (world) => world.scenario.setMarket(world.random.once(6) ? 1 : 0),
  createIntegrator: (world, { config }) => {
    const spare = world.spares.find(({ integrator }) => !world.exists(integrator));
    if (!spare) return undefined;
    const { at } = world.scenario;
    const made = world.scenario.createIntegrator({
      partnerId: spare.id,
      openFeeBps: world.random.pick([0, 50, 201]),
      dailyLimitUsdc: config.settings.dailyOutflowUsdc,
    });
    return replaced(made, {
      [at.integrator]: spare.integrator,
      [at.vaultUsdc]: spare.vaultUsdc,
      [at.vaultGold]: spare.vaultGold,
    });
  },
  updateIntegrator: (world, { config }, { integrator }) =>
    client.getUpdateIntegratorInstruction({
      ...world.scenario.at,
      authority: signer(world.scenario.at.operations),
      expectedTermsSeq: integrator.termsSeq,
      status: world.random.once(20) ? 1 : 0,
      openFeeBps: world.random.pick([0, 50, 50, 100, 201]),
      closedFeeBps: world.random.pick([50, 150]),
      dailyLimitUsdc: world.random.pick([1_000n * ONE, config.settings.dailyOutflowUsdc, U64_MAX]),
    }),
  suspendIntegrator: (world, { config }) =>
    world.random.once(10) ? world.scenario.suspendIntegrator(config.settings.guardian) : undefined,
  updateExecutives: (world, _view, { integrator }) => {
    const present = integrator.executives.slice(0, integrator.executiveCount);
    const remove = world.random.once(2) ? [world.random.pick(present)] : [];
    return world.scenario.updateExecutives({
      remove,
      add: world.random.once(2) ? [world.random.pick(world.keys)] : [],
    });
  },
  handOverAuthority: (world, _view, { integrator }) => {
    const role = world.random.below(3);
    return world.scenario.handOverAuthority(
      role,
      world.random.pick(world.keys),
      signer(integrator[roleKeys[role] ?? 'partnerWallet']),
    );
  },
  proposeAuthority: (world) =>
    world.scenario.proposeAuthority(world.random.below(3), world.random.pick(world.keys)),
  cancelAuthority: (world, { config }, { integrator }) => {
    const role = proposedRole(world, integrator);
    const key = integrator.proposals[role]?.key ?? ZERO_ADDRESS;
    const present = integrator[roleKeys[role] ?? 'partnerWallet'];
    const second = integrator[roleKeys[(role + 1) % 3] ?? 'partnerWallet'];
    if (world.random.once(2)) return undefined;
    const own = { authority: signer(present), second: signer(second) };
    return world.scenario.cancelAuthority(
      role,
      key,
      world.random.once(2) ? own : { authority: signer(config.admin) },
    );
  },
  applyAuthority: (world, _view, { integrator }) => {
    const role = proposedRole(world, integrator);
    const { key = ZERO_ADDRESS, readyAt } = integrator.proposals[role] ?? {};
    meet(world, readyAt);
    return world.scenario.applyAuthority(role, key);
  },
  buy: (world, view, { user }) => {
    const usdcIn = world.random.amount(balanceOf(view, world.purseOf(user, 'Usdc')));
    return world.scenario.buy({ usdcIn, ...userExpiry(world) });
  },
  sell: (world, view, { user }) => {
    const goldIn = world.random.amount(balanceOf(view, world.purseOf(user, 'Gold')));
    return world.scenario.sell({ goldIn, ...userExpiry(world) });
  },
  partnerPurchase: (world, view, cast) => {
    meetOppositeSide(world, view, cast.integrator);
    const goldOut = world.random.amount(balanceOf(view, cast.partner.vaultUsdc) / 4_000n);
    return world.scenario.partnerPurchase({ goldOut, ...order(world, cast) });
  },
  partnerSale: (world, view, cast) => {
    meetOppositeSide(world, view, cast.integrator);
    const goldIn = world.random.amount(balanceOf(view, cast.partner.vaultGold));
    return world.scenario.partnerSale({ goldIn, ...order(world, cast) });
  },
  partnerWithdraw: (world, view, cast) =>
    withdraw(world, view, cast, world.random.pick(['Usdc', 'Gold'] as const)),
  closeReceipt: (world, _view, { partner }) => {
    const made = partner.orders.find(({ receipt }) => world.exists(receipt));
    if (!made) return undefined;
    const { data } = world.scenario.account(made.receipt);
    meet(world, client.getReceiptDecoder().decode(data).closableAt + 1n, 4);
    return world.scenario.closeReceipt(made);
  },
  redeem: (world, view, { user, partner }) => {
    const slot =
      world.slots.find(({ redemption }) => !world.exists(redemption)) ?? world.random.pick(world.slots);
    const amount = world.random.amount(balanceOf(view, world.purseOf(user, 'Gold')));
    return world.scenario.redeem({ ...slot, partnerId: partner.id, amount });
  },
  announceBurn: (world) => withSlot(world, world.scenario.announceBurn(), slotOf(world)),
  cancelBurn: (world, { config }) => {
    if (world.random.once(2)) return undefined;
    return withSlot(world, world.scenario.cancelBurn(config.settings.guardian), slotOf(world));
  },
  settleRedemption: (world) => {
    const slot = slotOf(world);
    const redemption = redemptionOf(world, slot.redemption);
    const mode = world.random.below(2);
    if (mode === client.SettlementMode.Burn && redemption?.burnReadyAt) meet(world, redemption.burnReadyAt);
    const destination = redemption && world.purseOf(redemption.user, 'Gold');
    const to = mode === client.SettlementMode.Refund && destination ? { destination } : {};
    return world.scenario.settleRedemption(mode, { ...slot, ...to });
  },
  reclaimRedemption: (world) => {
    const slot = slotOf(world);
    const redemption = redemptionOf(world, slot.redemption);
    meet(world, redemption?.reclaimableAt, 6);
    const destination = redemption && world.purseOf(redemption.user, 'Gold');
    const own = redemption && destination ? { user: signer(redemption.user), destination } : {};
    return world.scenario.reclaimRedemption({ ...slot, ...own });
  },
  sweepEscrow: (world, view) => {
    const held = balanceOf(view, world.scenario.at.escrowGold);
    const whole = world.random.once(2) ? held : held - view.config.escrowOpen;
    return world.scenario.sweepEscrow({ amount: world.random.once(6) ? whole : world.random.amount(whole) });
  },
  treasuryWithdraw: (world, view) => {
    const from = world.random.pick(['Usdc', 'Gold', 'Fees'] as const);
    const { token, account } = inventory[from];
    const owner = world.random.pick(view.config.settings.withdrawOwners);
    const amount = world.random.amount(balanceOf(view, view.config[account]));
    return world.scenario.treasuryWithdraw(from, amount, world.purseOf(owner, token));
  },
  attest: (world, view) => {
    const { random, now } = world;
    const spread = BigInt(random.below(200)) * ONE;
    const amount = random.once(6) ? view.supply - spread : view.supply + spread;
    const burned = view.config.burnedTotal;
    const burnedAtAsOf = random.once(4) && burned > 0n ? burned - 1n : burned;
    return world.scenario.attest({ amount, asOf: now - BigInt(random.pick([0, 0, 60])), burnedAtAsOf });
  },
  mintGold: (world, { config, supply }) => {
    const room = config.attestation.amount - supply;
    return world.scenario.mintGold(world.random.amount(room > 0n ? room : ONE));
  },
  freezeAccount: (world) => (world.random.once(3) ? world.scenario.freezeAccount() : undefined),
  thawAccount: (world) => world.scenario.thawAccount(),
};

/** A role for which something is proposed, if there is one. */
function proposedRole(world: World, integrator: client.Integrator): number {
  const proposed = [0, 1, 2].filter((role) => integrator.proposals[role]?.key !== ZERO_ADDRESS);
  return proposed.length > 0 ? world.random.pick(proposed) : 0;
}

/** The instruction for another redemption than that of the scenario. */
function withSlot(
  world: World,
  instruction: Instruction,
  slot: { id: Uint8Array; redemption: Address },
): Instruction {
  const data = new Uint8Array(instruction.data ?? []);
  data.set(slot.id, 1);
  return { ...replaced(instruction, { [world.scenario.at.redemption]: slot.redemption }), data };
}

function replaced(instruction: Instruction, addresses: Record<Address, Address>): Instruction {
  const accounts = (instruction.accounts ?? []).map((meta) => ({
    ...meta,
    address: addresses[meta.address] ?? meta.address,
  }));
  return { ...instruction, accounts };
}

/** The accounts of the scenario that stand for others by now: the present holders of its roles, the partner and the user who act. */
function present(
  world: World,
  { config }: View,
  { partner, integrator, user }: Cast,
  isOfUser: boolean,
): Record<Address, Address> {
  const { at } = world.scenario;
  const { hotKeys, settings } = config;
  const executives = integrator.executives.slice(0, integrator.executiveCount);
  return {
    ...{ [at.admin]: config.admin, [at.guardian]: settings.guardian, [at.attestor]: settings.attestor },
    ...{
      [at.operations]: hotKeys.operations,
      [at.market]: hotKeys.market,
      [at.compliance]: hotKeys.compliance,
    },
    [at.serviceSigner]: world.random.pick(hotKeys.serviceSigners),
    ...{
      [at.integrator]: partner.integrator,
      [at.vaultUsdc]: partner.vaultUsdc,
      [at.vaultGold]: partner.vaultGold,
    },
    [at.partnerWallet]: integrator.partnerWallet,
    [at.updateAuthority]: integrator.updateAuthority,
    [at.withdrawalAuthority]: integrator.withdrawalAuthority,
    [at.executive]: world.random.pick(executives),
    ...{
      [at.feeUsdc]: config.feeUsdc,
      [at.treasuryUsdc]: config.treasuryUsdc,
      [at.treasuryGold]: config.treasuryGold,
    },
    ...(isOfUser && {
      [at.user]: user,
      [at.userUsdc]: world.purseOf(user, 'Usdc') ?? at.userUsdc,
      [at.userGold]: world.purseOf(user, 'Gold') ?? at.userGold,
    }),
  };
}

/** What in an instruction is replaced at random. */
function broken(world: World, instruction: Instruction): Instruction {
  const { random } = world;
  const accounts = [...(instruction.accounts ?? [])];
  const data = new Uint8Array(instruction.data ?? []);
  const signing = accounts.flatMap(({ role }, index) => (isSignerRole(role) ? [index] : []));
  const kind = random.below(5);
  const index = kind < 3 && signing.length > 0 ? random.pick(signing) : random.below(accounts.length);
  const meta = accounts[index];
  if (!meta || kind === 4) {
    // The first byte would make it another instruction.
    // Settings stay such that trades can land: what may be in them is for the tables of refusals.
    const end = data.length > 400 ? 9 : data.length;
    if (end > 1) data[1 + random.below(end - 1)] = random.below(256);
    return { ...instruction, data };
  }
  if (kind === 0)
    accounts[index] = { ...meta, role: isWritable(meta.role) ? AccountRole.WRITABLE : AccountRole.READONLY };
  else if (kind < 3) accounts[index] = { ...meta, address: world.anyKey() };
  else accounts[index] = { ...meta, address: random.pick(anyAddress(world)) };
  return { ...instruction, accounts };
}

const isWritable = (role: AccountRole) =>
  role === AccountRole.WRITABLE || role === AccountRole.WRITABLE_SIGNER;

/** Everything that could stand in the place of an account. */
function anyAddress(world: World): Address[] {
  const own = Object.values(world.scenario.at).filter((value): value is Address => typeof value === 'string');
  return [...own, ...world.purses.keys(), ...world.slots.map(({ redemption }) => redemption)];
}

const names = Object.keys(builders);
const vault = ['partnerPurchase', 'partnerSale'];
const often = [...vault, ...vault, 'buy', 'sell', 'redeem', 'settleRedemption', 'announceBurn'];
const helpful = [
  'resume',
  'resume',
  'resume',
  'thawAccount',
  'updateIntegrator',
  'updateIntegrator',
  'attest',
  'setMarket',
  'setMarket',
  'updateIntegrator',
];

/** The next instruction to try. */
export function nextAttempt(world: World, view: View): Attempt {
  for (;;) {
    const name = world.random.pick([...names, ...often, ...often, ...helpful]);
    const partner = world.random.pick(world.partners);
    const integrator = view.integrators.get(partner.integrator);
    if (!integrator) throw new Error('no such partner');
    const cast = { partner, integrator, user: world.random.pick(world.users) };
    const built = builders[name]?.(world, view, cast);
    if (!built) continue;
    // A redemption names its user itself.
    const isOfUser = name !== 'settleRedemption' && name !== 'reclaimRedemption';
    const right = replaced(built, present(world, view, cast, isOfUser));
    const isBroken = world.random.below(5) < 2;
    return { name, instruction: isBroken ? broken(world, right) : right, broken: isBroken };
  }
}
