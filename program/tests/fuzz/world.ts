import * as client from '@karat/program-client';
import type { Address } from '@solana/kit';
import {
  addressOf,
  DAY,
  eight,
  type FreshOrder,
  hotKeysOf,
  keysOf,
  NOW,
  ONE,
  Scenario,
  settingsOf,
  termsOf,
  tokenAddress,
  ZERO_ADDRESS,
} from '../fixture.js';
import { Random } from './random.js';

/** A token account that the fuzzer watches. */
export interface Purse {
  owner: Address;
  token: 'Usdc' | 'Gold';
}

/** What is on the chain. */
export interface View {
  config: client.Config;
  integrators: Map<Address, client.Integrator>;
  proposal: client.SettingsProposal | undefined;
  balances: Map<Address, bigint>;
  frozen: Set<Address>;
  supply: bigint;
}

export interface Partner {
  id: Uint8Array;
  integrator: Address;
  vaultUsdc: Address;
  vaultGold: Address;
  orders: FreshOrder[];
}

/** An id of a redemption with its account. */
export interface Slot {
  id: Uint8Array;
  redemption: Address;
}

const KEYS = 10;
const PARTNERS = 2;
const SPARE_PARTNERS = 40;
const ORDERS = 40;
const SLOTS = 10;
/** Index of the state of a token account, and that of a frozen one. */
const TOKEN_STATE = 108;
const FROZEN = 2;

const bytesOf = (first: number, rest: number): Uint8Array => {
  const id = new Uint8Array(16).fill(rest);
  id[0] = first;
  return id;
};

/** The chain of the fuzzer, its people and what they may use. Keys of every role are of one pool, so that roles meet and part. */
export class World {
  /** Unix seconds. */
  now = NOW;
  price = { price: 4_100_00000000n, exponent: -8 };
  usdcPrice = 100_000_000n;
  /** When the prices were published, unix seconds. */
  pricedAt = NOW;
  readonly purses = new Map<Address, Purse>();
  /** Accounts that come and go: redemptions, receipts and spare partners; and those of them that are there. */
  private readonly coming = new Set<Address>();
  private readonly made = new Set<Address>();
  readonly partners: Partner[] = [];
  /** Partners that are not made yet. */
  readonly spares: Partner[] = [];
  readonly slots: Slot[] = [];
  readonly keys: Address[];
  readonly users: Address[];
  readonly feeAccounts: Address[];
  readonly treasuryAccounts: { usdc: Address[]; gold: Address[] };
  readonly scenario: Scenario;
  readonly random: Random;

  private constructor(scenario: Scenario, random: Random) {
    const { at } = scenario;
    this.scenario = scenario;
    this.random = random;
    this.keys = Array.from({ length: KEYS }, (_, index) => addressOf(`fuzz key ${index}`));
    this.users = [at.user, addressOf('fuzz user')];
    this.feeAccounts = [at.feeUsdc, addressOf('fuzz fees')];
    this.treasuryAccounts = {
      usdc: [at.treasuryUsdc, addressOf('fuzz treasury USDC')],
      gold: [at.treasuryGold, addressOf('fuzz treasury GOLD')],
    };
  }

  static async create(seed: number): Promise<World> {
    const scenario = await Scenario.blank();
    const world = new World(scenario, new Random(seed));
    await world.fill();
    world.open();
    return world;
  }

  /** Derives every address, and gives people tokens. */
  private async fill(): Promise<void> {
    const { at } = this.scenario;
    const known = [
      ...[...this.keys, ...this.users],
      ...[at.admin, at.withdrawOwner, at.withdrawalAuthority, addressOf('fuzz withdrawal')],
    ];
    for (const owner of known) {
      const amount = this.users.includes(owner) ? 1_000n * ONE : 0n;
      await this.addPurse(owner, amount);
    }
    for (const usdc of this.treasuryAccounts.usdc) this.watch(usdc, at.treasury, 'Usdc', 10_000_000n * ONE);
    for (const gold of this.treasuryAccounts.gold) this.watch(gold, at.treasury, 'Gold', 10_000n * ONE);
    for (const fees of this.feeAccounts) this.watch(fees, at.config, 'Usdc', 0n);
    this.watch(at.escrowGold, at.escrow, 'Gold', 20n * ONE);
    for (let index = 0; index < PARTNERS + SPARE_PARTNERS; index += 1) {
      const isSpare = index >= PARTNERS;
      const partner = await this.partner(bytesOf(index, 0xb0), isSpare ? 0 : ORDERS);
      (isSpare ? this.spares : this.partners).push(partner);
    }
    for (let index = 0; index < SLOTS; index += 1) {
      const id = bytesOf(index, 0xf0);
      this.slots.push({ id, redemption: (await client.findRedemptionPda({ id }))[0] });
    }
    for (const { redemption } of this.slots) this.coming.add(redemption);
    for (const { integrator } of this.spares) this.coming.add(integrator);
    for (const { orders } of this.partners) for (const { receipt } of orders) this.coming.add(receipt);
  }

  private async partner(id: Uint8Array, orders: number): Promise<Partner> {
    const [integrator] = await client.findIntegratorPda({ partnerId: id });
    const { usdcMint, goldMint } = this.scenario.at;
    const [vaultUsdc, vaultGold] = [
      await tokenAddress(integrator, usdcMint),
      await tokenAddress(integrator, goldMint),
    ];
    if (orders > 0) {
      this.watch(vaultUsdc, integrator, 'Usdc', 400_000n * ONE);
      this.watch(vaultGold, integrator, 'Gold', 100n * ONE);
    } else {
      this.scenario.setToken(vaultUsdc, { mint: usdcMint, owner: integrator });
      this.scenario.setToken(vaultGold, { mint: goldMint, owner: integrator });
    }
    const made: FreshOrder[] = [];
    for (let index = 0; index < orders; index += 1) {
      const order = bytesOf(index, 0xa0);
      made.push({ id: order, receipt: (await client.findReceiptPda({ integrator, id: order }))[0] });
    }
    return { id, integrator, vaultUsdc, vaultGold, orders: made };
  }

  private async addPurse(owner: Address, gold: bigint): Promise<void> {
    const { usdcMint, goldMint } = this.scenario.at;
    this.watch(await tokenAddress(owner, usdcMint), owner, 'Usdc', gold * 4_000n);
    this.watch(await tokenAddress(owner, goldMint), owner, 'Gold', gold);
  }

  private watch(address: Address, owner: Address, token: 'Usdc' | 'Gold', amount: bigint): void {
    const { usdcMint, goldMint } = this.scenario.at;
    this.scenario.setToken(address, { mint: token === 'Usdc' ? usdcMint : goldMint, owner, amount });
    this.purses.set(address, { owner, token });
  }

  /** The account of a token that belongs to `owner`, the first one that is watched. */
  purseOf(owner: Address, token: 'Usdc' | 'Gold'): Address | undefined {
    for (const [address, purse] of this.purses)
      if (purse.owner === owner && purse.token === token) return address;
    return undefined;
  }

  /** Initializes, opens the market, attests what there is, and makes the partners. */
  private open(): void {
    const { scenario } = this;
    const { at } = scenario;
    const total = [...this.purses].reduce(
      (sum, [address, { token }]) => sum + (token === 'Gold' ? scenario.balance(address) : 0n),
      0n,
    );
    const settings = { ...settingsOf(at), oppositeSideSeconds: 300, maxAttestationAge: 92 * DAY };
    scenario.mustSend([scenario.initialize({ hotKeys: hotKeysOf(at), settings })]);
    scenario.setGoldSupply(total);
    scenario.mustSend([
      scenario.resume(),
      scenario.setMarket(client.MarketState.Open),
      scenario.attest({ amount: total + 100n * ONE }),
    ]);
    for (const { id, integrator, vaultUsdc, vaultGold } of this.partners) {
      const terms = { ...termsOf(), ...keysOf(at), executiveCount: 1, executives: eight([at.executive]) };
      const made = scenario.createIntegrator({ ...terms, partnerId: id });
      const accounts = (made.accounts ?? []).map((meta) => {
        const replaced = {
          [at.integrator]: integrator,
          [at.vaultUsdc]: vaultUsdc,
          [at.vaultGold]: vaultGold,
        };
        return { ...meta, address: replaced[meta.address] ?? meta.address };
      });
      scenario.mustSend([{ ...made, accounts }]);
    }
  }

  /** Moves the clock, and the prices with it but for a few times. */
  passTime(seconds: bigint): void {
    const { random, scenario } = this;
    this.now += seconds;
    scenario.setTime(this.now);
    if (random.once(30)) return;
    const moved = (this.price.price * BigInt(995 + random.below(11))) / 1_000n + BigInt(random.below(1_000));
    const inside = moved > 2_000_00000000n && moved < 8_000_00000000n;
    this.price = { price: inside ? moved : 4_100_00000000n, exponent: -8 };
    this.usdcPrice = random.once(20) ? 97_000_000n : 100_000_000n;
    this.pricedAt = this.now;
    scenario.setPrice({ ...this.price, confidence: 1n, publishTime: this.now });
    scenario.setUsdcPrice({ price: this.usdcPrice, publishTime: this.now });
  }

  /** What is on the chain. After an instruction that is what was there before, but for the accounts of the instruction. */
  view(before?: View, accounts: Iterable<Address> = this.everything()): View {
    const { scenario } = this;
    const { at } = scenario;
    const touched = new Set(accounts);
    const balances = new Map(before?.balances);
    const frozen = new Set(before?.frozen);
    const integrators = new Map(before?.integrators);
    for (const address of touched) {
      if (this.purses.has(address)) {
        const { data } = scenario.account(address);
        balances.set(address, new DataView(data.buffer, data.byteOffset).getBigUint64(64, true));
        if (data[TOKEN_STATE] === FROZEN) frozen.add(address);
        else frozen.delete(address);
      } else if (this.coming.has(address)) this.note(address);
      if (this.partners.some(({ integrator }) => integrator === address))
        integrators.set(address, scenario.integrator(address));
    }
    const isOld = (address: Address) => before !== undefined && !touched.has(address);
    return {
      config: before && isOld(at.config) ? before.config : scenario.config(),
      integrators,
      proposal: isOld(at.settingsProposal) ? before?.proposal : this.proposal(),
      balances,
      frozen,
      supply: before && isOld(at.goldMint) ? before.supply : scenario.goldSupply(),
    };
  }

  private everything(): Address[] {
    return [...this.purses.keys(), ...this.partners.map(({ integrator }) => integrator)];
  }

  private proposal(): client.SettingsProposal | undefined {
    const account = this.scenario.svm.getAccount(this.scenario.at.settingsProposal);
    return account.exists && account.data.length > 0 ? this.scenario.settingsProposal() : undefined;
  }

  private note(address: Address): void {
    const account = this.scenario.svm.getAccount(address);
    if (account.exists && account.data.length > 0) this.made.add(address);
    else this.made.delete(address);
  }

  /** Whether a redemption, a receipt or a spare partner exists. */
  exists(address: Address): boolean {
    return this.made.has(address);
  }

  /** Sends a user's GOLD to escrow without a redemption, as the token program would; what is on the chain then. */
  strayDeposit(view: View): View {
    const [from, to] = [this.purseOf(this.random.pick(this.users), 'Gold'), view.config.escrowGold];
    if (!from || view.frozen.has(from)) return view;
    const amount = (view.balances.get(from) ?? 0n) / 50n;
    const move = (address: Address, change: bigint) =>
      this.scenario.patch(address, (data) => {
        const balance = new DataView(data.buffer);
        balance.setBigUint64(64, balance.getBigUint64(64, true) + change, true);
      });
    move(from, -amount);
    move(to, amount);
    return this.view(view, [from, to]);
  }

  /** A key of the pool, or none. */
  anyKey(): Address {
    return this.random.once(12) ? ZERO_ADDRESS : this.random.pick(this.keys);
  }
}
