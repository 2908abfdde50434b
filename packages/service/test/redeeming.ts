import { readLegacyTransaction } from '@karat/wire';
import { type Address, getAddressDecoder } from '@solana/kit';
import { inChange } from '../src/actions/change.js';
import {
  advanceRedemption,
  type OperatorStep,
  requireAdvanceable,
} from '../src/actions/redemptions/advance-redemption.js';
import { getVisibleRedemption } from '../src/actions/redemptions/get-redemption.js';
import { readPickupCode, wrongCode } from '../src/actions/redemptions/pickup-code.js';
import type { Context } from '../src/context.js';
import { type Bar, findBarsFor, insertBars, updateBar } from '../src/db/bars/bars.js';
import { insertDenomination } from '../src/db/catalogue/denominations.js';
import type { Tx } from '../src/db/client.js';
import { findUnfinalizedOf, markFinalized } from '../src/db/indexing/finality.js';
import { savePickupCode } from '../src/db/redemptions/pickup-codes.js';
import {
  insertRedemption,
  moveRedemption,
  type Redemption,
  type RedemptionQuote,
} from '../src/db/redemptions/redemptions.js';
import { commandLine } from '../src/domain/audit.js';
import { newId, type RedemptionId, type UserId } from '../src/domain/ids.js';
import { goldUnits } from '../src/domain/money.js';
import { issueCode } from '../src/domain/pickup-code.js';
import { nextStatus, type RedemptionEvent, type RedemptionStatus } from '../src/domain/redemption.js';
import type { GivenPartner, Harness, Wallet } from './harness.js';
import { addressNamed, signatureNamed } from './named-keys.js';
import { openByDecree } from './opened-redemptions.js';

/** Advances a redemption as the route of an operator does, by the command line. */
export async function advance(
  ctx: Pick<Context, 'db' | 'clock' | 'chain' | 'config'>,
  step: OperatorStep,
): Promise<Redemption> {
  await requireAdvanceable(ctx, step);
  const advanced = await inChange(ctx, commandLine, (change) => advanceRedemption(ctx, change, step));
  if ('attemptsLeft' in advanced) throw wrongCode(advanced.attemptsLeft);
  return advanced.moved;
}

/** A tola, 0.375 oz exactly. */
export const tola = {
  id: 'pk_tola_1',
  label: '1 tola bar',
  weightG: '11.6638038',
  country: 'PK',
  city: 'Karachi',
  active: true,
};
export const denominations = [
  tola,
  { id: 'pk_g_10', label: '10 g bar', weightG: '10', country: 'PK', city: 'Lahore', active: true },
  { id: 'pk_oz_1', label: '1 oz bar', weightG: '31.1034768', country: 'PK', city: 'Karachi', active: true },
  { id: 'pk_old', label: 'Old bar', weightG: '5', country: 'PK', city: 'Karachi', active: false },
  { id: 'ae_kg_1', label: '1 kg bar', weightG: '1000', country: 'AE', city: 'Dubai', active: true },
];

export async function seedDenominations(service: Harness): Promise<void> {
  const at = new Date(service.ctx.clock.now());
  await service.ctx.db.transaction(async (tx) => {
    for (const denomination of denominations) await insertDenomination(tx, denomination, at);
  });
}

/** How a redemption comes to a state, from the quote on. */
const paths: Record<RedemptionStatus, RedemptionEvent[]> = {
  quoted: [],
  submitted: ['land'],
  preparing: ['land', 'prepare'],
  ready: ['land', 'prepare', 'ready'],
  collected: ['land', 'prepare', 'ready', 'collect'],
  cancellation_requested: ['land', 'request_cancellation'],
  cancelled: ['land', 'request_cancellation', 'cancel'],
  failed: ['revert'],
  lapsed: ['lapse'],
};

/** What has become of the bar of a redemption in a state. */
const barOf: Partial<Record<RedemptionStatus, 'reserved' | 'handed_over'>> = {
  preparing: 'reserved',
  ready: 'reserved',
  collected: 'handed_over',
};

/** Reserves a bar for a redemption, one that is entered for it unless one is given, and hands it over where it is collected. */
async function giveBar(
  tx: Tx,
  quote: Pick<RedemptionQuote, 'id' | 'denominationId' | 'weightG' | 'city'>,
  { to, found }: { to: 'reserved' | 'handed_over'; found?: Bar | undefined },
  at: Date,
): Promise<void> {
  const { denominationId, weightG, city } = quote;
  const bar = { serial: `of ${quote.id}`, refiner: 'Valcambi', fineness: '999.9' };
  const [given] = found ? [found] : await insertBars(tx, [{ ...bar, denominationId, weightG, city }], at);
  if (!given) throw new Error('the bar is there already');
  await updateBar(tx, given, { status: 'reserved', redemptionId: quote.id }, at);
  if (to === 'handed_over') await updateBar(tx, { ...given, status: 'reserved' }, { status: to }, at);
}

/** Enters a bar, and reserves it for a redemption. */
export async function setBarAside({ ctx }: Pick<Harness, 'ctx'>, id: string): Promise<void> {
  const redemption = await getVisibleRedemption(ctx.db, id);
  await ctx.db.transaction((tx) => giveBar(tx, redemption, { to: 'reserved' }, new Date(ctx.clock.now())));
}

let signatures = 0;

/** A redemption in any state, written to the database by the moves that lead there. */
export async function givenRedemption(
  service: Harness,
  owner: { partner: GivenPartner; user: { id: UserId; wallet: Wallet } },
  overrides: Partial<RedemptionQuote> & {
    status?: RedemptionStatus;
    at?: Date;
    /** Whether it has a bar, or the serial of one of Valcambi in stock; default: from its preparation on. Without one it is never ready. */
    bar?: boolean | string;
    /** Whether a payment that landed is final; default: true. */
    finalized?: boolean;
    /** Where a payment landed; default: 5. */
    slot?: bigint;
    /** From when its user can take the tokens back; default: 30 days later. */
    reclaimableAt?: Date;
    /** What happens while the rows are written and not committed. */
    beforeCommit?: () => Promise<void>;
  } = {},
): Promise<RedemptionId> {
  const {
    status = 'submitted',
    bar = barOf[status] !== undefined,
    finalized = true,
    slot = 5n,
    at = new Date(service.ctx.clock.now()),
    reclaimableAt = new Date(at.getTime() + 30 * 86_400_000),
    beforeCommit,
    ...quoted
  } = overrides;
  signatures += 1;
  const quote: RedemptionQuote = {
    id: newId('red'),
    partnerId: owner.partner.partnerId,
    userId: owner.user.id,
    denominationId: tola.id,
    denomination: tola.label,
    weightG: tola.weightG,
    city: tola.city,
    spotPriceUsd: '4100.12',
    tokensRequired: goldUnits(380_625n),
    goldValueUsd: 1_537_545_000n,
    feeUsd: 23_063_175n,
    totalUsd: 1_560_608_175n,
    userWallet: owner.user.wallet.address,
    escrowAccount: addressNamed('escrow'),
    quoteTxSignature: signatureNamed(`quote-${signatures}`),
    lastValidBlockHeight: 1_000n,
    ...quoted,
  };
  await service.ctx.db.transaction(async (tx) => {
    await insertRedemption(tx, quote, { at, actor: 'indexer', note: null });
    let from: RedemptionStatus = 'quoted';
    for (const event of paths[status]) {
      const to = nextStatus(from, event);
      const landing =
        event === 'land' || event === 'revert'
          ? {
              txSignature: quote.quoteTxSignature,
              slot,
              reclaimableAt: event === 'land' ? reclaimableAt : null,
            }
          : {};
      const failure =
        event === 'revert'
          ? { failureReason: 'instruction 3: Custom 1', reason: 'program_error' as const }
          : {};
      const step = { from, to, at, actor: 'indexer', note: null } as const;
      if (!(await moveRedemption(tx, quote.id, step, { ...landing, ...failure })))
        throw new Error(`not moved to ${to}`);
      from = to;
    }
    const named = typeof bar === 'string' ? (await findBarsFor(tx, quote.id, bar)).found : [];
    const found = named.find(({ refiner }) => refiner === 'Valcambi');
    if (bar) await giveBar(tx, quote, { to: barOf[status] ?? 'reserved', found }, at);
    const secret = service.ctx.config.pickupSecret?.reveal() ?? '';
    if (from === 'ready') await savePickupCode(tx, issueCode(secret, quote.id), at);
    if (finalized && from !== 'quoted' && from !== 'lapsed')
      await markFinalized(tx, await findUnfinalizedOf(tx, quote.quoteTxSignature));
    await beforeCommit?.();
  });
  if (paths[status].includes('land')) await openByDecree(service.ctx.config.programId, quote);
  return quote.id;
}

/** The code of a redemption that is ready, as its partner reads it. */
export async function pickupCodeOf({ ctx }: Pick<Harness, 'ctx'>, id: string): Promise<string> {
  const redemption = await getVisibleRedemption(ctx.db, id);
  const code = await readPickupCode(ctx, redemption);
  if (code === undefined) throw new Error(`${id} has no pickup code`);
  return code;
}

/** Another code than the right one. */
export const wrongCodeFor = (code: string) => (code === '00000000' ? '11111111' : '00000000');

/** Accounts of a wire transaction as addresses. */
export function addressesOf(transaction: Uint8Array): Address[] {
  return readLegacyTransaction(transaction).accounts.map((key) => getAddressDecoder().decode(key));
}
