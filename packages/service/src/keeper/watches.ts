import type { Address } from '@solana/kit';
import { judgePrice, pegFaultOf } from '../chain/program/price.js';
import type { KeeperView } from '../chain/program/program-snapshot.js';
import { noKey } from '../chain/program/wallet.js';
import type { Signer } from '../chain/sign/signer.js';
import type { Config } from '../config.js';
import type { KeeperReport, WatchName, WatchStatus } from '../domain/keeper-report.js';
import { formatDecimal, lamportDecimals, tokenDecimals } from '../domain/money.js';
import { describePauses, pauseFlags } from '../domain/program-status.js';
import { marketOf } from './market.js';

/** Below this share of a threshold it is no longer a warning. */
const criticalShare = 10n;

/**
 * Whose SOL is watched: the keys that this process holds. Without a service signer's key, those that the program knows are
 * watched, by the one with the least.
 */
export type WatchedKeys = Partial<Record<(typeof watchedNames)[number], Address>>;

const watchedNames = [
  'service_signer_sol',
  'guardian_sol',
  'operations_sol',
  'market_sol',
  'admin_sol',
] as const satisfies WatchName[];

export function watchedKeysOf(
  keys: Partial<Record<'service' | 'guardian' | 'operations' | 'market' | 'admin', Signer | undefined>>,
): WatchedKeys {
  const { service, guardian, operations, market, admin } = keys;
  return {
    ...(service && { service_signer_sol: service.address }),
    ...(guardian && { guardian_sol: guardian.address }),
    ...(operations && { operations_sol: operations.address }),
    ...(market && { market_sol: market.address }),
    ...(admin && { admin_sol: admin.address }),
  };
}

/** SOL of the service's keys against the threshold: they pay every fee. */
export function watchKeys(view: KeeperView, keys: WatchedKeys, config: Config): KeeperReport[] {
  const amountOf = (key: Address) => view.lamports.get(key) ?? 0n;
  const signers = view.config.hotKeys.serviceSigners.filter((key) => key !== noKey);
  const poorest = signers.reduce<Address | undefined>(
    (least, key) => (least !== undefined && amountOf(least) <= amountOf(key) ? least : key),
    undefined,
  );
  const watched: WatchedKeys = { ...(poorest && { service_signer_sol: poorest }), ...keys };
  return watchedNames.flatMap((name) => {
    const key = watched[name];
    if (key === undefined) return [];
    return stock({
      name,
      amount: amountOf(key),
      least: config.minSignerLamports,
      decimals: lamportDecimals,
      what: `SOL of ${key}`,
    });
  });
}

/** Reports what the treasury can pay out, against the thresholds. */
export function watchTreasury(view: KeeperView, config: Config): KeeperReport[] {
  const decimals = tokenDecimals;
  return [
    stock({
      name: 'treasury_usdc',
      amount: view.treasuryUsdc ?? 0n,
      least: config.minTreasuryUsdc,
      decimals,
      what: 'USDC of the treasury',
    }),
    stock({
      name: 'treasury_gold',
      amount: view.treasuryGold ?? 0n,
      least: config.minTreasuryGold,
      decimals,
      what: 'GOLD of the treasury',
    }),
  ];
}

interface Stock {
  name: WatchName;
  amount: bigint;
  least: bigint;
  decimals: number;
  what: string;
}

function stock({ name, amount, least, decimals, what }: Stock): KeeperReport {
  const value = formatDecimal(amount, decimals);
  const status = amount >= least ? 'ok' : amount * criticalShare >= least ? 'warning' : 'critical';
  const limit = formatDecimal(least, decimals);
  const detail = `${what}: ${value}, ${status === 'ok' ? `at least ${limit} as it should be` : `less than ${limit}`}.`;
  return { name, status, value, detail };
}

/** Reports whether escrow holds what open redemptions need, as the program counts it. */
export function watchEscrow({ config: { escrowOpen }, escrowGold = 0n }: KeeperView): KeeperReport {
  const value = formatDecimal(escrowGold - escrowOpen, tokenDecimals);
  const [holds, needed] = [escrowGold, escrowOpen].map((amount) => formatDecimal(amount, tokenDecimals));
  const status: WatchStatus = escrowGold >= escrowOpen ? 'ok' : 'critical';
  const detail = `Escrow holds ${holds} GOLD, and open redemptions need ${needed}.`;
  return { name: 'escrow_surplus_gold', status, value, detail };
}

/**
 * Reports whether trades find a price: its age against the limit of the market's state, and everything else about it.
 */
export function watchPrice(view: KeeperView, nowMs: number): KeeperReport {
  const { config, price } = view;
  const open = marketOf(config) === 'open';
  const name = 'price_age_seconds';
  if (!price) return { name, status: 'critical', value: null, detail: 'The price account does not exist.' };
  const nowSeconds = BigInt(Math.floor(nowMs / 1_000));
  // Judged by the open market too, whose limits say how old it is whatever the state.
  const judged = judgePrice(price, config, nowSeconds);
  if ('fault' in judged) {
    // A price grows old without trades, and a program that does not trade then needs none.
    return { name, status: open ? 'critical' : 'ok', value: null, detail: judged.fault };
  }
  // The publisher's clock may be a little ahead of ours.
  const aheadSeconds = judged.publishTimeSeconds - nowSeconds;
  const ageSeconds = aheadSeconds > 0n ? 0n : -aheadSeconds;
  const limitSeconds = BigInt(open ? config.settings.maxAgeOpen : config.settings.maxAgeClosed);
  const old = ageSeconds * 2n > limitSeconds;
  return {
    name,
    status: old ? 'warning' : 'ok',
    value: ageSeconds.toString(),
    detail: `The price is ${ageSeconds} s old, at most ${limitSeconds} s are accepted while the market is ${open ? 'open' : 'closed'}.`,
  };
}

/** Reports whether gold can be bought with USDC: its price is watched like that of gold. */
export function watchPeg({ config, usdcPrice }: KeeperView, nowMs: number): KeeperReport {
  const fault = usdcPrice
    ? pegFaultOf(usdcPrice, config, BigInt(Math.floor(nowMs / 1_000)))?.fault
    : 'The account of the price of USDC does not exist.';
  return {
    name: 'usdc_peg',
    status: fault === undefined ? 'ok' : 'critical',
    value: null,
    detail: fault ?? 'USDC is worth what is needed to buy gold with it.',
  };
}

export function watchPauses({ config }: KeeperView, nowMs: number): KeeperReport {
  const paused = pauseFlags(config, nowMs);
  const detail = describePauses(paused);
  const status = detail === undefined ? 'ok' : 'warning';
  return { name: 'paused', value: paused.toString(), status, detail: detail ?? 'Nothing is paused.' };
}
