import { token2022Program } from '@karat/signer';
import type { Base58EncodedBytes } from '@solana/kit';
import { checkBalances, type Doubts } from '../actions/treasury/check-balances.js';
import { burnFindings, escrowFindings, reserveFindings } from '../actions/treasury/reconcile.js';
import type { Chain } from '../chain/chain.js';
import { readTreasurySnapshot } from '../chain/program/program-snapshot.js';
import type { Tx } from '../db/client.js';
import { findTreasuryBaselines } from '../db/treasury/treasury-movements.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import type { Backing } from '../domain/reserves/backing.js';
import type { ChainSnapshot } from './snapshot.js';
import { type Broken, counted, pending, type Verdict, verdictOf } from './verdict.js';

/** Where a token account has its mint, and its amount. */
const mintAt = 0n;
const amountAt = 64;
const amountBytes = 8;

const units = (amount: bigint) => formatDecimal(amount, tokenDecimals);

/**
 * Adds up all accounts of GOLD. Rejects when the node fails. Supply that moved meanwhile shows as a fault that the next look
 * does not find.
 */
export async function checkGoldSupply(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  signal: AbortSignal,
): Promise<Verdict> {
  const { goldMint, supply } = await readTreasurySnapshot(chain, signal, 'finalized');
  const accounts = await chain.rpc
    .getProgramAccounts(token2022Program, {
      commitment: 'finalized',
      encoding: 'base64',
      filters: [
        { memcmp: { offset: mintAt, bytes: goldMint as string as Base58EncodedBytes, encoding: 'base58' } },
      ],
      dataSlice: { offset: amountAt, length: amountBytes },
    })
    .send({ abortSignal: signal });
  const amounts = accounts.map(({ account }) => Buffer.from(account.data[0], 'base64').readBigUInt64LE());
  const held = amounts.reduce((sum, amount) => sum + amount, 0n);
  const fault = `has a supply of ${units(supply)} GOLD, and its accounts hold ${units(held)}`;
  const detail = `The accounts of GOLD hold its supply of ${units(supply)}: ${counted(accounts.length, 'account')}.`;
  return verdictOf('gold_supply', detail, held === supply ? [] : [{ row: `mint ${goldMint}`, fault }]);
}

/**
 * Compares what the treasury accounts hold, in GOLD and USDC, with the sum of their recorded movements. A difference has to be
 * found twice with the same `doubts`.
 */
export async function checkTreasury(tx: Tx, { treasury }: ChainSnapshot, doubts: Doubts): Promise<Verdict> {
  const known = new Set((await findTreasuryBaselines(tx)).map(({ account }) => account));
  const { differences, undecided, baselines } = await checkBalances(tx, treasury, doubts);
  const fresh = baselines.filter(({ account, balance }) => !known.has(account) && balance !== 0n);
  const broken = differences.map(({ role, account, balance, difference }) => ({
    row: `account ${account} (${role})`,
    fault: `holds ${units(balance)}, and its movements lead to ${units(balance - difference)}`,
  }));
  if (broken.length === 0 && undecided.length + fresh.length > 0)
    return pending(
      'treasury_balances',
      `Nothing can be said yet of ${[...undecided, ...fresh.map(({ account }) => account)].join(', ')}: the keeper compares balances first.`,
    );
  const detail = `Treasury, fees and escrow hold what their movements lead to: ${counted(treasury.balances.length, 'account')}.`;
  return verdictOf('treasury_balances', detail, broken);
}

/** Compares escrow with what open redemptions need, by the program and by the records. */
export async function checkEscrow(tx: Tx, { treasury }: ChainSnapshot): Promise<Verdict> {
  const { escrowOpen, escrowAuthority } = treasury.config;
  const broken = (await escrowFindings(tx, treasury)).map(({ detail }) => ({
    row: `escrow ${escrowAuthority}`,
    fault: `holds ${detail.held} base units; open redemptions need ${detail.open} by the program and ${detail.recorded} by the records`,
  }));
  return verdictOf('escrow', `Escrow holds what open redemptions need: ${units(escrowOpen)} GOLD.`, broken);
}

/** Compares the GOLD that exists with what is attested less what was burned, and with the bars. */
export async function checkBacking(
  tx: Tx,
  { treasury }: ChainSnapshot,
  { bars, awaitingBurn, barsSurplus }: Backing,
): Promise<Verdict> {
  const { supply, goldMint, config } = treasury;
  const attested: Broken[] = reserveFindings(treasury).map(({ detail }) => ({
    row: `mint ${goldMint}`,
    fault: `has a supply of ${detail.supply} base units; ${detail.attested} are attested, less ${detail.burned_since} burned since`,
  }));
  const burned: Broken[] = (await burnFindings(tx, treasury)).map(({ detail }) => ({
    row: 'operator_transactions',
    fault: `have ${detail.recorded} base units burned, and the program has counted ${detail.burned}`,
  }));
  const fault = `hold ${units(bars.gold)} oz, and ${units(supply - awaitingBurn)} GOLD are outstanding`;
  const broken = [...attested, ...burned, ...(barsSurplus < 0n ? [{ row: 'bars', fault }] : [])];
  const detail = `The supply of ${units(supply)} GOLD is within what is attested and within the bars, and ${units(config.burnedTotal)} were burned by both sides.`;
  return verdictOf('backing', detail, broken);
}
