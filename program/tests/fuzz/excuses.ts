import { IntegratorStatus, MarketState } from '@karat/program-client';
import type { Address } from '@solana/kit';
import { ZERO_ADDRESS } from '../fixture.js';
import {
  isAlive,
  isDue,
  isPaused,
  isSigned,
  Ledger,
  purchases,
  quoteOf,
  type Sent,
  trades,
} from './oracle.js';

// Why an instruction that was built rightly may be refused all the same: each error has a reason that the oracle sees too. Without that, a
// program that refuses everything would pass.

const DAY = 86_400n;
const HOUR = 3_600n;

const of =
  (...names: string[]) =>
  ({ name }: Sent): boolean =>
    names.includes(name);

const settingsOf = ({ before: { config } }: Sent) => config.settings;
const isOpen = ({ before: { config } }: Sent) => config.marketState === MarketState.Open;
const priceAge = ({ now, world }: Sent) => now - world.pricedAt;
const isVault = ({ name }: Sent) => name.startsWith('partner');
const balance = ({ before }: Sent, account: Address) => before.balances.get(account) ?? 0n;

/** The amounts of a trade, also of one that is refused. */
function amounts(sent: Sent) {
  const { amountIn, amountOut, fee } = quoteOf(sent);
  const isPurchase = purchases.includes(sent.name);
  return { amountIn, amountOut, fee, isPurchase, volume: isPurchase ? amountIn : amountOut + fee };
}

/** What would leave the treasury. */
function outflow(sent: Sent): { usdc: bigint; gold: bigint } {
  if (sent.name === 'treasuryWithdraw') {
    const isGold = sent.world.purses.get(sent.account('treasuryToken'))?.token === 'Gold';
    const amount = sent.number('amount');
    return isGold ? { usdc: 0n, gold: amount } : { usdc: amount, gold: 0n };
  }
  const { isPurchase, volume, amountOut } = amounts(sent);
  return isPurchase ? { usdc: 0n, gold: amountOut } : { usdc: volume, gold: 0n };
}

/** A day is 24 to 25 hours for what goes out and 23 to 24 for what comes in. */
function isAboveLimit(sent: Sent): boolean {
  const { ledger, now } = sent;
  const settings = settingsOf(sent);
  if (sent.name === 'mintGold')
    return Ledger.sum(ledger.minted, now, DAY + HOUR) + sent.number('amount') > settings.dailyMint;
  const { usdc, gold } = outflow(sent);
  const net = (token: 'usdc' | 'gold') => ledger.net(token, now, DAY + HOUR, DAY - HOUR);
  const isOutflow =
    (usdc > 0n && net('usdc') + usdc > settings.dailyOutflowUsdc) ||
    (gold > 0n && net('gold') + gold > settings.dailyOutflowGold);
  if (!trades.includes(sent.name)) return isOutflow;
  const traded = Ledger.sum(ledger.volume(sent.account('integrator')), now, DAY + HOUR);
  return isOutflow || traded + amounts(sent).volume > sent.integrator().dailyLimitUsdc;
}

/** What is proposed or announced for the instruction, when it is ready. */
function readyAt(sent: Sent): bigint | undefined {
  const { ledger } = sent;
  if (sent.name === 'applySettings') return ledger.proposal?.readyAt;
  if (sent.name === 'acceptAdmin') return ledger.admin?.readyAt;
  if (sent.name === 'applyAuthority') return sent.integrator().proposals[Number(sent.args.role)]?.readyAt;
  if (sent.name === 'reclaimRedemption') return sent.redemption().reclaimableAt;
  return sent.redemption().burnReadyAt;
}

const isShort = (sent: Sent): boolean => {
  if (sent.name === 'redeem') return balance(sent, sent.account('userGold')) < sent.number('amount');
  if (sent.name === 'partnerWithdraw')
    return balance(sent, sent.account('vaultToken')) < sent.number('amount');
  const { amountIn, isPurchase } = amounts(sent);
  const trader = isVault(sent) ? 'vault' : 'user';
  return balance(sent, sent.account(`${trader}${isPurchase ? 'Usdc' : 'Gold'}`)) < amountIn;
};

const isIlliquid = (sent: Sent): boolean => {
  const { config } = sent.before;
  if (sent.name === 'treasuryWithdraw')
    return balance(sent, sent.account('treasuryToken')) < sent.number('amount');
  const { usdc, gold } = outflow(sent);
  return balance(sent, config.treasuryUsdc) < usdc || balance(sent, config.treasuryGold) < gold;
};

const isUnbacked = ({ before, ledger, ...sent }: Sent): boolean =>
  before.supply + (sent.name === 'mintGold' ? BigInt(sent.args.amount as bigint) : 0n) > ledger.backed();

const excuses: Record<string, (sent: Sent) => boolean> = {
  Unauthorized: (sent) => sent.hasEmptySigner || !isSigned(sent),
  MissingSignature: (sent) => !isSigned(sent),
  NotExecutive: (sent) => !isSigned(sent),
  Paused: isPaused,
  MarketClosed: (sent) => !isOpen(sent) && settingsOf(sent).maxAgeClosed === 0,
  IntegratorSuspended: (sent) => sent.integrator().status === IntegratorStatus.Suspended,
  Expired: (sent) => sent.number('expireAt') < sent.now,
  ExpiryTooFar: (sent) => sent.number('expireAt') > sent.now + DAY,
  OrderExecuted: (sent) => sent.ledger.receipts.has(sent.account('receipt')),
  NotClosable: (sent) => sent.now <= (sent.ledger.receipts.get(sent.account('receipt')) ?? 0n),
  FeeTooHigh: (sent) => {
    const { maxFeeBps } = settingsOf(sent);
    const fees = trades.includes(sent.name) ? sent.integrator() : (sent.args as Record<string, number>);
    return Number(fees.openFeeBps) > maxFeeBps || Number(fees.closedFeeBps) > maxFeeBps;
  },
  LimitTooHigh: (sent) => sent.number('dailyLimitUsdc') > settingsOf(sent).dailyOutflowUsdc,
  ZeroAmount: (sent) =>
    trades.includes(sent.name)
      ? amounts(sent).amountIn <= 0n || amounts(sent).amountOut <= 0n
      : sent.number('amount') === 0n,
  TradeTooLarge: (sent) => amounts(sent).volume > settingsOf(sent).maxTradeUsdc,
  OppositeSideTooEarly: (sent) => {
    const last = sent.ledger.vaults.get(sent.account('integrator'));
    const side = purchases.includes(sent.name) ? 1 : 2;
    const wait = BigInt(settingsOf(sent).oppositeSideSeconds);
    return last !== undefined && last.side !== side && sent.now - last.at < wait;
  },
  DailyLimitExceeded: isAboveLimit,
  InsufficientFunds: isShort,
  InsufficientLiquidity: isIlliquid,
  ArithmeticOverflow: (sent) =>
    Object.values(sent.args).some((value) => typeof value === 'bigint' && value > 2n ** 60n),
  NotReady: (sent) => (readyAt(sent) ?? 0n) > sent.now,
  ProposalExpired: (sent) => !isDue(sent.now, readyAt(sent) ?? 0n),
  NothingProposed: (sent) =>
    sent.name === 'cancelAdmin'
      ? sent.ledger.admin === undefined
      : sent.integrator().proposals[Number(sent.args.role)]?.key === ZERO_ADDRESS,
  ProposalPending: (sent) => sent.ledger.proposal !== undefined,
  BurnNotAnnounced: (sent) => sent.redemption().burnReadyAt === undefined,
  BurnAnnounced: (sent) =>
    sent.name === 'settleRedemption'
      ? sent.redemption().burnReadyAt !== undefined
      : isAlive(sent.now, sent.redemption()),
  BurnAnnouncedBefore: (sent) =>
    sent.redemption().wasAnnounced && sent.now >= sent.redemption().reclaimableAt,
  AlreadyInitialized: (sent) =>
    sent.name === 'initialize' || sent.ledger.redemptions.has(sent.account('redemption')),
  InvalidAccountOwner: (sent) =>
    of('applySettings', 'cancelSettings')(sent)
      ? sent.ledger.proposal === undefined
      : !sent.ledger.redemptions.has(sent.account('redemption')),
  TokenAccountFrozen: ({ before }) => before.frozen.size > 0,
  TokenAccountNotFrozen: (sent) => !sent.before.frozen.has(sent.account('account')),
  FreezeDisabled: (sent) => settingsOf(sent).freezeEnabled === 0,
  NothingToSweep: (sent) =>
    sent.number('amount') > balance(sent, sent.account('escrowGold')) - sent.ledger.open(),
  NotBacked: isUnbacked,
  AttestationStale: (sent) => sent.now - sent.ledger.report.asOf > BigInt(settingsOf(sent).maxAttestationAge),
  OracleStale: (sent) => {
    const { maxAgeOpen, maxAgeClosed } = settingsOf(sent);
    return priceAge(sent) > BigInt(isOpen(sent) ? maxAgeOpen : maxAgeClosed);
  },
  UsdcOffPeg: (sent) =>
    sent.world.usdcPrice < settingsOf(sent).minUsdcPriceE8 ||
    priceAge(sent) > BigInt(settingsOf(sent).maxAgeOpen),
  InvalidTokenOwner: (sent) =>
    sent.name === 'treasuryWithdraw' &&
    !settingsOf(sent).withdrawOwners.includes(sent.ownerOf('destination')),
  AccountAlias: (sent) => sent.account('vaultToken') === sent.account('destination'),
  // Keys and lists that are random: the tables of refusals have each case.
  InvalidArgument: of(
    ...['initialize', 'proposeSettings', 'proposeAdmin', 'replaceKey', 'updateExecutives', 'attest'],
    ...['handOverAuthority', 'proposeAuthority'],
  ),
  RoleConflict: of(
    ...['initialize', 'proposeSettings', 'applySettings', 'proposeAdmin', 'acceptAdmin', 'replaceKey'],
  ),
  ExecutiveExists: of('updateExecutives'),
  ExecutiveMissing: of('updateExecutives'),
  TooManyExecutives: of('updateExecutives'),
  NoExecutiveLeft: of('updateExecutives'),
};

/** Whether an instruction that was built rightly may be refused with this error. */
export function isExcused(sent: Sent, error: string): boolean {
  return excuses[error]?.(sent) === true;
}
