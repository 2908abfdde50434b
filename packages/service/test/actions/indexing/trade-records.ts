import { type ChainRecord, emptyRecord, recordChain } from '../../../src/actions/indexing/record-chain.js';
import type { TradeFacts } from '../../../src/actions/trades/write-trades.js';
import type { Context } from '../../../src/context.js';
import { noFailure } from '../../../src/db/failure.js';
import { deadLetters } from '../../../src/db/schema.js';
import { newId, type UserId, type Uuid } from '../../../src/domain/ids.js';
import { goldUnits, usdcUnits } from '../../../src/domain/money.js';
import { type Harness, harness, type Wallet } from '../../harness.js';
import { signatureNamed } from '../../named-keys.js';

export interface TradeRecords {
  h: Harness;
  ctx: Context;
  partnerId: Uuid;
  user: { id: UserId; wallet: Wallet };
  /** A trade of the user, as the chain shows it. */
  facts(changes?: Partial<TradeFacts>): TradeFacts;
  /** A transaction of its own with a trade and its event, or with neither. */
  record(trade: TradeFacts | undefined, changes?: Partial<ChainRecord>): ChainRecord;
  write(...records: ChainRecord[]): Promise<void>;
  deadLetterRows(): Promise<{ signature: string; reason: string; open: boolean }[]>;
}

/** A partner with a user, and what the chain may hold of them. */
export async function givenTradeRecords(): Promise<TradeRecords> {
  const h = await harness();
  const { ctx, main } = h;
  const { partnerId } = main;
  const user = await h.givenUser(partnerId);
  const integrator = await ctx.chain.program.integratorAddress(partnerId);
  let signatures = 0;
  return {
    h,
    ctx,
    partnerId,
    user,
    facts: (changes = {}) => ({
      id: newId('trd'),
      side: 'buy',
      status: 'confirmed',
      usdcAmount: usdcUnits(100_000_000n),
      goldAmount: goldUnits(24_267n),
      pricePerTroyOz: '4100.12',
      feeBps: 50,
      feeUsdc: usdcUnits(500_000n),
      eventSeq: 1n,
      ...noFailure,
      userWallet: user.wallet.address,
      integrator,
      partnerId,
      ...changes,
    }),
    record(trade, changes = {}) {
      signatures += 1;
      const events = trade?.eventSeq ? [{ partnerId, seq: trade.eventSeq, kind: 14 }] : [];
      return { ...emptyRecord(signatureNamed(`signature-${signatures}`), 10n), trade, events, ...changes };
    },
    write: (...records) => recordChain(ctx, records),
    deadLetterRows: async () =>
      (await ctx.db.select().from(deadLetters)).map(({ signature, reason, resolvedAt }) => ({
        signature,
        reason,
        open: resolvedAt === null,
      })),
  };
}
