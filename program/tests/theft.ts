import * as client from '@karat/program-client';
import {
  AccountRole,
  type Address,
  type EncodedAccount,
  type Instruction,
  lamports,
  type SignatureBytes,
} from '@solana/kit';
import { AccountState, getMintDecoder, getTokenDecoder } from '@solana-program/token';
import { FailedTransactionMetadata } from 'litesvm';
import { idl } from '../idl.js';
import {
  addressOf,
  NOW,
  ONE,
  PROGRAM_ADDRESS,
  receiptOf,
  Scenario,
  SYSTEM_ADDRESS,
  signer,
  TOKEN_2022_PROGRAM_ADDRESS,
  tokenAddress,
  ZERO_ADDRESS,
} from './fixture.js';
import { U64_MAX } from './numbers.js';

// A chain on which every instruction would land if the right keys signed it, and a thief who has one of them beside a key of his own, which
// has no role. He signs as any of the two wherever an instruction wants a signature, and sends what it pays out to his own accounts.

/** The accounts of every instruction of the program, by its name. */
export const instructions = new Map(
  idl.program.instructions.map(({ name, accounts }) => [
    name as string,
    accounts.map((account) => ({ name: account.name as string, signs: account.isSigner === true })),
  ]),
);

/** Most base units in 24 hours: that the partner trades, that leave the treasury. */
export const limits = {
  dailyLimitUsdc: 100_000n * ONE,
  dailyOutflowUsdc: 500_000n * ONE,
  dailyOutflowGold: 120n * ONE,
  dailyMint: 1_000n * ONE,
};

const authorityRoles = [
  client.AuthorityRole.Wallet,
  client.AuthorityRole.Update,
  client.AuthorityRole.Withdrawal,
];

/** What the thief sends: an instruction as its rightful signers would, for the amount if it has one. */
type Attempt = (amount: bigint) => Instruction;

/** The thief's world. Nothing that is tried changes it. */
export class Theft {
  readonly thief = addressOf('thief');
  readonly nextAdmin = addressOf('next admin');
  private readonly rotatedFees = addressOf('rotated fees');
  readonly nextAuthority = addressOf('next update authority');
  readonly scenario: Scenario;
  private readonly other: Awaited<ReturnType<typeof otherAddresses>>;
  /** The token accounts of those who may receive. */
  private readonly purses = new Map<Address, { usdc: Address; gold: Address }>();

  private constructor(scenario: Scenario, other: Awaited<ReturnType<typeof otherAddresses>>) {
    this.scenario = scenario;
    this.other = other;
  }

  static async create(keys: Address[]): Promise<Theft> {
    const scenario = await Scenario.create();
    const theft = new Theft(scenario, await otherAddresses());
    const { usdcMint, goldMint } = scenario.at;
    for (const owner of [theft.thief, ...keys]) {
      const usdc = await tokenAddress(owner, usdcMint);
      const gold = await tokenAddress(owner, goldMint);
      theft.purses.set(owner, { usdc, gold });
      scenario.setToken(usdc, { mint: usdcMint, owner, amount: 10_000n * ONE });
      scenario.setToken(gold, { mint: goldMint, owner, amount: 10n * ONE });
      scenario.svm.airdrop(owner, lamports(10_000_000_000n));
    }
    theft.arrange();
    return theft;
  }

  /** An open redemption of 5 GOLD, an order of long ago, proposed keys, a partner that is about to be made, and the limits. */
  private arrange(): void {
    const { scenario, other } = this;
    const { usdcMint, goldMint, integrator } = scenario.at;
    scenario.setToken(this.rotatedFees, { mint: usdcMint, owner: scenario.at.config });
    scenario.setToken(other.vaultUsdc, { mint: usdcMint, owner: other.integrator });
    scenario.setToken(other.vaultGold, { mint: goldMint, owner: other.integrator });
    const before = NOW - 10_000n;
    scenario.setTime(before);
    const { id, receipt } = other;
    scenario.mustSend([scenario.partnerWithdraw('Usdc', ONE, { id, receipt, expireAt: before })]);
    const { vaultUsdc, withdrawalUsdc, withdrawalAuthority } = scenario.at;
    scenario.setToken(vaultUsdc, { mint: usdcMint, owner: integrator, amount: 100_000n * ONE });
    scenario.setToken(withdrawalUsdc, { mint: usdcMint, owner: withdrawalAuthority });
    scenario.setTime(NOW);
    scenario.mustSend([
      scenario.redeem({ amount: 5n * ONE }),
      scenario.proposeAuthority(client.AuthorityRole.Update, this.nextAuthority),
    ]);
    const { dailyLimitUsdc, ...treasury } = limits;
    scenario.setSettings(treasury);
    scenario.setIntegrator({ dailyLimitUsdc });
    scenario.mustSend([scenario.proposeSettings({ maxAgeOpen: 30 })]);
    this.passDelays();
    scenario.snapshot();
  }

  /** Every delay is over: what was proposed and announced can be done this second. */
  private passDelays(): void {
    const { scenario, nextAdmin, nextAuthority } = this;
    const [wallet, , withdrawal] = scenario.integrator().proposals;
    if (!wallet || !withdrawal) throw new Error('a partner has three roles');
    const proposals = [wallet, { key: nextAuthority, readyAt: NOW }, withdrawal];
    scenario.setIntegrator({ proposals });
    scenario.setConfig({ adminProposal: { key: nextAdmin, readyAt: NOW } });
    scenario.setRedemption({ burnReadyAt: NOW });
    const proposal = { ...scenario.settingsProposal(), readyAt: NOW };
    const data = client.getSettingsProposalEncoder().encode(proposal);
    scenario.setAccount(scenario.at.settingsProposal, PROGRAM_ADDRESS, new Uint8Array(data));
  }

  /** Puts the chain into the state in which the instruction lands if the right keys sign it. */
  private arrangeFor(name: string): void {
    const { scenario } = this;
    const { at } = scenario;
    scenario.reset();
    if (name === 'proposeSettings')
      scenario.setAccount(at.settingsProposal, SYSTEM_ADDRESS, new Uint8Array(), 0n);
    if (name === 'announceBurn') scenario.setRedemption({ burnReadyAt: 0n });
    if (name === 'reclaimRedemption') scenario.setRedemption({ burnReadyAt: 0n, reclaimableAt: NOW });
    if (name === 'resume') scenario.setConfig({ paused: 63, treasuryPausedUntil: NOW + 1n });
    if (name === 'thawAccount')
      scenario.setToken(at.userGold, {
        mint: at.goldMint,
        owner: at.user,
        amount: 50n * ONE,
        state: AccountState.Frozen,
      });
  }

  get thiefUsdc(): Address {
    return this.purse(this.thief).usdc;
  }

  get thiefGold(): Address {
    return this.purse(this.thief).gold;
  }

  /** All settings in favour of the thief, each another than it is. */
  takeOver(): Instruction {
    const { thief } = this;
    return this.scenario.proposeSettings({
      attestor: thief,
      priceAccount: thief,
      priceOwner: thief,
      usdcPriceAccount: thief,
      minPriceE8: 1n,
      maxPriceE8: U64_MAX,
      maxTradeUsdc: U64_MAX,
      maxAgeOpen: 300,
      maxAgeClosed: 604_800,
      maxConfBps: 500,
      maxFeeBps: 1_000,
      withdrawOwners: [thief, ZERO_ADDRESS, ZERO_ADDRESS, ZERO_ADDRESS],
      dailyOutflowUsdc: U64_MAX,
      dailyOutflowGold: U64_MAX,
      dailyMint: U64_MAX,
      requireBacking: 0,
    });
  }

  /** The instructions of a name. */
  private attempts(name: string): Attempt[] {
    const { scenario, other, thief } = this;
    const { at } = scenario;
    const made: Record<string, Attempt[]> = {
      initialize: [() => scenario.initialize()],
      proposeSettings: [() => this.takeOver(), () => scenario.proposeSettings({ guardian: thief })],
      applySettings: [() => scenario.applySettings()],
      cancelSettings: [() => scenario.cancelSettings()],
      proposeAdmin: [() => scenario.proposeAdmin(thief)],
      acceptAdmin: [() => scenario.acceptAdmin(this.nextAdmin)],
      cancelAdmin: [() => scenario.cancelAdmin()],
      replaceKey: [
        () => scenario.replaceKey(client.HotKeyRole.Operations, at.operations, thief),
        () => scenario.replaceKey(client.HotKeyRole.Market, at.market, thief),
        () => scenario.replaceKey(client.HotKeyRole.Compliance, at.compliance, thief),
        () => scenario.replaceKey(client.HotKeyRole.ServiceSigner, at.serviceSigner, thief),
      ],
      pause: [() => scenario.pause(31), () => scenario.pause(32)],
      resume: [() => scenario.resume(31), () => scenario.resume(32)],
      setMarket: [() => scenario.setMarket(client.MarketState.Closed)],
      rotateAccounts: [
        () => scenario.rotateAccounts({ feeUsdc: this.thiefUsdc }),
        () => scenario.rotateAccounts({ feeUsdc: this.rotatedFees }),
      ],
      createIntegrator: [
        () => scenario.createIntegrator({ ...other, dailyLimitUsdc: limits.dailyOutflowUsdc }),
      ],
      updateIntegrator: [
        () =>
          scenario.updateIntegrator({
            status: client.IntegratorStatus.Suspended,
            openFeeBps: 200,
            closedFeeBps: 200,
            dailyLimitUsdc: limits.dailyOutflowUsdc,
          }),
      ],
      suspendIntegrator: [() => scenario.suspendIntegrator()],
      updateExecutives: [() => scenario.updateExecutives({ remove: [at.executive], add: [thief] })],
      buy: [(usdcIn) => scenario.buy({ usdcIn })],
      sell: [(goldIn) => scenario.sell({ goldIn })],
      partnerPurchase: [(goldOut) => scenario.partnerPurchase({ goldOut })],
      partnerSale: [(goldIn) => scenario.partnerSale({ goldIn })],
      partnerWithdraw: [
        (amount) => scenario.partnerWithdraw('Usdc', amount),
        (amount) => scenario.partnerWithdraw('Gold', amount),
      ],
      treasuryWithdraw: [
        (amount) => scenario.treasuryWithdraw('Usdc', amount),
        (amount) => scenario.treasuryWithdraw('Gold', amount),
        (amount) => scenario.treasuryWithdraw('Fees', amount),
      ],
      redeem: [(amount) => scenario.redeem({ ...other, amount })],
      announceBurn: [() => scenario.announceBurn()],
      cancelBurn: [() => scenario.cancelBurn()],
      reclaimRedemption: [() => scenario.reclaimRedemption()],
      settleRedemption: [
        () => scenario.settleRedemption(client.SettlementMode.Burn),
        () => {
          // Nothing is refunded while its burn is announced.
          scenario.setRedemption({ burnReadyAt: 0n });
          return scenario.settleRedemption(client.SettlementMode.Refund);
        },
      ],
      sweepEscrow: [(amount) => scenario.sweepEscrow({ amount })],
      handOverAuthority: authorityRoles.map((role) => () => scenario.handOverAuthority(role, thief)),
      proposeAuthority: [() => scenario.proposeAuthority(client.AuthorityRole.Withdrawal, thief)],
      cancelAuthority: [
        () => scenario.cancelAuthority(client.AuthorityRole.Update, this.nextAuthority),
        () =>
          scenario.cancelAuthority(client.AuthorityRole.Update, this.nextAuthority, {
            authority: signer(at.admin),
          }),
      ],
      applyAuthority: [() => scenario.applyAuthority(client.AuthorityRole.Update, this.nextAuthority)],
      closeReceipt: [() => scenario.closeReceipt(other)],
      attest: [() => scenario.attest({ amount: U64_MAX, reportHash: new Uint8Array(32).fill(1) })],
      mintGold: [(amount) => scenario.mintGold(amount)],
      freezeAccount: [() => scenario.freezeAccount()],
      thawAccount: [() => scenario.thawAccount()],
      event: [() => client.getEventInstruction({ config: signer(at.config), event: emptyEvent })],
    };
    const attempts = made[name];
    if (!attempts) throw new Error(`What does a thief try with ${name}?`);
    return attempts;
  }

  private purse(owner: Address): { usdc: Address; gold: Address } {
    const purse = this.purses.get(owner);
    if (!purse) throw new Error(`${owner} has no accounts`);
    return purse;
  }

  /**
   * The instruction signed in every way that two keys can, without any other signature, and paid out to everybody who could receive it.
   *
   * Whoever stands in for the user brings his own token accounts.
   */
  private forgeries(name: string, instruction: Instruction, stolen: Address): Instruction[] {
    const places = instructions.get(name) ?? [];
    let forged: Instruction[] = [{ ...instruction, accounts: [] }];
    for (const [index, meta] of (instruction.accounts ?? []).entries()) {
      const place = places[index]?.name ?? '';
      const signs = places[index]?.signs === true;
      forged = forged.flatMap((begun) => {
        const accounts = begun.accounts ?? [];
        const user = accounts[places.findIndex((known) => known.name === 'user')]?.address;
        const purse = user && user !== this.scenario.at.user ? this.purses.get(user) : undefined;
        const choices = signs
          ? [...new Set([meta.address, stolen, this.thief])]
          : place === 'destination'
            ? this.destinations(meta.address, stolen)
            : [
                (place === 'userUsdc' && purse?.usdc) ||
                  (place === 'userGold' && purse?.gold) ||
                  meta.address,
              ];
        return choices.map((address) => {
          const signed = signs && (address === stolen || address === this.thief);
          return { ...begun, accounts: [...accounts, { address, role: roleOf(meta.role, signed) }] };
        });
      });
    }
    if (!places.some(({ signs }) => signs)) return [instruction];
    return forged.filter(({ accounts }) =>
      (accounts ?? []).some(({ address }, index) => places[index]?.signs && address === stolen),
    );
  }

  private destinations(rightful: Address, stolen: Address): Address[] {
    const { vaultUsdc, vaultGold, treasuryGold, userGold } = this.scenario.at;
    const purses = [this.purse(this.thief), this.purse(stolen)].flatMap(({ usdc, gold }) => [usdc, gold]);
    return [...new Set([rightful, ...purses, vaultUsdc, vaultGold, treasuryGold, userGold])];
  }

  /** Everything that the thief can do in one instruction of that name: what changes, with the largest amounts. */
  canDo(name: string, stolen: Address): string[] {
    const outcomes = new Set<string>();
    this.arrangeFor(name);
    for (const attempt of this.attempts(name)) {
      const forge = (amount: bigint) => this.forgeries(name, attempt(amount), stolen);
      for (const [index, forgery] of forge(ONE).entries()) {
        if (this.outcome(forgery, stolen) === undefined) continue;
        const at = (amount: bigint) => this.outcome(forge(amount)[index] ?? forgery, stolen);
        outcomes.add(at(most((amount) => at(amount) !== undefined)) ?? '');
      }
    }
    return [...outcomes].sort();
  }

  /** What the instruction changes when the thief pays for the transaction; undefined when it fails. */
  private outcome(instruction: Instruction, stolen: Address): string | undefined {
    const { svm } = this.scenario;
    const compiled = this.scenario.compile([instruction], stolen);
    const signatures = Object.fromEntries(
      Object.keys(compiled.signatures).map((address) => [address, new Uint8Array(64) as SignatureBytes]),
    );
    const result = svm.simulateTransaction({ ...compiled, signatures });
    if (result instanceof FailedTransactionMetadata) return undefined;
    const changes = result.postAccounts().flatMap((after) => this.changesOf(after, stolen));
    return changes.sort().join(', ') || 'nothing';
  }

  /** How an account differs from what it is. */
  private changesOf(after: EncodedAccount, stolen: Address): string[] {
    const { svm } = this.scenario;
    const before = svm.getAccount(after.address);
    const name = this.nameOf(after.address, stolen);
    if (!before.exists) return after.data.length > 0 ? [`${name} made`] : [];
    if (after.data.length === 0) return before.data.length > 0 ? [`${name} closed`] : [];
    if (Buffer.compare(Buffer.from(before.data), Buffer.from(after.data)) === 0) return [];
    const isMint = after.address === this.scenario.at.goldMint;
    const isToken = !isMint && before.programAddress === TOKEN_2022_PROGRAM_ADDRESS;
    const size = isMint
      ? getMintDecoder().fixedSize
      : isToken
        ? getTokenDecoder().fixedSize
        : after.data.length;
    const decoder = decoders.get(size);
    if (!decoder) throw new Error(`no decoder for ${name}`);
    const [old, now] = [decoder(before.data), decoder(after.data)];
    const fields = Object.keys(now).filter((field) => plain(old[field]) !== plain(now[field]));
    return fields
      .filter((field) => !counters.includes(field))
      .map((field) => {
        const [from, to] = [old[field], now[field]];
        if (!amounts.includes(field)) return `${name}.${field}`;
        const change = (to as bigint) - (from as bigint);
        const moved = change < 0n ? -change : change;
        const label = field === 'amount' ? name : `${name}.${field}`;
        return `${label} ${change < 0n ? '-' : '+'}${moved / ONE}.${String(moved % ONE).padStart(6, '0')}`;
      });
  }

  private nameOf(address: Address, stolen: Address): string {
    const own = (owner: Address, name: string) => {
      const { usdc, gold } = this.purse(owner);
      return { [`${name}Usdc`]: usdc, [`${name}Gold`]: gold };
    };
    const names = {
      ...this.scenario.at,
      ...own(this.thief, 'thief'),
      ...own(stolen, 'own'),
      'new redemption': this.other.redemption,
      'new integrator': this.other.integrator,
    };
    // Each order has a receipt of its own.
    return Object.entries(names).find(([, known]) => known === address)?.[0] ?? 'receipt';
  }
}

const counters = [
  ...['seq', 'settingsSeq', 'pauseSeq', 'usdcVolume.hour', 'usdcVolume.sums', 'minted.hour', 'minted.sums'],
  ...['usdcFlow.outflow', 'usdcFlow.inflow', 'goldFlow.outflow', 'goldFlow.inflow'],
  ...['vaultSide', 'vaultTradedAt'],
];
const amounts = ['amount', 'supply', 'escrowOpen', 'burnedTotal', 'attestation.amount'];
type Decode = (data: EncodedAccount['data']) => Record<string, unknown>;
const decoders = new Map<number, Decode>(
  [
    client.getConfigDecoder(),
    client.getIntegratorDecoder(),
    client.getRedemptionDecoder(),
    client.getReceiptDecoder(),
    client.getSettingsProposalDecoder(),
    getTokenDecoder(),
    getMintDecoder(),
  ].map((decoder) => [decoder.fixedSize, (data) => flat(decoder.decode(data))]),
);

/** The fields of an account, those of its structs by both names. */
function flat(account: object): Record<string, unknown> {
  const fields = Object.entries(account).flatMap(([name, value]) =>
    value?.constructor === Object
      ? Object.entries(value).map(([inner, part]) => [`${name}.${inner}`, part] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}

/** A value to compare. */
function plain(value: unknown): string {
  return JSON.stringify(value, (_key, part) => {
    if (part instanceof Uint8Array) return [...part];
    return typeof part === 'bigint' ? String(part) : part;
  });
}

function roleOf(role: AccountRole, signed: boolean): AccountRole {
  const writable = role === AccountRole.WRITABLE || role === AccountRole.WRITABLE_SIGNER;
  if (signed) return writable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER;
  return writable ? AccountRole.WRITABLE : AccountRole.READONLY;
}

/** The largest amount that lands, from one token on; that of an instruction without one is as good as any. */
function most(lands: (amount: bigint) => boolean): bigint {
  let [low, high] = [ONE, U64_MAX];
  if (lands(high)) return high;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (lands(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** A partner and a redemption that are not there yet. */
async function otherAddresses() {
  const partnerId = new Uint8Array(16).fill(8);
  const id = new Uint8Array(16).fill(8);
  const [integrator] = await client.findIntegratorPda({ partnerId });
  const [redemption] = await client.findRedemptionPda({ id });
  const [receipt] = await receiptOf(id);
  const { usdcMint, goldMint } = { usdcMint: addressOf('usdc mint'), goldMint: addressOf('gold mint') };
  const vaultUsdc = await tokenAddress(integrator, usdcMint);
  const vaultGold = await tokenAddress(integrator, goldMint);
  return { partnerId, id, integrator, redemption, receipt, vaultUsdc, vaultGold };
}

const emptyEvent: client.KaratEventArgs = {
  version: 1,
  kind: 0,
  partnerId: new Uint8Array(16),
  seq: 0n,
  id: new Uint8Array(16),
  side: client.TradeSide.None,
  amountIn: 0n,
  amountOut: 0n,
  fee: 0n,
  feeBps: 0,
  price: 0n,
  exponent: 0,
  confidence: 0n,
  publishTime: 0n,
  marketState: client.MarketState.Open,
  actor: ZERO_ADDRESS,
  counterparty: ZERO_ADDRESS,
};
