import * as client from '@karat/program-client';
import { quoteBuy, quotePurchase, quoteSell } from '@karat/service/domain';
import type { Address, Instruction } from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import {
  addressOf,
  eight,
  type FreshOrder,
  type Inventory,
  inventory,
  NOW,
  ONE,
  RECEIVER_ADDRESS,
  type Scenario,
  settingsOf,
  signer,
  type Token,
  tokenAddress,
  ZERO_ADDRESS,
} from './fixture.js';
import { U64_MAX } from './numbers.js';

// A random walk over all instructions, beside a model of what the program must do with each. Balances follow from the events alone.

/** Pseudo-random numbers from a seed (SplitMix64, the upper half). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = BigInt(seed >>> 0);
  return (below) => {
    state = (state + 0x9e3779b97f4a7c15n) & U64_MAX;
    let mixed = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & U64_MAX;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & U64_MAX;
    return Number((mixed ^ (mixed >> 31n)) >> 32n) % below;
  };
}

interface Person {
  address: Address;
  usdc: Address;
  gold: Address;
}

interface Partner extends Person {
  /** `address` is the vault. */
  id: Uint8Array;
  integrator: Address;
  wallet: Address;
  /** Those that may become authorities, each with token accounts. */
  candidates: Person[];
}

type AuthorityName = 'updateAuthority' | 'withdrawalAuthority';
const authorityRoles = {
  updateAuthority: client.AuthorityRole.Update,
  withdrawalAuthority: client.AuthorityRole.Withdrawal,
};

interface SparePartner {
  partnerId: Uint8Array;
  integrator: Address;
  vaultUsdc: Address;
  vaultGold: Address;
}

/** What there was in 24 hours, by the hour. */
type Hours = Record<number, bigint>;

/** What the program must know of a partner. */
interface PartnerState {
  exists: boolean;
  dailyLimit: bigint;
  volume: Hours;
  suspended: boolean;
  feeBps: [open: number, closed: number];
  updateAuthority: number;
  withdrawalAuthority: number;
  /** Who is proposed as the update and as the withdrawal authority. */
  proposed: Partial<Record<AuthorityName, number>>;
  executives: Address[];
  /** Changes of the terms, once every step that was made has landed. */
  termsSeq: number;
  seq: bigint;
  /** The `seq` once every step that was made has landed. */
  issued: bigint;
}

/** What must be true of the chain. */
export interface Model {
  balances: Record<Address, bigint>;
  goldSupply: bigint;
  /** The clock, unix seconds. */
  now: bigint;
  /** Base units of GOLD; undefined before the first attestation. */
  attested: bigint | undefined;
  attestedAt: bigint;
  outflow: Record<Token, { limit: bigint; hours: Hours }>;
  seq: bigint;
  issued: bigint;
  admin: number;
  pendingAdmin: number | undefined;
  paused: number;
  closed: boolean;
  fee: number;
  partners: PartnerState[];
  /** Events of escrow. */
  escrowSeq: bigint;
  /** Of the slots of the world, those that are open. */
  redemptions: ({ user: number; amount: bigint } | undefined)[];
  /** Of the slots of the world, those of executed orders: from when their receipt can be closed, unix seconds. */
  orders: (bigint | undefined)[];
  /** Spare partners that are made. */
  spares: number;
}

/** Whose events an instruction counts with: a partner's, those of one that it makes, those of escrow or the config's. */
export type Counter = number | 'new' | 'escrow' | undefined;

/** An instruction with what must come of it. */
export interface Step {
  name: string;
  instruction: Instruction;
  /** The program's own, and whose events it counts with; undefined for a transfer between wallets. */
  event?: { partner: Counter; check: (event: client.KaratEvent, model: Model) => void };
  /** The change of a transfer that is no instruction of the program. */
  transfer?: (model: Model) => void;
}

const EXECUTIVES = Array.from({ length: 12 }, (_, index) => addressOf(`random executive ${index}`));
const RESERVE = 10n * ONE;
const SPARE_PARTNERS = 60;
const ORDERS = 100;
const MAX_ATTESTATION_AGE = 86_400;

/** What was counted in the hour of `now` and the 23 before it. */
export function dayOf(hours: Hours, now: bigint): bigint {
  const hour = Number(now / 3_600n);
  return Object.entries(hours).reduce(
    (sum, [at, amount]) => (Number(at) > hour - 24 ? sum + amount : sum),
    0n,
  );
}

function fail(message: string): never {
  throw new Error(message);
}

function at<T>(items: readonly T[], index: number): T {
  return items[index] ?? fail(`nothing at ${index}`);
}

/** People with accounts for both tokens, and the same amount of each. */
async function people(scenario: Scenario, names: string[], amount: bigint): Promise<Person[]> {
  const { usdcMint, goldMint } = scenario.at;
  return Promise.all(
    names.map(async (name) => {
      const address = addressOf(`random ${name}`);
      const usdc = await tokenAddress(address, usdcMint);
      const gold = await tokenAddress(address, goldMint);
      scenario.setToken(usdc, { mint: usdcMint, owner: address, amount: amount * 4_000n });
      scenario.setToken(gold, { mint: goldMint, owner: address, amount });
      return { address, usdc, gold };
    }),
  );
}

async function partner(scenario: Scenario, index: number): Promise<Partner> {
  const id = new Uint8Array(16).fill(index + 1);
  const [integrator] = await client.findIntegratorPda({ partnerId: id });
  const [vault] = await client.findVaultPda({ integrator });
  const { usdcMint, goldMint } = scenario.at;
  const usdc = await tokenAddress(vault, usdcMint);
  const gold = await tokenAddress(vault, goldMint);
  scenario.setToken(usdc, { mint: usdcMint, owner: vault, amount: 400_000n * ONE });
  scenario.setToken(gold, { mint: goldMint, owner: vault, amount: 100n * ONE });
  const candidates = await people(scenario, [`authority ${index} a`, `authority ${index} b`], ONE);
  return {
    id,
    integrator,
    address: vault,
    usdc,
    gold,
    wallet: addressOf(`random wallet ${index}`),
    candidates,
  };
}

/** Partners that are made and do nothing. */
async function sparePartners(scenario: Scenario): Promise<SparePartner[]> {
  const { usdcMint, goldMint } = scenario.at;
  const ids = Array.from({ length: SPARE_PARTNERS }, (_, index) => new Uint8Array(16).fill(index + 100));
  return Promise.all(
    ids.map(async (partnerId) => {
      const [integrator] = await client.findIntegratorPda({ partnerId });
      const [vault] = await client.findVaultPda({ integrator });
      const vaultUsdc = await tokenAddress(vault, usdcMint);
      const vaultGold = await tokenAddress(vault, goldMint);
      scenario.setToken(vaultUsdc, { mint: usdcMint, owner: vault });
      scenario.setToken(vaultGold, { mint: goldMint, owner: vault });
      return { partnerId, integrator, vaultUsdc, vaultGold };
    }),
  );
}

/** Ids of orders with their receipts: after a receipt is closed, the same may be executed again. The last one is for mistakes. */
async function orderSlots(): Promise<FreshOrder[]> {
  const ids = Array.from({ length: ORDERS + 1 }, (_, index) => new Uint8Array(16).fill(index + 1));
  return Promise.all(ids.map(async (id) => ({ id, receipt: (await client.findReceiptPda({ id }))[0] })));
}

/** Ids of redemptions with their accounts: after a settlement, the same may be opened again. */
async function redemptionSlots(): Promise<{ id: Uint8Array; redemption: Address }[]> {
  const ids = Array.from({ length: 12 }, (_, index) => new Uint8Array(16).fill(index + 1));
  return Promise.all(
    ids.map(async (id) => ({ id, redemption: (await client.findRedemptionPda({ id }))[0] })),
  );
}

/** What must be refused, with the error; made when it is tried. */
type Forbidden = [error: string, make: () => Instruction];

/** What is made once and used again. */
interface Slots {
  slots: { id: Uint8Array; redemption: Address }[];
  spares: SparePartner[];
  orders: FreshOrder[];
}

/** The chain, its people, and the generators of steps. */
export class RandomWorld {
  model: Model;
  price = { price: 4_100_00000000n, exponent: -8 };
  readonly scenario: Scenario;
  private readonly random: (below: number) => number;
  private readonly users: Person[];
  private readonly admins: Person[];
  /** Fee accounts, between which the program is switched. */
  private readonly fees: Address[];
  private readonly partners: Partner[];
  private readonly slots: { id: Uint8Array; redemption: Address }[];
  private readonly spares: SparePartner[];
  private readonly orders: FreshOrder[];

  private constructor(
    scenario: Scenario,
    random: (below: number) => number,
    cast: { users: Person[]; admins: Person[]; fees: Address[]; partners: Partner[] },
    { slots, spares, orders }: Slots,
  ) {
    this.slots = slots;
    this.orders = orders;
    this.spares = spares;
    this.scenario = scenario;
    this.random = random;
    this.users = cast.users;
    this.admins = cast.admins;
    this.fees = cast.fees;
    this.partners = cast.partners;
    const deployed = scenario.at;
    const accounts = [
      ...[...cast.users, ...cast.admins, ...cast.partners].flatMap(({ usdc, gold }) => [usdc, gold]),
      ...cast.fees,
      ...cast.partners.flatMap(({ candidates }) => candidates.flatMap(({ usdc, gold }) => [usdc, gold])),
      ...[deployed.treasuryUsdc, deployed.treasuryGold, deployed.escrowGold],
    ];
    this.model = {
      balances: Object.fromEntries(accounts.map((account) => [account, scenario.balance(account)])),
      goldSupply: 0n,
      now: NOW,
      attested: undefined,
      attestedAt: 0n,
      outflow: { Usdc: { limit: 0n, hours: {} }, Gold: { limit: 0n, hours: {} } },
      seq: 0n,
      issued: 0n,
      admin: 0,
      pendingAdmin: undefined,
      paused: 31,
      closed: true,
      fee: 0,
      partners: cast.partners.map(() => ({
        exists: false,
        dailyLimit: 0n,
        volume: {},
        suspended: false,
        feeBps: [50, 150],
        updateAuthority: 0,
        withdrawalAuthority: 0,
        proposed: {},
        executives: [],
        termsSeq: 0,
        seq: 0n,
        issued: 0n,
      })),
      escrowSeq: 0n,
      redemptions: slots.map(() => undefined),
      orders: orders.slice(0, ORDERS).map(() => undefined),
      spares: 0,
    };
    this.model.goldSupply = this.total('Gold');
    scenario.setMint(deployed.usdcMint, { supply: this.total('Usdc') });
  }

  static async create(scenario: Scenario, seed: number): Promise<RandomWorld> {
    const users = await people(scenario, ['user 1', 'user 2', 'user 3'], 100n * ONE);
    const admins = await people(scenario, ['admin 1', 'admin 2'], 10n * ONE);
    const { usdcMint, config, feeUsdc } = scenario.at;
    const fees = [feeUsdc, addressOf('random fees')];
    for (const account of fees) scenario.setToken(account, { mint: usdcMint, owner: config });
    const partners = await Promise.all([0, 1, 2].map((index) => partner(scenario, index)));
    const cast = { users, admins, fees, partners };
    const slots = await redemptionSlots();
    const spares = await sparePartners(scenario);
    const orders = await orderSlots();
    return new RandomWorld(scenario, randomNumbers(seed), cast, { slots, spares, orders });
  }

  /** What the model says all accounts of a token hold together, base units. */
  total(token: Token): bigint {
    const { at: deployed } = this.scenario;
    const lists = [this.users, this.admins, this.partners];
    const everybody = [...lists.flat(), ...this.partners.flatMap(({ candidates }) => candidates)];
    const accounts = everybody.map(({ usdc, gold }) => (token === 'Usdc' ? usdc : gold));
    accounts.push(
      ...(token === 'Usdc'
        ? [deployed.treasuryUsdc, ...this.fees]
        : [deployed.treasuryGold, deployed.escrowGold]),
    );
    return accounts.reduce((sum, account) => sum + this.balance(account), 0n);
  }

  /** A step that must land after those before it. */
  step(): Step {
    if (this.model.issued === 0n) {
      this.model.issued = 1n;
      return this.initialize();
    }
    for (;;) {
      const generator = at(generators, this.random(generators.length));
      const made = this[generator]();
      if (!made) continue;
      const partner = made.event?.partner;
      if (made.event && typeof partner !== 'string') this.counterOf(partner).issued += 1n;
      return made;
    }
  }

  /** Moves the clock by up to two hours, and the price by up to one percent within the band. */
  movePrice(): void {
    this.model.now += BigInt(this.random(7_200));
    this.scenario.setTime(this.model.now);
    const moved = (this.price.price * BigInt(990 + this.random(21))) / 1_000n + BigInt(this.random(1_000));
    const inside = moved > 2_000_00000000n && moved < 8_000_00000000n;
    this.price = { price: inside ? moved : 4_100_00000000n, exponent: -8 };
    this.scenario.setPrice({ ...this.price, confidence: 1n, publishTime: this.model.now });
  }

  /** An instruction that must be refused, with the error. */
  mistake(): { error: string; instruction: Instruction } {
    const partner = at(this.partners, 0);
    const state = at(this.model.partners, 0);
    const owner = at(partner.candidates, state.withdrawalAuthority);
    const mistakes = [
      { error: 'ZeroAmount', instruction: this.treasuryWithdrawOf('Usdc', 0n) },
      {
        error: this.model.outflow.Gold.limit > 0n ? 'DailyLimitExceeded' : 'InsufficientLiquidity',
        instruction: this.treasuryWithdrawOf('Gold', U64_MAX),
      },
      { error: 'NothingToSweep', instruction: this.sweepOf(U64_MAX, this.scenario.at.treasuryGold) },
      { error: 'Unauthorized', instruction: this.scenario.pause(1, addressOf('stranger')) },
      {
        error: 'NoExecutiveLeft',
        instruction: this.executivesOf(0, state.executives, []),
      },
      {
        error: this.model.paused & 4 ? 'Paused' : 'InsufficientFunds',
        instruction: this.withdrawOf(0, owner, 'Gold', U64_MAX),
      },
    ];
    return at(mistakes, this.random(mistakes.length));
  }

  /** Of what the program must refuse now, one of each sort: a paused kind, a second time, more than a limit. */
  someForbidden(): { error: string; instruction: Instruction }[] {
    const lists = [this.pausedKinds(), this.repetitions(), this.excesses()];
    return lists.flatMap((list) => {
      const [error, make] = list[this.random(Math.max(list.length, 1))] ?? [];
      return error && make ? [{ error, instruction: make() }] : [];
    });
  }

  private pausedKinds(): Forbidden[] {
    const { paused } = this.model;
    const user = at(this.users, 0);
    const partner = at(this.partners, 0);
    const { executives, withdrawalAuthority } = at(this.model.partners, 0);
    const owner = at(partner.candidates, withdrawalAuthority);
    const trade = {
      ...this.market(),
      ...at(this.orders, ORDERS),
      payer: signer(this.scenario.at.payer),
      ...{ integrator: partner.integrator, vault: partner.address, user: signer(user.address) },
      ...{ userUsdc: user.usdc, userGold: user.gold, vaultUsdc: partner.usdc, vaultGold: partner.gold },
      serviceSigner: signer(this.scenario.at.serviceSigner),
      partnerWallet: signer(partner.wallet),
      executive: signer(at(executives, 0)),
    };
    const any = { minUsdcOut: 0n, maxUsdcOut: U64_MAX };
    const kinds: [bit: number, make: () => Instruction][] = [
      [1, () => client.getBuyInstruction({ ...trade, usdcIn: ONE, minGoldOut: 0n, maxGoldOut: U64_MAX })],
      [1, () => client.getSellInstruction({ ...trade, goldIn: ONE, ...any })],
      [
        2,
        () =>
          client.getPartnerPurchaseInstruction({ ...trade, goldOut: ONE, maxUsdcIn: U64_MAX, minUsdcIn: 0n }),
      ],
      [2, () => client.getPartnerSaleInstruction({ ...trade, goldIn: ONE, ...any })],
      [4, () => this.withdrawOf(0, owner, 'Usdc', 1n)],
      [4, () => this.withdrawOf(0, owner, 'Gold', 1n)],
      ...this.slots.flatMap((slot, index): [number, () => Instruction][] =>
        this.model.redemptions[index]
          ? [[16, () => this.settlementOf(index, client.SettlementMode.Burn)]]
          : [
              [
                8,
                () =>
                  this.scenario.redeem({
                    ...slot,
                    user: signer(user.address),
                    userGold: user.gold,
                    amount: 1n,
                  }),
              ],
            ],
      ),
    ];
    return kinds.filter(([bit]) => paused & bit).map(([, make]) => ['Paused', make]);
  }

  /** Settlements of what is settled, redemptions under an id that is open, orders that are executed. */
  private repetitions(): Forbidden[] {
    const user = at(this.users, 0);
    const common = { user: signer(user.address), userGold: user.gold, amount: 1n };
    const { withdrawalAuthority } = at(this.model.partners, 0);
    const owner = at(at(this.partners, 0).candidates, withdrawalAuthority);
    const executed = this.model.paused & 4 ? [] : this.orders.filter((_, slot) => this.model.orders[slot]);
    const orders = executed.map(
      (order): Forbidden => ['OrderExecuted', () => this.withdrawOf(0, owner, 'Usdc', 1n, order)],
    );
    const redemptions = this.slots.flatMap((slot, index): Forbidden[] => {
      if (!this.model.redemptions[index])
        return [client.SettlementMode.Burn, client.SettlementMode.Refund].map((mode) => [
          'InvalidAccountOwner',
          () => this.settlementOf(index, mode),
        ]);
      if (this.model.paused & 8) return [];
      return [['AlreadyInitialized', () => this.scenario.redeem({ ...slot, ...common })]];
    });
    return this.random(2) ? orders : redemptions;
  }

  /** One base unit more than what a limit, escrow or the reserve allows. */
  private excesses(): Forbidden[] {
    const { now, outflow, attested, goldSupply } = this.model;
    const { escrowGold, treasuryGold } = this.scenario.at;
    const surplus = this.balance(escrowGold) - this.escrowOpen();
    const withdrawals = (['Usdc', 'Gold'] as const).flatMap((token): Forbidden[] => {
      const { limit, hours } = outflow[token];
      const room = limit - dayOf(hours, now);
      const amount = room > 0n ? room + 1n : 1n;
      const there = this.balance(this.scenario.at[`treasury${token}`]) >= amount;
      if (limit === 0n || !there) return [];
      return [['DailyLimitExceeded', () => this.treasuryWithdrawOf(token, amount)]];
    });
    const missing = attested === undefined ? 0n : attested - goldSupply + 1n;
    const mint: Forbidden = ['MintAboveAttestation', () => this.mintOf(missing > 0n ? missing : 1n)];
    return [
      ...withdrawals,
      ['NothingToSweep', () => this.sweepOf(surplus + 1n, treasuryGold)],
      ...(attested === undefined || now - this.model.attestedAt > MAX_ATTESTATION_AGE ? [] : [mint]),
    ];
  }

  /** Settings that the config starts with, and the fee account of the model. */
  settings() {
    const { at: deployed } = this.scenario;
    const withdrawOwners = [...this.admins.map(({ address }) => address), ZERO_ADDRESS, ZERO_ADDRESS];
    const { Usdc, Gold } = this.model.outflow;
    return {
      ...settingsOf(deployed),
      priceOwner: RECEIVER_ADDRESS,
      maxAgeClosed: 60,
      maxAttestationAge: MAX_ATTESTATION_AGE,
      withdrawOwners,
      dailyOutflowUsdc: Usdc.limit,
      dailyOutflowGold: Gold.limit,
    };
  }

  integratorAddress(index: number): Address {
    return at(this.partners, index).integrator;
  }

  feeBps(index: number): number {
    return at(at(this.model.partners, index).feeBps, this.model.closed ? 1 : 0);
  }

  authorityAddress(index: number, role: 'updateAuthority' | 'withdrawalAuthority'): Address {
    const state = at(this.model.partners, index);
    return at(at(this.partners, index).candidates, state[role]).address;
  }

  adminAddress(): Address {
    return at(this.admins, this.model.admin).address;
  }

  feeAddress(): Address {
    return at(this.fees, this.model.fee);
  }

  /** Base units of GOLD that open redemptions need. */
  escrowOpen(): bigint {
    return this.model.redemptions.reduce((sum, open) => sum + (open?.amount ?? 0n), 0n);
  }

  /** What the open redemptions on the chain hold together, base units of GOLD. */
  redemptionsOnChain(): bigint {
    return this.slots.reduce((sum, { redemption }) => {
      const account = this.scenario.svm.getAccount(redemption);
      const open = account.exists && account.data.length === client.getRedemptionSize();
      return open ? sum + client.getRedemptionDecoder().decode(account.data).amount : sum;
    }, 0n);
  }

  private balance(account: Address): bigint {
    return this.model.balances[account] ?? fail(`no balance of ${account}`);
  }

  /** A random part of what is above the reserve, a fiftieth at most, so that a batch never runs dry; undefined when that is little. */
  private part(account: Address, reserve = RESERVE): bigint | undefined {
    const most = (this.balance(account) - reserve) / 50n;
    return most < 20_000n ? undefined : 20_000n + (most * BigInt(this.random(1_000))) / 1_000n;
  }

  /** A partner that exists, or undefined. */
  private anyPartner(trading = true): number | undefined {
    const index = this.random(this.partners.length);
    const state = at(this.model.partners, index);
    return state.exists && !(trading && state.suspended) ? index : undefined;
  }

  private move(model: Model, from: Address, to: Address, amount: bigint): void {
    model.balances[from] = (model.balances[from] ?? fail(`no balance of ${from}`)) - amount;
    model.balances[to] = (model.balances[to] ?? fail(`no balance of ${to}`)) + amount;
  }

  /** The step of an instruction that moves no tokens. */
  private change(name: string, instruction: Instruction, partner?: Counter): Step {
    return { name, instruction, event: { partner, check: () => {} } };
  }

  private initialize(): Step {
    const { at: deployed } = this.scenario;
    return this.change(
      'initialize',
      client.getInitializeInstruction({
        ...deployed,
        feeUsdc: this.feeAddress(),
        payer: signer(deployed.payer),
        upgradeAuthority: signer(deployed.upgradeAuthority),
        admin: this.adminAddress(),
        ...this.settings(),
      }),
    );
  }

  private terms(index: number) {
    const state = at(this.model.partners, index);
    return {
      status: state.suspended ? client.IntegratorStatus.Suspended : client.IntegratorStatus.Active,
      openFeeBps: state.feeBps[0],
      closedFeeBps: state.feeBps[1],
      dailyLimitUsdc: state.dailyLimit,
    };
  }

  private counterOf(partner: number | undefined): { issued: bigint } {
    return partner === undefined ? this.model : at(this.model.partners, partner);
  }

  /** One that trades, while there is one to make, then one that does nothing. */
  createIntegrator(): Step | undefined {
    const index = this.model.partners.findIndex(({ exists }) => !exists);
    const existing = Math.max(index, 0);
    const spare = this.spares[this.model.spares];
    const { integrator, usdc, gold, id } = at(this.partners, existing);
    const made = index < 0 ? spare : { partnerId: id, integrator, vaultUsdc: usdc, vaultGold: gold };
    if (!made) return undefined;
    const executives = EXECUTIVES.slice(existing, existing + 3);
    if (index < 0) this.model.spares += 1;
    else Object.assign(at(this.model.partners, index), { exists: true, termsSeq: 1, executives });
    const instruction = client.getCreateIntegratorInstruction({
      payer: signer(this.scenario.at.payer),
      authority: signer(this.random(2) ? this.scenario.at.operations : this.adminAddress()),
      config: this.scenario.at.config,
      ...made,
      ...this.terms(existing),
      partnerWallet: at(this.partners, existing).wallet,
      updateAuthority: this.authorityAddress(existing, 'updateAuthority'),
      withdrawalAuthority: this.authorityAddress(existing, 'withdrawalAuthority'),
      executiveCount: executives.length,
      executives: eight(executives),
    });
    return this.change('createIntegrator', instruction, index < 0 ? 'new' : index);
  }

  updateIntegrator(): Step | undefined {
    const index = this.anyPartner(false);
    if (index === undefined) return undefined;
    const state = at(this.model.partners, index);
    state.suspended = this.random(4) === 0;
    state.dailyLimit = this.limit(state.volume, 40_000n * ONE);
    state.feeBps = [this.random(201), this.random(201)];
    const instruction = client.getUpdateIntegratorInstruction({
      authority: signer(this.random(2) ? this.scenario.at.operations : this.adminAddress()),
      config: this.scenario.at.config,
      integrator: this.integratorAddress(index),
      expectedTermsSeq: state.termsSeq,
      ...this.terms(index),
    });
    state.termsSeq += 1;
    return this.change('updateIntegrator', instruction, index);
  }

  /** A limit of 24 hours: none, one with room for this much more, or one that was exceeded before. */
  private limit(hours: Hours, room: bigint): bigint {
    const day = dayOf(hours, this.model.now);
    return at([0n, day + room, day / 2n + 1n], this.random(3));
  }

  /** Whether the limits allow it; counted if so. A sum is of USDC that a partner trades, and of what leaves the treasury. */
  private counts(partner: number | undefined, usdc: bigint, token: Token, out: bigint): boolean {
    const { now, outflow } = this.model;
    const state = partner === undefined ? undefined : at(this.model.partners, partner);
    const counters = [
      { ...outflow[token], amount: out },
      ...(state ? [{ limit: state.dailyLimit, hours: state.volume, amount: usdc }] : []),
    ];
    const fits = counters.every(
      ({ limit, hours, amount }) => limit === 0n || dayOf(hours, now) + amount <= limit,
    );
    const hour = Number(now / 3_600n);
    if (fits) for (const { hours, amount } of counters) hours[hour] = (hours[hour] ?? 0n) + amount;
    return fits;
  }

  updateConfig(): Step {
    for (const token of ['Usdc', 'Gold'] as const) {
      const counter = this.model.outflow[token];
      counter.limit = this.limit(counter.hours, this.balance(this.scenario.at[`treasury${token}`]) / 20n);
    }
    const instruction = client.getUpdateConfigInstruction({
      config: this.scenario.at.config,
      admin: signer(this.adminAddress()),
      expectedSeq: this.model.issued,
      ...this.settings(),
    });
    return this.change('updateConfig', instruction);
  }

  rotateAccounts(): Step {
    this.model.fee = this.random(this.fees.length);
    const { config, treasuryUsdc, treasuryGold } = this.scenario.at;
    const instruction = client.getRotateAccountsInstruction({
      ...{ config, treasuryUsdc, treasuryGold },
      admin: signer(this.adminAddress()),
      feeUsdc: this.feeAddress(),
      expectedSeq: this.model.issued,
    });
    return this.change('rotateAccounts', instruction);
  }

  proposeAdmin(): Step {
    const next = this.random(this.admins.length);
    const instruction = client.getProposeAdminInstruction({
      config: this.scenario.at.config,
      admin: signer(this.adminAddress()),
      newAdmin: at(this.admins, next).address,
    });
    this.model.pendingAdmin = next;
    return this.change('proposeAdmin', instruction);
  }

  acceptAdmin(): Step | undefined {
    const next = this.model.pendingAdmin;
    if (next === undefined) return undefined;
    this.model.admin = next;
    this.model.pendingAdmin = undefined;
    return this.change('acceptAdmin', this.scenario.acceptAdmin(this.adminAddress()));
  }

  pause(): Step | undefined {
    if (this.random(3) > 0) return undefined;
    const mask = 1 + this.random(31);
    this.model.paused |= mask;
    return this.change('pause', this.scenario.pause(mask));
  }

  resume(): Step {
    const mask = this.random(3) === 0 ? 1 + this.random(31) : 31;
    this.model.paused &= ~mask;
    const instruction = client.getResumeInstruction({
      config: this.scenario.at.config,
      admin: signer(this.adminAddress()),
      mask,
      expectedSeq: this.model.issued,
    });
    return this.change('resume', instruction);
  }

  setMarket(): Step {
    this.model.closed = this.random(3) === 0;
    const state = this.model.closed ? client.MarketState.Closed : client.MarketState.Open;
    return this.change('setMarket', this.scenario.setMarket(state));
  }

  /** A partner that exists, and one of its authorities. */
  private anyAuthority() {
    const index = this.anyPartner(false);
    if (index === undefined) return undefined;
    const name: AuthorityName = this.random(2) ? 'updateAuthority' : 'withdrawalAuthority';
    const state = at(this.model.partners, index);
    const accounts = { config: this.scenario.at.config, integrator: this.integratorAddress(index) };
    const keyOf = (candidate: number) => at(at(this.partners, index).candidates, candidate).address;
    return { index, name, state, accounts, keyOf, role: authorityRoles[name] };
  }

  handOverAuthority(): Step | undefined {
    const one = this.anyAuthority();
    if (!one) return undefined;
    const { index, name, state, accounts, keyOf, role } = one;
    const holder = signer(keyOf(state[name]));
    state[name] = 1 - state[name];
    delete state.proposed[name];
    const key = keyOf(state[name]);
    const instruction = client.getHandOverAuthorityInstruction({ ...accounts, holder, role, key });
    return this.change('handOverAuthority', instruction, index);
  }

  proposeAuthority(): Step | undefined {
    const one = this.anyAuthority();
    if (!one) return undefined;
    const { index, name, state, accounts, keyOf, role } = one;
    state.proposed[name] = 1 - state[name];
    const key = keyOf(1 - state[name]);
    const admin = signer(this.adminAddress());
    const instruction = client.getProposeAuthorityInstruction({ ...accounts, admin, role, key });
    return this.change('proposeAuthority', instruction, index);
  }

  /** What is proposed for an authority that something is proposed for. */
  private anyProposal() {
    const one = this.anyAuthority();
    const candidate = one?.state.proposed[one.name];
    if (!one || candidate === undefined) return undefined;
    delete one.state.proposed[one.name];
    return { ...one, candidate, key: one.keyOf(candidate) };
  }

  cancelAuthority(): Step | undefined {
    const proposal = this.anyProposal();
    if (!proposal) return undefined;
    const { index, state, accounts, keyOf, role, key } = proposal;
    const by = [keyOf(state.updateAuthority), keyOf(state.withdrawalAuthority), this.adminAddress()];
    const authority = signer(at(by, this.random(by.length)));
    const instruction = client.getCancelAuthorityInstruction({ ...accounts, authority, role, key });
    return this.change('cancelAuthority', instruction, index);
  }

  applyAuthority(): Step | undefined {
    const proposal = this.anyProposal();
    if (!proposal) return undefined;
    const { index, name, state, accounts, role, key, candidate } = proposal;
    state[name] = candidate;
    const admin = signer(this.adminAddress());
    const instruction = client.getApplyAuthorityInstruction({ ...accounts, admin, role, key });
    return this.change('applyAuthority', instruction, index);
  }

  private executivesOf(index: number, remove: Address[], add: Address[]): Instruction {
    return client.getUpdateExecutivesInstruction({
      config: this.scenario.at.config,
      integrator: this.integratorAddress(index),
      updateAuthority: signer(this.authorityAddress(index, 'updateAuthority')),
      removeCount: remove.length,
      remove: eight(remove),
      addCount: add.length,
      add: eight(add),
    });
  }

  updateExecutives(): Step | undefined {
    const index = this.anyPartner(false);
    if (index === undefined) return undefined;
    const state = at(this.model.partners, index);
    const remove = state.executives.filter(() => this.random(3) === 0);
    const kept = state.executives.filter((executive) => !remove.includes(executive));
    const free = EXECUTIVES.filter((executive) => !state.executives.includes(executive));
    const add = free.filter(() => this.random(3) === 0).slice(0, 8 - kept.length);
    if (kept.length + add.length === 0 || remove.length + add.length === 0) return undefined;
    state.executives = [...kept, ...add];
    return this.change('updateExecutives', this.executivesOf(index, remove, add), index);
  }

  private market() {
    const { at: deployed } = this.scenario;
    return {
      config: deployed.config,
      treasuryAuthority: deployed.treasury,
      treasuryUsdc: deployed.treasuryUsdc,
      treasuryGold: deployed.treasuryGold,
      feeUsdc: this.feeAddress(),
      usdcMint: deployed.usdcMint,
      goldMint: deployed.goldMint,
      priceAccount: deployed.priceAccount,
      id: new Uint8Array(16),
      maxFeeBps: 10_000,
      expireAt: this.model.now,
    };
  }

  /** The accounts of a random user's trade through a random partner. */
  private userTrade() {
    const index = this.model.paused & 1 ? undefined : this.anyPartner();
    if (index === undefined) return undefined;
    const trader = at(this.users, this.random(this.users.length));
    const accounts = {
      ...this.market(),
      integrator: this.integratorAddress(index),
      serviceSigner: signer(this.scenario.at.serviceSigner),
      partnerWallet: signer(at(this.partners, index).wallet),
      user: signer(trader.address),
      userUsdc: trader.usdc,
      userGold: trader.gold,
    };
    return { index, trader, accounts, feeBps: this.feeBps(index) };
  }

  /** The accounts of a trade of a random partner's vault, signed by a random executive. */
  private vaultTrade() {
    const index = this.model.paused & 2 ? undefined : this.anyPartner();
    const order = this.model.orders.indexOf(undefined);
    const slot = this.orders[order];
    if (index === undefined || !slot) return undefined;
    const trader = at(this.partners, index);
    const { executives } = at(this.model.partners, index);
    const accounts = {
      ...this.market(),
      integrator: trader.integrator,
      executive: signer(at(executives, this.random(executives.length))),
      vault: trader.address,
      vaultUsdc: trader.usdc,
      vaultGold: trader.gold,
      payer: signer(this.scenario.at.payer),
      ...slot,
    };
    return { index, trader, order, accounts, feeBps: this.feeBps(index) };
  }

  /** A step that trades `wanted`; the balances of the model follow the event. */
  private exchange(
    name: string,
    { index, trader, order }: { index: number; trader: Person; order?: number },
    instruction: Instruction,
    wanted: { amountIn: bigint; amountOut: bigint; fee: bigint },
  ): Step | undefined {
    const { at: deployed } = this.scenario;
    const fees = this.feeAddress();
    const buys = name === 'buy' || name === 'partnerPurchase';
    const paid = wanted.amountOut + wanted.fee;
    const allowed = buys
      ? this.counts(index, wanted.amountIn, 'Gold', wanted.amountOut)
      : this.counts(index, paid, 'Usdc', paid);
    if (!allowed) return undefined;
    if (order !== undefined) this.execute(order);
    const check = (event: client.KaratEvent, model: Model) => {
      const { amountIn, amountOut, fee } = event;
      if (amountIn !== wanted.amountIn || amountOut !== wanted.amountOut || fee !== wanted.fee)
        fail(`${name} of ${amountIn} for ${amountOut} and ${fee} instead of ${Object.values(wanted)}`);
      if (buys) {
        this.move(model, trader.usdc, deployed.treasuryUsdc, amountIn - fee);
        this.move(model, trader.usdc, fees, fee);
        this.move(model, deployed.treasuryGold, trader.gold, amountOut);
      } else {
        this.move(model, trader.gold, deployed.treasuryGold, amountIn);
        this.move(model, deployed.treasuryUsdc, trader.usdc, amountOut);
        this.move(model, deployed.treasuryUsdc, fees, fee);
      }
    };
    return { name, instruction, event: { partner: index, check } };
  }

  buy(): Step | undefined {
    const trade = this.userTrade();
    const usdcIn = trade && this.part(trade.trader.usdc);
    if (!trade || !usdcIn || !this.part(this.scenario.at.treasuryGold)) return undefined;
    const { goldOut, fee } = quoteBuy({ usdcIn, feeBps: trade.feeBps, ...this.price });
    const instruction = client.getBuyInstruction({
      ...trade.accounts,
      usdcIn,
      minGoldOut: goldOut,
      maxGoldOut: goldOut,
    });
    return this.exchange('buy', trade, instruction, { amountIn: usdcIn, amountOut: goldOut, fee });
  }

  sell(): Step | undefined {
    const trade = this.userTrade();
    const goldIn = trade && this.part(trade.trader.gold);
    if (!trade || !goldIn || !this.part(this.scenario.at.treasuryUsdc)) return undefined;
    const { usdcOut, fee } = quoteSell({ goldIn, feeBps: trade.feeBps, ...this.price });
    const instruction = client.getSellInstruction({
      ...trade.accounts,
      goldIn,
      minUsdcOut: usdcOut,
      maxUsdcOut: usdcOut,
    });
    return this.exchange('sell', trade, instruction, { amountIn: goldIn, amountOut: usdcOut, fee });
  }

  partnerPurchase(): Step | undefined {
    const trade = this.vaultTrade();
    const most = trade && this.part(trade.trader.usdc);
    if (!trade || !most || !this.part(this.scenario.at.treasuryGold)) return undefined;
    const goldOut = most / 10_000n;
    const { usdcIn, fee } = quotePurchase({ goldOut, feeBps: trade.feeBps, ...this.price });
    const instruction = client.getPartnerPurchaseInstruction({
      ...trade.accounts,
      goldOut,
      maxUsdcIn: usdcIn,
      minUsdcIn: usdcIn,
    });
    return this.exchange('partnerPurchase', trade, instruction, {
      amountIn: usdcIn,
      amountOut: goldOut,
      fee,
    });
  }

  partnerSale(): Step | undefined {
    const trade = this.vaultTrade();
    const goldIn = trade && this.part(trade.trader.gold);
    if (!trade || !goldIn || !this.part(this.scenario.at.treasuryUsdc)) return undefined;
    const { usdcOut, fee } = quoteSell({ goldIn, feeBps: trade.feeBps, ...this.price });
    const instruction = client.getPartnerSaleInstruction({
      ...trade.accounts,
      goldIn,
      minUsdcOut: usdcOut,
      maxUsdcOut: usdcOut,
    });
    return this.exchange('partnerSale', trade, instruction, { amountIn: goldIn, amountOut: usdcOut, fee });
  }

  /** A step that moves `amount` from one account to another, or burns it. */
  private payout(
    name: string,
    instruction: Instruction,
    amount: bigint,
    { from, to, partner }: { from: Address; to: Address | undefined; partner?: Counter },
  ): Step {
    const check = (event: client.KaratEvent, model: Model) => {
      if (event.amountIn !== amount || event.amountOut !== (to ? amount : 0n))
        fail(`${name} of ${event.amountIn}`);
      if (to) this.move(model, from, to, event.amountOut);
      else model.balances[from] = (model.balances[from] ?? 0n) - event.amountIn;
      if (!to) model.goldSupply -= event.amountIn;
    };
    return { name, instruction, event: { partner, check } };
  }

  private mint(token: Token): Address {
    return token === 'Usdc' ? this.scenario.at.usdcMint : this.scenario.at.goldMint;
  }

  /** Writes down that the order of a slot is executed. */
  private execute(slot: number): void {
    this.model.orders[slot] = this.model.now + 3_600n;
  }

  closeReceipt(): Step | undefined {
    const slot = this.model.orders.findIndex(
      (closable) => closable !== undefined && closable < this.model.now,
    );
    if (slot < 0) return undefined;
    this.model.orders[slot] = undefined;
    const instruction = this.scenario.closeReceipt(at(this.orders, slot));
    return { name: 'closeReceipt', instruction };
  }

  /** By an order that is never executed, unless given otherwise. */
  private withdrawOf(
    index: number,
    owner: Person,
    token: Token,
    amount: bigint,
    order = at(this.orders, ORDERS),
  ): Instruction {
    const { integrator, address, usdc, gold } = at(this.partners, index);
    return client.getPartnerWithdrawInstruction({
      config: this.scenario.at.config,
      integrator,
      withdrawalAuthority: signer(owner.address),
      vault: address,
      vaultToken: token === 'Usdc' ? usdc : gold,
      destination: token === 'Usdc' ? owner.usdc : owner.gold,
      mint: this.mint(token),
      amount,
      payer: signer(this.scenario.at.payer),
      expireAt: this.model.now,
      ...order,
    });
  }

  partnerWithdraw(): Step | undefined {
    const index = this.model.paused & 4 ? undefined : this.anyPartner(false);
    if (index === undefined) return undefined;
    const token = this.random(2) ? 'Usdc' : 'Gold';
    const vault = at(this.partners, index);
    const owner = at(vault.candidates, at(this.model.partners, index).withdrawalAuthority);
    const [from, to] = token === 'Usdc' ? [vault.usdc, owner.usdc] : [vault.gold, owner.gold];
    const amount = this.part(from);
    const slot = this.model.orders.indexOf(undefined);
    if (!amount || slot < 0) return undefined;
    this.execute(slot);
    const instruction = this.withdrawOf(index, owner, token, amount, at(this.orders, slot));
    return this.payout('partnerWithdraw', instruction, amount, { from, to, partner: index });
  }

  /** The account that it comes from: of fees, the one of now. */
  private sourceOf(from: Inventory): Address {
    return from === 'Fees' ? this.feeAddress() : this.scenario.at[inventory[from].account];
  }

  private treasuryWithdrawOf(from: Inventory, amount: bigint): Instruction {
    const { at: deployed } = this.scenario;
    const admin = at(this.admins, this.model.admin);
    const { authority, token } = inventory[from];
    return client.getTreasuryWithdrawInstruction({
      config: deployed.config,
      admin: signer(admin.address),
      treasuryAuthority: deployed[authority],
      treasuryToken: this.sourceOf(from),
      destination: token === 'Usdc' ? admin.usdc : admin.gold,
      mint: this.mint(token),
      amount,
    });
  }

  treasuryWithdraw(): Step | undefined {
    const source = at(['Usdc', 'Gold', 'Fees'] as const, this.random(3));
    const from = this.sourceOf(source);
    const { token } = inventory[source];
    const admin = at(this.admins, this.model.admin);
    const amount = this.part(from);
    if (!amount || !this.counts(undefined, 0n, token, amount)) return undefined;
    const to = token === 'Usdc' ? admin.usdc : admin.gold;
    return this.payout('treasuryWithdraw', this.treasuryWithdrawOf(source, amount), amount, { from, to });
  }

  redeem(): Step | undefined {
    const slot = this.model.redemptions.indexOf(undefined);
    if (slot < 0 || this.model.paused & 8) return undefined;
    const index = this.random(this.users.length);
    const user = at(this.users, index);
    const amount = this.part(user.gold);
    if (!amount) return undefined;
    this.model.redemptions[slot] = { user: index, amount };
    const instruction = this.scenario.redeem({
      ...at(this.slots, slot),
      user: signer(user.address),
      userGold: user.gold,
      amount,
    });
    const to = this.scenario.at.escrowGold;
    return this.payout('redeem', instruction, amount, { from: user.gold, to, partner: 'escrow' });
  }

  private settlementOf(slot: number, mode: client.SettlementMode, destination?: Address): Instruction {
    const { userGold, escrowGold } = this.scenario.at;
    const usual = mode === client.SettlementMode.Burn ? escrowGold : userGold;
    return this.scenario.settleRedemption(mode, {
      ...at(this.slots, slot),
      destination: destination ?? usual,
    });
  }

  settleRedemption(): Step | undefined {
    const slot = this.random(this.slots.length);
    const open = this.model.redemptions[slot];
    if (!open || this.model.paused & 16) return undefined;
    this.model.redemptions[slot] = undefined;
    const { escrowGold } = this.scenario.at;
    const to = this.random(2) ? at(this.users, open.user).gold : undefined;
    const mode = to ? client.SettlementMode.Refund : client.SettlementMode.Burn;
    const instruction = this.settlementOf(slot, mode, to);
    const accounts = { from: escrowGold, to, partner: 'escrow' } as const;
    return this.payout('settleRedemption', instruction, open.amount, accounts);
  }

  private sweepOf(amount: bigint, destination: Address): Instruction {
    return this.scenario.sweepEscrow({ admin: signer(this.adminAddress()), destination, amount });
  }

  sweepEscrow(): Step | undefined {
    const { escrowGold, treasuryGold } = this.scenario.at;
    const amount = this.part(escrowGold, this.escrowOpen());
    if (!amount) return undefined;
    const to = this.random(2) ? treasuryGold : at(this.users, this.random(this.users.length)).gold;
    const accounts = { from: escrowGold, to, partner: 'escrow' } as const;
    return this.payout('sweepEscrow', this.sweepOf(amount, to), amount, accounts);
  }

  /** Sometimes there is less gold than tokens. */
  attest(): Step {
    const { goldSupply, now } = this.model;
    const more = ONE + BigInt(this.random(1_000_000));
    this.model.attested = this.random(4) ? goldSupply + more : goldSupply - more;
    this.model.attestedAt = now;
    const instruction = this.scenario.attest({ amount: this.model.attested, asOf: now });
    return this.change('attest', instruction);
  }

  private mintOf(amount: bigint): Instruction {
    return client.getMintGoldInstruction({
      ...this.scenario.at,
      admin: signer(this.adminAddress()),
      treasuryAuthority: this.scenario.at.treasury,
      amount,
    });
  }

  mintGold(): Step | undefined {
    const { attested = 0n, attestedAt, goldSupply, now } = this.model;
    const room = attested - goldSupply;
    if (room <= 0n || now - attestedAt > MAX_ATTESTATION_AGE) return undefined;
    // So little that a batch never mints all that there is room for.
    const amount = 1n + BigInt(this.random(Number(room / 1_000n) + 1));
    const { treasuryGold } = this.scenario.at;
    const check = (event: client.KaratEvent, model: Model) => {
      if (event.amountIn !== 0n || event.amountOut !== amount) fail(`mintGold of ${event.amountOut}`);
      model.balances[treasuryGold] = (model.balances[treasuryGold] ?? 0n) + event.amountOut;
      model.goldSupply += event.amountOut;
      if (model.goldSupply > attested) fail(`${model.goldSupply} GOLD while ${attested} were attested`);
    };
    return { name: 'mintGold', instruction: this.mintOf(amount), event: { partner: undefined, check } };
  }

  /** A transfer that the program has no part in: a stray deposit into escrow, or tokens that go back where they came from. */
  transfer(): Step | undefined {
    const { at: deployed } = this.scenario;
    const user = at(this.users, this.random(this.users.length));
    const admin = at(this.admins, this.random(this.admins.length));
    const vault = at(this.partners, this.random(this.partners.length));
    const authority = at(vault.candidates, this.random(vault.candidates.length));
    const ways: [owner: Person, token: Token, to: Address][] = [
      [user, 'Gold', deployed.escrowGold],
      [admin, 'Usdc', deployed.treasuryUsdc],
      [admin, 'Gold', deployed.treasuryGold],
      [authority, 'Usdc', vault.usdc],
      [authority, 'Gold', vault.gold],
    ];
    const [owner, token, to] = at(ways, this.random(ways.length));
    const from = token === 'Usdc' ? owner.usdc : owner.gold;
    const amount = this.part(from, 0n);
    if (!amount) return undefined;
    const instruction = getTransferCheckedInstruction({
      source: from,
      mint: this.mint(token),
      destination: to,
      authority: signer(owner.address),
      amount,
      decimals: 6,
    });
    return { name: 'transfer', instruction, transfer: (model) => this.move(model, from, to, amount) };
  }
}

/** Names of the generators; trades stand there more than once because they are what the chain sees most. */
const generators = [
  ...([
    'buy',
    'sell',
    'partnerPurchase',
    'partnerSale',
    'buy',
    'sell',
    'partnerPurchase',
    'partnerSale',
  ] as const),
  ...([
    'partnerWithdraw',
    'treasuryWithdraw',
    'redeem',
    'redeem',
    'settleRedemption',
    'settleRedemption',
    'sweepEscrow',
    'attest',
    'mintGold',
    'updateExecutives',
    'transfer',
    'transfer',
    'closeReceipt',
    'closeReceipt',
    'closeReceipt',
    'closeReceipt',
  ] as const),
  ...([
    'createIntegrator',
    'updateIntegrator',
    'handOverAuthority',
    'proposeAuthority',
    'cancelAuthority',
    'applyAuthority',
    'updateConfig',
    'proposeAdmin',
    'acceptAdmin',
    'pause',
    'resume',
    'resume',
    'setMarket',
    'rotateAccounts',
  ] as const),
];
