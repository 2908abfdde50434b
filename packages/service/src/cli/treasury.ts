import { fundTreasury, sweepEscrow, withdrawTreasury } from '../actions/treasury/move-treasury.js';
import { commandLine } from '../domain/audit.js';
import { formatDecimal, tokenDecimals } from '../domain/money.js';
import { type Call, done, type Outcome, UsageError } from './command.js';
import { readAddress, readFeePayer, readIfGiven } from './keys.js';
import { readAmount, readReason } from './texts.js';
import { toChange } from './transactions.js';
import { withContext } from './with-database.js';

export async function fund(call: Call): Promise<Outcome> {
  const [usdc, gold] = [readTokens(call, 'usdc'), readTokens(call, 'gold')];
  if (usdc === undefined && gold === undefined) {
    throw new UsageError('karat treasury fund takes --usdc AMOUNT, --gold AMOUNT or both');
  }
  const reason = readReason(call);
  const feePayer = readFeePayer(call);
  const act = await withContext(call, (ctx) =>
    fundTreasury(ctx, commandLine, { usdc, gold, feePayer, reason }),
  );
  const shown = (amount: bigint | undefined) => formatDecimal(amount ?? 0n, tokenDecimals);
  return done({ usdc: shown(usdc), gold: shown(gold), ...toChange(act) });
}

export async function sweep(call: Call): Promise<Outcome> {
  const gold = readAmount(call, 'gold', tokenDecimals);
  const swept = { gold, feePayer: readFeePayer(call), reason: readReason(call) };
  const act = await withContext(call, (ctx) => sweepEscrow(ctx, commandLine, swept));
  return done({ gold: formatDecimal(gold, tokenDecimals), ...toChange(act) });
}

export async function withdraw(call: Call): Promise<Outcome> {
  const named = (['usdc', 'gold', 'fees'] as const).flatMap((from) => {
    const amount = readTokens(call, from);
    return amount === undefined ? [] : [{ from, amount }];
  });
  const [source] = named;
  if (source === undefined || named.length > 1) {
    throw new UsageError(
      'karat treasury withdraw takes one of --usdc AMOUNT, --gold AMOUNT and --fees AMOUNT',
    );
  }
  const to = readAddress(call, 'to');
  const withdrawn = { ...source, to, feePayer: readFeePayer(call), reason: readReason(call) };
  const act = await withContext(call, (ctx) => withdrawTreasury(ctx, commandLine, withdrawn));
  return done({ [source.from]: formatDecimal(source.amount, tokenDecimals), to, ...toChange(act) });
}

function readTokens(call: Call, name: 'usdc' | 'gold' | 'fees'): bigint | undefined {
  return readIfGiven(call, name, () => readAmount(call, name, tokenDecimals));
}
