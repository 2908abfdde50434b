import * as client from '@karat/program-client';
import { quoteBuy, quotePurchase, quoteSell } from '@karat/service/domain';
import { type Address, type Instruction, isSignerRole } from '@solana/kit';
import { ZERO_ADDRESS } from '../fixture.js';
import { U64_MAX } from '../numbers.js';
import { instructions } from '../theft.js';
import type { View, World } from './world.js';

// What must be true of every instruction that lands, by a ledger of its own: it reads what the instruction asked for, who signed, what was on
// the chain before and after, and the event. It knows nothing of how the program decides.

const DAY = 86_400n;
const HOUR = 3_600n;
const FORTNIGHT = 14n * DAY;

interface Redemption {
  user: Address;
  amount: bigint;
  reclaimableAt: bigint;
  /** When its burn can be done; undefined: none is announced. */
  burnReadyAt: bigint | undefined;
  wasAnnounced: boolean;
}

/** Base units that moved at a time. */
interface Flow {
  at: bigint;
  usdcOut: bigint;
  usdcIn: bigint;
  goldOut: bigint;
  goldIn: bigint;
}

interface Amount {
  at: bigint;
  amount: bigint;
}

/** What the oracle remembers. */
export class Ledger {
  readonly redemptions = new Map<Address, Redemption>();
  /** When a receipt can be closed, by its address. */
  readonly receipts = new Map<Address, bigint>();
  readonly vaults = new Map<Address, { side: number; at: bigint }>();
  readonly volumes = new Map<Address, Amount[]>();
  flows: Flow[] = [];
  minted: Amount[] = [];
  burned = 0n;
  report: { amount: bigint; asOf: bigint; burned: bigint };
  proposal: { settings: client.Settings; readyAt: bigint } | undefined;
  admin: { key: Address; readyAt: bigint } | undefined;
  treasuryPausedUntil = 0n;
  /** Of all tokens together, base units. */
  readonly usdc: bigint;

  constructor(world: World, view: View) {
    const { amount, asOf } = view.config.attestation;
    this.report = { amount, asOf, burned: 0n };
    this.usdc = totalOf(world, view, 'Usdc');
  }

  /** What of `amounts` is younger than that many seconds. */
  static sum(amounts: Amount[], now: bigint, seconds: bigint): bigint {
    return amounts.reduce((sum, { at, amount }) => (at > now - seconds ? sum + amount : sum), 0n);
  }

  /** Base units out of the treasury, less what came in, in so many seconds. */
  net(token: 'usdc' | 'gold', now: bigint, outside = DAY, inside = DAY): bigint {
    return this.flows.reduce((net, flow) => {
      const out = flow.at > now - outside ? flow[`${token}Out`] : 0n;
      return net + out - (flow.at > now - inside ? flow[`${token}In`] : 0n);
    }, 0n);
  }

  volume(integrator: Address): Amount[] {
    const known = this.volumes.get(integrator) ?? [];
    this.volumes.set(integrator, known);
    return known;
  }

  /** What is attested and not burned since, base units of GOLD. */
  backed(): bigint {
    return this.report.amount - (this.burned - this.report.burned);
  }

  open(): bigint {
    return [...this.redemptions.values()].reduce((sum, { amount }) => sum + amount, 0n);
  }
}

function totalOf(world: World, view: View, token: 'Usdc' | 'Gold'): bigint {
  let sum = 0n;
  for (const [address, purse] of world.purses)
    if (purse.token === token) sum += view.balances.get(address) ?? 0n;
  return sum;
}

type Arguments = Record<string, unknown>;
const decoders = client as unknown as Record<string, () => { decode: (data: Uint8Array) => Arguments }>;

/** None, if the data is no data of the instruction: such a one never lands. */
function argumentsOf(name: string, data: Uint8Array): Arguments {
  const decoder = decoders[`get${name.charAt(0).toUpperCase()}${name.slice(1)}InstructionDataDecoder`];
  try {
    return decoder?.().decode(data) ?? {};
  } catch {
    return {};
  }
}

/** An instruction as it was sent, with what was on the chain before. */
export class Sent {
  readonly name: string;
  readonly before: View;
  readonly world: World;
  readonly ledger: Ledger;
  readonly args: Arguments;
  readonly signers: Set<Address>;
  /** Whether an empty slot stands where a key must. */
  readonly hasEmptySigner: boolean;
  private readonly accounts: Map<string, Address>;

  constructor(name: string, instruction: Instruction, before: View, world: World, ledger: Ledger) {
    this.name = name;
    this.before = before;
    this.world = world;
    this.ledger = ledger;
    const metas = instruction.accounts ?? [];
    const places = instructions.get(name) ?? [];
    this.accounts = new Map(metas.map(({ address }, index) => [places[index]?.name ?? `${index}`, address]));
    this.signers = new Set(metas.filter(({ role }) => isSignerRole(role)).map(({ address }) => address));
    this.signers.add(world.scenario.at.payer);
    this.hasEmptySigner = this.signers.delete(ZERO_ADDRESS);
    this.args = argumentsOf(name, new Uint8Array(instruction.data ?? []));
  }

  get now(): bigint {
    return this.world.now;
  }

  account(name: string): Address {
    return this.accounts.get(name) ?? ZERO_ADDRESS;
  }

  number(name: string): bigint {
    return BigInt((this.args[name] ?? 0) as bigint | number);
  }

  integrator(): client.Integrator {
    const found = this.before.integrators.get(this.account('integrator'));
    return found ?? fail('it is of no partner');
  }

  redemption(): Redemption {
    return this.ledger.redemptions.get(this.account('redemption')) ?? fail('it is of no open redemption');
  }

  ownerOf(account: string): Address {
    return this.world.purses.get(this.account(account))?.owner ?? fail(`${account} is no token account`);
  }

  /** The key that holds the role of the arguments. */
  holder(): Address {
    const { partnerWallet, updateAuthority, withdrawalAuthority } = this.integrator();
    return (
      [partnerWallet, updateAuthority, withdrawalAuthority][Number(this.args.role)] ?? fail('no such role')
    );
  }
}

function fail(message: string): never {
  throw new Error(message);
}

function check(condition: boolean, message: string): void {
  if (!condition) fail(message);
}

const guardianOrAdmin = ({ before: { config } }: Sent) => [[config.settings.guardian], [config.admin]];
const operationsOrAdmin = ({ before: { config } }: Sent) => [[config.hotKeys.operations], [config.admin]];
const operations = ({ before: { config } }: Sent) => [[config.hotKeys.operations]];
const admin = ({ before: { config } }: Sent) => [[config.admin]];
const oneService = ({ before: { config } }: Sent, ...others: Address[]) =>
  config.hotKeys.serviceSigners.map((key) => [key, ...others]);
const userTrade = (sent: Sent, paidWith: string) =>
  oneService(sent, sent.integrator().partnerWallet, sent.ownerOf(paidWith));
const executives = (sent: Sent) => {
  const { executiveCount, executives: all } = sent.integrator();
  return all.slice(0, executiveCount).map((key) => [key]);
};

/** Who must have signed: all keys of one of the lists. */
const signatures: Record<string, (sent: Sent) => Address[][]> = {
  initialize: () => [],
  proposeSettings: admin,
  applySettings: () => [[]],
  cancelSettings: (sent) => {
    const { config, proposal } = sent.before;
    const replaces = proposal?.settings.guardian !== config.settings.guardian;
    return replaces ? admin(sent) : guardianOrAdmin(sent);
  },
  proposeAdmin: admin,
  acceptAdmin: ({ ledger }) => [[ledger.admin?.key ?? ZERO_ADDRESS]],
  cancelAdmin: guardianOrAdmin,
  replaceKey: admin,
  rotateAccounts: admin,
  pause: guardianOrAdmin,
  resume: (sent) => {
    const { config } = sent.before;
    const both = (sent.number('mask') & 32n) !== 0n && sent.ledger.treasuryPausedUntil > sent.now;
    return [both ? [config.admin, config.settings.guardian] : [config.admin]];
  },
  setMarket: ({ before: { config } }) => [[config.hotKeys.market], [config.admin]],
  createIntegrator: operationsOrAdmin,
  updateIntegrator: operationsOrAdmin,
  suspendIntegrator: (sent) => [...operationsOrAdmin(sent), [sent.before.config.settings.guardian]],
  updateExecutives: (sent) => [[sent.integrator().updateAuthority]],
  handOverAuthority: (sent) => [[sent.holder()]],
  proposeAuthority: admin,
  applyAuthority: admin,
  cancelAuthority: (sent) => {
    const { partnerWallet, updateAuthority, withdrawalAuthority } = sent.integrator();
    const others = [partnerWallet, updateAuthority, withdrawalAuthority].filter(
      (key) => key !== sent.holder(),
    );
    return [...admin(sent), ...others.map((other) => [sent.holder(), other])];
  },
  buy: (sent) => userTrade(sent, 'userUsdc'),
  sell: (sent) => userTrade(sent, 'userGold'),
  partnerPurchase: executives,
  partnerSale: executives,
  partnerWithdraw: (sent) => [[sent.integrator().withdrawalAuthority]],
  closeReceipt: () => [[]],
  redeem: (sent) => oneService(sent, sent.ownerOf('userGold')),
  announceBurn: operations,
  cancelBurn: guardianOrAdmin,
  settleRedemption: operations,
  reclaimRedemption: (sent) => [[sent.redemption().user]],
  sweepEscrow: admin,
  treasuryWithdraw: admin,
  mintGold: admin,
  attest: ({ before: { config } }) => [[config.settings.attestor]],
  freezeAccount: ({ before: { config } }) => [[config.hotKeys.compliance]],
  thawAccount: ({ before: { config } }) => [[config.hotKeys.compliance], [config.admin]],
};

/** The bit of `paused` that stops an instruction. */
const pauses: Record<string, number> = {
  ...{ buy: 1, sell: 1, partnerPurchase: 2, partnerSale: 2, partnerWithdraw: 4, redeem: 8 },
  ...{ announceBurn: 16, settleRedemption: 16 },
};
const treasury = ['treasuryWithdraw', 'mintGold', 'sweepEscrow'];
export const trades = ['buy', 'sell', 'partnerPurchase', 'partnerSale'];
export const purchases = ['buy', 'partnerPurchase'];
const orders = ['partnerPurchase', 'partnerSale', 'partnerWithdraw'];

export function isPaused({ name, before, ledger, now }: Sent): boolean {
  const stopped = (before.config.paused & (pauses[name] ?? 0)) !== 0;
  return stopped || (treasury.includes(name) && ledger.treasuryPausedUntil > now);
}

/** Which fields of the config and of a partner an instruction may change; the counters of events beside. */
const writes: Record<string, string[]> = {
  applySettings: ['settings', 'settingsSeq'],
  proposeAdmin: ['adminProposal'],
  acceptAdmin: ['admin', 'adminProposal', 'settingsSeq'],
  cancelAdmin: ['adminProposal'],
  replaceKey: ['hotKeys', 'settingsSeq'],
  rotateAccounts: ['treasuryUsdc', 'treasuryGold', 'feeUsdc', 'settingsSeq'],
  pause: ['paused', 'treasuryPausedUntil', 'pauseSeq'],
  resume: ['paused', 'treasuryPausedUntil', 'pauseSeq'],
  setMarket: ['marketState'],
  updateIntegrator: ['status', 'openFeeBps', 'closedFeeBps', 'dailyLimitUsdc', 'termsSeq'],
  suspendIntegrator: ['status', 'termsSeq'],
  updateExecutives: ['executives', 'executiveCount'],
  handOverAuthority: ['partnerWallet', 'updateAuthority', 'withdrawalAuthority'],
  proposeAuthority: ['proposals'],
  cancelAuthority: ['proposals'],
  applyAuthority: ['proposals', 'partnerWallet', 'updateAuthority', 'withdrawalAuthority'],
  buy: ['usdcFlow', 'goldFlow', 'usdcVolume'],
  sell: ['usdcFlow', 'goldFlow', 'usdcVolume'],
  partnerPurchase: ['usdcFlow', 'goldFlow', 'usdcVolume', 'vaultSide', 'vaultTradedAt'],
  partnerSale: ['usdcFlow', 'goldFlow', 'usdcVolume', 'vaultSide', 'vaultTradedAt'],
  redeem: ['escrowOpen'],
  settleRedemption: ['escrowOpen', 'burnedTotal'],
  reclaimRedemption: ['escrowOpen'],
  treasuryWithdraw: ['usdcFlow', 'goldFlow'],
  attest: ['attestation'],
  mintGold: ['minted'],
};

const plain = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString('hex');
    return typeof part === 'bigint' ? String(part) : part;
  });

function checkWrites({ name, before }: Sent, after: View): void {
  const may = [...(writes[name] ?? []), 'seq'];
  const compare = (old: object, changed: object) => {
    for (const [field, value] of Object.entries(changed)) {
      if (may.includes(field)) continue;
      const was = (old as Record<string, unknown>)[field];
      if (was !== value && plain(was) !== plain(value)) fail(`it changed ${field}`);
    }
  };
  compare(before.config, after.config);
  for (const [address, integrator] of after.integrators)
    if (before.integrators.get(address) !== integrator)
      compare(before.integrators.get(address) ?? {}, integrator);
}

type Moves = Map<Address, bigint>;

/** Base units that must have moved, by the event. */
function movesOf(sent: Sent, event: client.KaratEvent | undefined): Moves {
  const moves: Moves = new Map();
  if (!event) return moves;
  const { config } = sent.before;
  const { amountIn, amountOut, fee } = event;
  const add = (account: Address, change: bigint) => moves.set(account, (moves.get(account) ?? 0n) + change);
  const isVault = sent.name.startsWith('partner');
  if (purchases.includes(sent.name)) {
    add(isVault ? sent.integrator().vaultUsdc : sent.account('userUsdc'), -amountIn);
    add(config.treasuryUsdc, amountIn - fee);
    add(config.feeUsdc, fee);
    add(config.treasuryGold, -amountOut);
    add(isVault ? sent.integrator().vaultGold : sent.account('userGold'), amountOut);
  } else if (trades.includes(sent.name)) {
    add(isVault ? sent.integrator().vaultGold : sent.account('userGold'), -amountIn);
    add(config.treasuryGold, amountIn);
    add(config.treasuryUsdc, -amountOut - fee);
    add(config.feeUsdc, fee);
    add(isVault ? sent.integrator().vaultUsdc : sent.account('userUsdc'), amountOut);
  } else {
    const [from, to] = payments[sent.name]?.(sent) ?? [undefined, undefined];
    if (from) add(from, -amountIn);
    if (to) add(to, amountOut);
  }
  return moves;
}

/** From which account to which an instruction moves tokens. */
const payments: Record<string, (sent: Sent) => [Address | undefined, Address | undefined]> = {
  partnerWithdraw: (sent) => {
    check(sent.ownerOf('destination') === sent.integrator().withdrawalAuthority, 'it pays somebody else');
    check(sent.ownerOf('vaultToken') === sent.account('integrator'), 'it pays from another vault');
    return [sent.account('vaultToken'), sent.account('destination')];
  },
  treasuryWithdraw: (sent) => {
    const { config } = sent.before;
    const own = [config.treasuryUsdc, config.treasuryGold, config.feeUsdc];
    check(own.includes(sent.account('treasuryToken')), 'it pays from another account');
    const owner = sent.ownerOf('destination');
    check(owner !== ZERO_ADDRESS && config.settings.withdrawOwners.includes(owner), 'it pays somebody else');
    return [sent.account('treasuryToken'), sent.account('destination')];
  },
  redeem: (sent) => [sent.account('userGold'), sent.before.config.escrowGold],
  settleRedemption: (sent) => {
    if (sent.number('mode') === 0n) return [sent.before.config.escrowGold, undefined];
    check(sent.ownerOf('destination') === sent.redemption().user, 'it refunds somebody else');
    return [sent.before.config.escrowGold, sent.account('destination')];
  },
  reclaimRedemption: (sent) => {
    check(sent.ownerOf('destination') === sent.redemption().user, 'it pays somebody else');
    return [sent.before.config.escrowGold, sent.account('destination')];
  },
  sweepEscrow: ({ before: { config } }) => [config.escrowGold, config.treasuryGold],
  mintGold: ({ before: { config } }) => [undefined, config.treasuryGold],
};

function checkBalances(sent: Sent, after: View, event: client.KaratEvent | undefined): void {
  const moves = movesOf(sent, event);
  for (const [address, balance] of after.balances) {
    const change = balance - (sent.before.balances.get(address) ?? 0n);
    if (change !== (moves.get(address) ?? 0n)) fail(`${address} has changed by ${change}`);
    if (change !== 0n && sent.before.frozen.has(address)) fail(`${address} is frozen`);
  }
  const isThaw = sent.name === 'freezeAccount' || sent.name === 'thawAccount';
  check(
    isThaw || plain([...after.frozen]) === plain([...sent.before.frozen]),
    'an account was frozen or thawed',
  );
}

/** How much the trade must exchange at the price, by the service's own arithmetic. */
export function quoteOf(sent: Sent): { amountIn: bigint; amountOut: bigint; fee: bigint } {
  const { openFeeBps, closedFeeBps } = sent.integrator();
  const feeBps = sent.before.config.marketState === client.MarketState.Open ? openFeeBps : closedFeeBps;
  const { price } = sent.world;
  if (sent.name === 'buy') {
    const amountIn = sent.number('usdcIn');
    const { goldOut, fee } = quoteBuy({ usdcIn: amountIn, feeBps, ...price });
    return { amountIn, amountOut: goldOut, fee };
  }
  if (sent.name === 'partnerPurchase') {
    const { usdcIn, fee } = quotePurchase({ goldOut: sent.number('goldOut'), feeBps, ...price });
    return { amountIn: usdcIn, amountOut: sent.number('goldOut'), fee };
  }
  const amountIn = sent.number('goldIn');
  const { usdcOut, fee } = quoteSell({ goldIn: amountIn, feeBps, ...price });
  return { amountIn, amountOut: usdcOut, fee };
}

function checkTrade(sent: Sent, event: client.KaratEvent): void {
  const { config } = sent.before;
  const { settings } = config;
  const { amountIn, amountOut, fee } = event;
  const wanted = quoteOf(sent);
  check(
    amountIn === wanted.amountIn && amountOut === wanted.amountOut && fee === wanted.fee,
    'the amounts are wrong',
  );
  check(amountIn > 0n && amountOut > 0n, 'nothing was exchanged');
  const isOpen = config.marketState === client.MarketState.Open;
  const age = sent.now - sent.world.pricedAt;
  check(age <= BigInt(isOpen ? settings.maxAgeOpen : settings.maxAgeClosed), 'the price is too old');
  check(sent.integrator().status === client.IntegratorStatus.Active, 'the partner is suspended');
  check(sent.number('expireAt') >= sent.now, 'it had expired');
  check(
    event.feeBps <= settings.maxFeeBps && event.feeBps <= Number(sent.args.maxFeeBps),
    'the fee is too high',
  );
  const isPurchase = purchases.includes(sent.name);
  const volume = isPurchase ? amountIn : amountOut + fee;
  check(volume <= settings.maxTradeUsdc, 'it is too large');
  if (isPurchase) {
    check(
      sent.world.usdcPrice >= settings.minUsdcPriceE8 && age <= BigInt(settings.maxAgeOpen),
      'USDC is off its peg',
    );
  }
  const flow = { at: sent.now, usdcOut: 0n, usdcIn: 0n, goldOut: 0n, goldIn: 0n };
  const moved = isPurchase
    ? { ...flow, usdcIn: amountIn - fee, goldOut: amountOut }
    : { ...flow, usdcOut: volume, goldIn: amountIn };
  sent.ledger.flows.push(moved);
  const volumes = sent.ledger.volume(sent.account('integrator'));
  volumes.push({ at: sent.now, amount: volume });
  const { dailyLimitUsdc } = sent.integrator();
  check(
    dailyLimitUsdc === U64_MAX || Ledger.sum(volumes, sent.now, DAY) <= dailyLimitUsdc,
    'the limit of the partner is exceeded',
  );
  if (!sent.name.startsWith('partner')) return;
  const side = isPurchase ? 1 : 2;
  const last = sent.ledger.vaults.get(sent.account('integrator'));
  const waited = !last || last.side === side || sent.now - last.at >= BigInt(settings.oppositeSideSeconds);
  check(waited, 'the vault trades in the other direction too early');
  sent.ledger.vaults.set(sent.account('integrator'), { side, at: sent.now });
}

/** GOLD that leaves the treasury must be backed, all that there is. */
function checkBacking(sent: Sent, supply: bigint): void {
  const { settings } = sent.before.config;
  check(sent.now - sent.ledger.report.asOf <= BigInt(settings.maxAttestationAge), 'the report is too old');
  check(supply <= sent.ledger.backed(), 'there is more GOLD than is attested');
}

function checkOutflow({ ledger, now, before }: Sent): void {
  const { dailyOutflowUsdc, dailyOutflowGold } = before.config.settings;
  const last = ledger.flows.at(-1);
  const over = (token: 'usdc' | 'gold', limit: bigint) => limit !== U64_MAX && ledger.net(token, now) > limit;
  check(!last?.usdcOut || !over('usdc', dailyOutflowUsdc), 'too much USDC has left the treasury in a day');
  check(!last?.goldOut || !over('gold', dailyOutflowGold), 'too much GOLD has left the treasury in a day');
  ledger.flows = ledger.flows.filter(({ at }) => at > now - 2n * DAY);
}

function checkOrder(sent: Sent): void {
  const receipt = sent.account('receipt');
  const expireAt = sent.number('expireAt');
  check(!sent.ledger.receipts.has(receipt), 'the order was executed before');
  check(expireAt >= sent.now && expireAt <= sent.now + DAY, 'the order has expired, or expires too late');
  sent.ledger.receipts.set(receipt, expireAt + HOUR);
}

/** What each instruction that is no trade must have been, and what the ledger remembers of it. */
const effects: Record<string, (sent: Sent, after: View, event: client.KaratEvent | undefined) => void> = {
  initialize: () => fail('there is a config already'),
  proposeSettings: (sent, after) => {
    const last = sent.ledger.proposal;
    check(!last || sent.now > last.readyAt + FORTNIGHT, 'settings were proposed already');
    const { settings } = sent.args as { settings: client.Settings };
    sent.ledger.proposal = { settings, readyAt: sent.now + BigInt(sent.before.config.settings.changeDelay) };
    check(after.proposal?.readyAt === sent.ledger.proposal.readyAt, 'the delay is another one');
  },
  applySettings: (sent, after) => {
    const { proposal } = sent.ledger;
    if (!proposal) return fail('no settings were proposed');
    check(isDue(sent.now, proposal.readyAt), 'the settings were not due');
    check(plain(after.config.settings) === plain(proposal.settings), 'other settings were proposed');
    const { guardian } = sent.before.config.settings;
    const rest = { ...proposal.settings, guardian };
    const replaces = proposal.settings.guardian !== guardian;
    check(
      !replaces || plain(rest) === plain(sent.before.config.settings),
      'another guardian comes with other changes',
    );
    sent.ledger.proposal = undefined;
  },
  cancelSettings: (sent) => {
    sent.ledger.proposal = undefined;
  },
  proposeAdmin: (sent) => {
    const readyAt = sent.now + BigInt(sent.before.config.settings.changeDelay);
    sent.ledger.admin = { key: sent.args.newAdmin as Address, readyAt };
  },
  acceptAdmin: (sent, after) => {
    const proposed = sent.ledger.admin;
    check(proposed !== undefined && isDue(sent.now, proposed.readyAt), 'the hand-over was not due');
    check(after.config.admin === proposed?.key, 'another admin was proposed');
    sent.ledger.admin = undefined;
  },
  cancelAdmin: (sent) => {
    sent.ledger.admin = undefined;
  },
  replaceKey: (sent, after) => {
    const places = ({ config: { hotKeys } }: View) => [
      ...[hotKeys.operations, hotKeys.market, hotKeys.compliance, ...hotKeys.serviceSigners],
    ];
    const [was, is] = [places(sent.before), places(after)];
    const changed = was.flatMap((key, index) => (key === is[index] ? [] : [[key, is[index]]]));
    check(plain(changed) === plain([[sent.args.old, sent.args.new]]), 'other keys were replaced');
  },
  pause: (sent, after, event) => {
    const mask = Number(sent.args.mask);
    check(after.config.paused === (sent.before.config.paused | mask), 'other bits were set');
    if (event && mask & 32) sent.ledger.treasuryPausedUntil = after.config.treasuryPausedUntil;
    check(
      !(mask & 32) || after.config.treasuryPausedUntil >= sent.now + 7n * DAY - HOUR,
      'the treasury is paused too short',
    );
  },
  resume: (sent, after) => {
    const mask = Number(sent.args.mask);
    check(after.config.paused === (sent.before.config.paused & ~mask), 'other bits were cleared');
    if (mask & 32) sent.ledger.treasuryPausedUntil = 0n;
  },
  createIntegrator: (sent) => checkTerms(sent),
  updateIntegrator: (sent) => checkTerms(sent),
  updateExecutives: (sent, after) => {
    const count = after.integrators.get(sent.account('integrator'))?.executiveCount ?? 0;
    check(count > 0 && count <= 8, 'a partner has one to eight executives');
  },
  applyAuthority: (sent, after) => {
    const proposed = sent.integrator().proposals[Number(sent.args.role)];
    check(
      proposed?.key === sent.args.key && isDue(sent.now, proposed?.readyAt ?? 0n),
      'the authority was not due',
    );
    const { partnerWallet, updateAuthority, withdrawalAuthority } =
      after.integrators.get(sent.account('integrator')) ?? fail('no such partner');
    const holders = [partnerWallet, updateAuthority, withdrawalAuthority];
    check(holders[Number(sent.args.role)] === sent.args.key, 'another key took the role');
  },
  closeReceipt: (sent) => {
    const closableAt = sent.ledger.receipts.get(sent.account('receipt')) ?? fail('it is no receipt');
    check(sent.now > closableAt, 'the order can still be executed');
    check(sent.account('payer') === sent.world.scenario.at.payer, 'the rent goes to somebody else');
    sent.ledger.receipts.delete(sent.account('receipt'));
  },
  redeem: (sent, _after, event) => {
    check(!sent.ledger.redemptions.has(sent.account('redemption')), 'it is redeemed already');
    check(event?.amountIn === sent.number('amount') && event.amountIn > 0n, 'another amount was redeemed');
    sent.ledger.redemptions.set(sent.account('redemption'), {
      user: sent.ownerOf('userGold'),
      amount: sent.number('amount'),
      reclaimableAt: sent.now + BigInt(sent.before.config.settings.redemptionTimeout),
      burnReadyAt: undefined,
      wasAnnounced: false,
    });
  },
  announceBurn: (sent) => {
    const redemption = sent.redemption();
    check(!isAlive(sent.now, redemption), 'its burn is announced already');
    check(!redemption.wasAnnounced || sent.now < redemption.reclaimableAt, 'its user may reclaim it');
    redemption.burnReadyAt = sent.now + BigInt(sent.before.config.settings.burnDelay);
    redemption.wasAnnounced = true;
  },
  cancelBurn: (sent) => {
    sent.redemption().burnReadyAt = undefined;
  },
  settleRedemption: (sent, after, event) => {
    const { amount, burnReadyAt } = sent.redemption();
    const isBurn = sent.number('mode') === 0n;
    check(event?.amountIn === amount, 'another amount left escrow');
    check(!isBurn || (burnReadyAt !== undefined && isDue(sent.now, burnReadyAt)), 'the burn was not due');
    check(isBurn || burnReadyAt === undefined, 'its burn is announced');
    check(event?.amountOut === (isBurn ? 0n : amount), 'another amount was refunded');
    if (isBurn) sent.ledger.burned += amount;
    check(sent.before.supply - after.supply === (isBurn ? amount : 0n), 'the supply does not follow');
    sent.ledger.redemptions.delete(sent.account('redemption'));
  },
  reclaimRedemption: (sent, _after, event) => {
    const redemption = sent.redemption();
    check(sent.now >= redemption.reclaimableAt, 'it is too early to reclaim');
    check(!isAlive(sent.now, redemption), 'its burn is announced');
    check(
      event?.amountIn === redemption.amount && event.amountOut === redemption.amount,
      'another amount came back',
    );
    sent.ledger.redemptions.delete(sent.account('redemption'));
  },
  treasuryWithdraw: (sent, after, event) => {
    const amount = event?.amountIn ?? 0n;
    check(amount === sent.number('amount') && amount > 0n, 'another amount was withdrawn');
    const isGold = sent.world.purses.get(sent.account('treasuryToken'))?.token === 'Gold';
    const flow = { at: sent.now, usdcOut: 0n, usdcIn: 0n, goldOut: 0n, goldIn: 0n };
    sent.ledger.flows.push(isGold ? { ...flow, goldOut: amount } : { ...flow, usdcOut: amount });
    if (isGold && sent.before.config.settings.requireBacking) checkBacking(sent, after.supply);
  },
  attest: (sent, after) => {
    const { amount, asOf, burnedAtAsOf } = after.config.attestation;
    const isRepeated = plain(after.config.attestation) === plain(sent.before.config.attestation);
    check(
      asOf <= sent.now && (asOf > sent.ledger.report.asOf || isRepeated),
      'the report is of the future, or not later than the last',
    );
    check(
      burnedAtAsOf <= sent.ledger.burned && burnedAtAsOf >= sent.ledger.report.burned,
      'the report knows other burns',
    );
    sent.ledger.report = { amount, asOf, burned: burnedAtAsOf };
    check(amount === sent.number('amount') && asOf === sent.number('asOf'), 'another report was recorded');
  },
  mintGold: (sent, after, event) => {
    check(
      event?.amountOut === sent.number('amount') && sent.number('amount') > 0n,
      'another amount was minted',
    );
    check(after.supply - sent.before.supply === sent.number('amount'), 'the supply does not follow');
    sent.ledger.minted.push({ at: sent.now, amount: sent.number('amount') });
    const { dailyMint } = sent.before.config.settings;
    check(
      dailyMint === U64_MAX || Ledger.sum(sent.ledger.minted, sent.now, DAY) <= dailyMint,
      'too much was minted in a day',
    );
    checkBacking(sent, after.supply);
  },
  freezeAccount: (sent, after) => {
    const owner = sent.ownerOf('account');
    const { treasury: treasuryOwner, escrow, config } = sent.world.scenario.at;
    const ours = [
      treasuryOwner,
      escrow,
      config,
      ...[...sent.world.partners, ...sent.world.spares].map((each) => each.integrator),
    ];
    check(!ours.includes(owner), 'the account is protected');
    check(sent.before.config.settings.freezeEnabled === 1, 'the settings allow no freeze');
    check(
      plain([...after.frozen].sort()) === plain([...sent.before.frozen, sent.account('account')].sort()),
      'another account was frozen',
    );
  },
  thawAccount: (sent, after) => {
    const rest = [...sent.before.frozen].filter((account) => account !== sent.account('account'));
    check(plain([...after.frozen].sort()) === plain(rest.sort()), 'another account was thawed');
  },
};

function checkTerms(sent: Sent): void {
  const { minFeeBps, maxFeeBps, dailyOutflowUsdc } = sent.before.config.settings;
  for (const fee of [Number(sent.args.openFeeBps), Number(sent.args.closedFeeBps)])
    check(fee >= minFeeBps && fee <= maxFeeBps, 'the fee is outside the settings');
  const limit = sent.number('dailyLimitUsdc');
  check(limit > 0n && limit <= dailyOutflowUsdc, 'the limit is above that of the treasury');
}

export const isDue = (now: bigint, readyAt: bigint) => now >= readyAt && now <= readyAt + FORTNIGHT;
export const isAlive = (now: bigint, { burnReadyAt }: Redemption) =>
  burnReadyAt !== undefined && now <= burnReadyAt + FORTNIGHT;

/** What is true of the chain at any time. */
function checkChain({ world, ledger }: Sent, after: View): void {
  const { config } = after;
  check(totalOf(world, after, 'Usdc') === ledger.usdc, 'USDC was made or lost');
  check(totalOf(world, after, 'Gold') === after.supply, 'GOLD was made or lost');
  check(config.burnedTotal === ledger.burned, 'a burn does not count');
  check(config.escrowOpen === ledger.open(), 'escrow counts other redemptions');
  check(
    (after.balances.get(config.escrowGold) ?? 0n) >= ledger.open(),
    'escrow holds less than open redemptions need',
  );
  const { operations: hot, serviceSigners } = config.hotKeys;
  const { attestor, guardian } = config.settings;
  const others = [config.admin, guardian, hot, ...serviceSigners];
  check(attestor === ZERO_ADDRESS || !others.includes(attestor), 'the attestor has another role');
  check(guardian !== config.admin && guardian !== ZERO_ADDRESS, 'the guardian is the admin, or none');
}

/** Instructions that succeed without an event when they change nothing. */
const quiet = ['pause', 'setMarket', 'suspendIntegrator', 'closeReceipt'];
const ofPartner = [
  ...['updateIntegrator', 'suspendIntegrator', 'updateExecutives', 'handOverAuthority', 'proposeAuthority'],
  ...['cancelAuthority', 'applyAuthority', 'partnerWithdraw', ...trades],
];
const kindOf = (name: string): number =>
  (client as unknown as Record<string, number>)[
    `${name.replace(/[A-Z]/g, '_$&').toUpperCase()}_DISCRIMINATOR`
  ] ?? -1;

function checkEvents(sent: Sent, after: View, events: client.KaratEvent[]): void {
  const { name, before } = sent;
  check(
    events.length === 1 || (quiet.includes(name) && events.length === 0),
    `it has ${events.length} events`,
  );
  const counter = (view: View) =>
    ofPartner.includes(name) ? view.integrators.get(sent.account('integrator'))?.seq : view.config.seq;
  const [was = 0n, is = 0n] = [counter(before), counter(after)];
  const [event] = events;
  if (!event) {
    check(is === was, 'an event is missing');
    return;
  }
  check(event.kind === kindOf(name), `its event is of kind ${event.kind}`);
  const isFirst = name === 'createIntegrator' && event.seq === 1n && is === was;
  check(isFirst || (event.seq === was + 1n && is === was + 1n), 'events are not numbered one by one');
}

/** Whether the keys signed that must have. */
export function isSigned(sent: Sent): boolean {
  const lists = signatures[sent.name]?.(sent) ?? [];
  return lists.some((keys) => keys.every((key) => key !== ZERO_ADDRESS && sent.signers.has(key)));
}

/** Throws when an instruction landed that must not have, or did something else than it must. */
export function checkLanded(sent: Sent, after: View, events: client.KaratEvent[]): void {
  check(isSigned(sent), 'the right keys did not sign');
  check(!isPaused(sent), 'it is paused');
  const [event] = events;
  checkEvents(sent, after, events);
  checkBalances(sent, after, event);
  checkWrites(sent, after);
  if (orders.includes(sent.name)) checkOrder(sent);
  if (trades.includes(sent.name) && event) checkTrade(sent, event);
  effects[sent.name]?.(sent, after, event);
  if (purchases.includes(sent.name) && sent.before.config.settings.requireBacking)
    checkBacking(sent, after.supply);
  if (trades.includes(sent.name) || sent.name === 'treasuryWithdraw') checkOutflow(sent);
  checkChain(sent, after);
}
