import {
  getSuspendIntegratorInstructionAsync,
  getUpdateIntegratorInstructionAsync,
  type Integrator,
  IntegratorStatus,
} from '@karat/program-client';
import { type Address, createNoopSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import type { Static } from 'typebox';
import { readIntegratorSeq } from '../../chain/admin/admin-operations.js';
import {
  createIntegratorInstructions,
  type IntegratorKeys,
  type IntegratorTerms,
} from '../../chain/admin/seed.js';
import { actingRole, keyOf, payerOf } from '../../chain/build/prepare-transaction.js';
import type { IntegratorEntry } from '../../chain/program/integrator.js';
import { noKey } from '../../chain/program/wallet.js';
import { noLimit } from '../../chain/program/window.js';
import type { Context } from '../../context.js';
import type { Db, Tx } from '../../db/client.js';
import { findPartnerWallet } from '../../db/partners/partner-wallets.js';
import type { Uuid } from '../../domain/ids.js';
import { amountNumber } from '../../domain/money.js';
import { maxExecutives } from '../../domain/order.js';
import { asWalletAddress } from '../../domain/solana.js';
import { AppError, invalidField, notAllowed, unavailable } from '../../errors.js';
import type { ChainSteps, PlanFacts } from '../approvals/plan.js';
import { hashOf } from '../approvals/plan-change.js';
import { readStored, stored } from '../approvals/stored-request.js';
import { limitView } from '../program/settings.js';
import { requireAllowedWallets } from '../screening/require-allowed-wallets.js';
import { positiveAmount } from '../trades/quote-trade.js';
import { getPartner } from './get-partner.js';
import { type OnChain, readOnChain } from './read-on-chain.js';

/** The program's accounts are read every 2 s, and sooner by their subscription. */
const learnWithinMs = 4_000;
const learnPollMs = 50;

/** How a partner shall be on chain. */
export interface OnchainRequest {
  partnerId: string;
  walletAddress: string;
  openFeeBps: number;
  closedFeeBps: number;
  /** USDC in 24 hours, at most what may leave the treasury. Default: as it is, that of the treasury for a new one. */
  dailyLimitUsdc?: number | 'none' | undefined;
  updateAuthority: string;
  withdrawalAuthority: string;
  executiveAuthorities: string[];
  /** Default: as it is, `active` for a new one. */
  status?: 'active' | 'suspended' | undefined;
  /** The number of changes of the terms that it was decided on, 0 before there are any. Default: the present one. */
  expectedTermsSeq?: number | undefined;
}

/** The same with what the partner has now where nothing else was requested. */
type WantedTerms = Omit<OnchainRequest, 'partnerId'> & {
  dailyLimitUsdc: number | 'none';
  status: 'active' | 'suspended';
};

/** How a partner is put on chain, or changed there. */
export interface PartnerPlan extends PlanFacts {
  in: 'chain';
  action: 'partner.onchain';
  /** The partner's id. */
  objectId: Uuid;
  integrator: IntegratorEntry | undefined;
  wanted: WantedTerms;
  parties: Parties;
}

/**
 * Decides whether a partner can be put on chain, or changed there, as requested: its wallet is one of its active ones,
 * fees and limit are within what the program allows, and every key of a partner that is on chain, its 1 to 8 executives among them,
 * stays what it is: fees and status are all that the service may change. Throws `partner_not_found`, `invalid_wallet`
 * or `invalid_request` with the field, `wallet_not_allowed`, and `transition_not_allowed` if the terms are not those that it was decided on,
 * also when only the chain shows that, as the change is carried out.
 */
export async function planOnchain(ctx: Context, request: OnchainRequest): Promise<PartnerPlan> {
  const { id, status, updatedAt } = await getPartner(ctx.db, request.partnerId);
  const integrator = ctx.chain.program.integrator(id);
  const present = integrator?.data;
  const termsSeq = present?.termsSeq ?? 0;
  requireTermsSeq(request.expectedTermsSeq, termsSeq);
  const wanted = {
    ...request,
    status: request.status ?? (present ? statusOf(present) : 'active'),
    dailyLimitUsdc: request.dailyLimitUsdc ?? limitView(present?.dailyLimitUsdc ?? highestLimit(ctx)),
  };
  const parties = readParties(wanted);
  // What it has may be outside of what the program allows by now, and can be stopped all the same.
  if (!present || !isSuspension(present, termsOf(wanted))) {
    requireFees(ctx, wanted);
    requireLimit(ctx, wanted);
  }
  await requireOwnWallet(ctx.db, id, parties.wallet);
  if (present) {
    requireSameKeys(present, parties);
    requireSameExecutives(present, parties.executives);
  }
  // A partner with a listed wallet can still be stopped, and its terms be tightened.
  if (wanted.status === 'active' && (!present || statusOf(present) === 'suspended')) {
    const { wallet, update, withdrawal, executives } = parties;
    const wallets = [wallet, update, withdrawal, ...executives];
    await requireAllowedWallets(ctx, { wallets, stage: 'registration', partnerId: id });
  }
  const before = stateOf(present);
  return {
    in: 'chain',
    action: 'partner.onchain',
    objectId: id,
    integrator,
    wanted,
    parties,
    request: toStored(wanted),
    before,
    // What an approver agrees to is a change of this state, of the partner and of what it is on chain, and of no other.
    objectHash: hashOf([id, status, updatedAt.toISOString(), before, termsSeq]),
    takesTwo: true,
  };
}

/** Errors of the program when a partner is not as it was planned to be changed, or is there already. */
const changedMeanwhile: ReadonlySet<string> = new Set(['StaleSequence', 'AlreadyInitialized']);

/** Returns what an approval kept. Throws `internal_error` for what this service did not write. */
export function readStoredOnchain(partnerId: string, request: Record<string, unknown>): OnchainRequest {
  const wanted = readStored(stored.onchain, request);
  return {
    partnerId,
    walletAddress: wanted.wallet_address,
    openFeeBps: wanted.open_fee_bps,
    closedFeeBps: wanted.closed_fee_bps,
    dailyLimitUsdc: wanted.daily_limit_usdc,
    updateAuthority: wanted.update_authority,
    withdrawalAuthority: wanted.withdrawal_authority,
    executiveAuthorities: wanted.executive_authorities,
    status: wanted.status,
  };
}

/** Returns what an approver sees and an approval keeps. */
function toStored(wanted: WantedTerms): Static<typeof stored.onchain> {
  return {
    wallet_address: wanted.walletAddress,
    open_fee_bps: wanted.openFeeBps,
    closed_fee_bps: wanted.closedFeeBps,
    daily_limit_usdc: wanted.dailyLimitUsdc,
    update_authority: wanted.updateAuthority,
    withdrawal_authority: wanted.withdrawalAuthority,
    executive_authorities: wanted.executiveAuthorities,
    status: wanted.status,
  };
}

interface Parties {
  wallet: Address;
  update: Address;
  withdrawal: Address;
  executives: Address[];
}

function readParties(request: WantedTerms): Parties {
  const executives = request.executiveAuthorities.map((text, index) =>
    readKey(text, `executive_authorities.${index}`),
  );
  if (executives.length < 1 || executives.length > maxExecutives) {
    throw invalidField(
      'executive_authorities',
      `executive_authorities must name 1 to ${maxExecutives} wallets.`,
    );
  }
  executives.forEach((executive, index) => {
    if (executives.indexOf(executive) === index) return;
    const field = `executive_authorities.${index}`;
    throw invalidField(field, `${field} is named twice.`);
  });
  return {
    wallet: readKey(request.walletAddress, 'wallet_address'),
    update: readKey(request.updateAuthority, 'update_authority'),
    withdrawal: readKey(request.withdrawalAuthority, 'withdrawal_authority'),
    executives,
  };
}

function readKey(text: string, field: string): Address {
  const address = asWalletAddress(text);
  if (address && address !== noKey) return address;
  throw new AppError('invalid_wallet', `${field} is not a valid public key.`, { field });
}

function requireTermsSeq(expected: number | undefined, present: number): void {
  if (expected === undefined || expected === present) return;
  throw termsChanged(expected);
}

function termsChanged(expected: number | undefined, cause?: unknown): AppError {
  return notAllowed('Somebody else has changed this partner on chain; check it again.', {
    ...(expected !== undefined && { field: 'expected_terms_seq' }),
    cause,
  });
}

/** Reads the limit for 24 hours, in base units. Throws `invalid_request`, also for 0. */
function readLimit({ dailyLimitUsdc: limit }: Pick<WantedTerms, 'dailyLimitUsdc'>): bigint {
  return limit === 'none' ? noLimit : positiveAmount(limit, 'daily_limit_usdc');
}

/** Returns the highest limit that a partner may have, base units: that of the treasury. */
function highestLimit(ctx: Context): bigint {
  return ctx.chain.program.config().settings.dailyOutflowUsdc;
}

function requireLimit(ctx: Context, wanted: WantedTerms): void {
  const highest = highestLimit(ctx);
  if (readLimit(wanted) <= highest) return;
  const text = `daily_limit_usdc is above ${amountNumber(highest)}, the limit of the treasury.`;
  throw invalidField('daily_limit_usdc', text);
}

function requireFees(ctx: Context, request: WantedTerms): void {
  const { minFeeBps, maxFeeBps } = ctx.chain.program.config().settings;
  const fees = { open_fee_bps: request.openFeeBps, closed_fee_bps: request.closedFeeBps };
  for (const [field, bps] of Object.entries(fees)) {
    if (bps >= minFeeBps && bps <= maxFeeBps) continue;
    if (bps < minFeeBps) {
      const text = `${field} is below ${minFeeBps}, the lowest fee that the program allows.`;
      throw invalidField(field, text);
    }
    throw invalidField(field, `${field} is above ${maxFeeBps}, the highest fee that the program allows.`);
  }
}

async function requireOwnWallet(db: Db | Tx, partnerId: Uuid, wallet: Address): Promise<void> {
  const own = await findPartnerWallet(db, partnerId, wallet);
  if (own?.status === 'active') return;
  throw invalidField('wallet_address', 'wallet_address is not an active wallet of this partner.');
}

function requireSameKeys(integrator: Integrator, { wallet, update, withdrawal }: Parties): void {
  const fixed = [
    ['wallet_address', wallet, integrator.partnerWallet],
    ['update_authority', update, integrator.updateAuthority],
    ['withdrawal_authority', withdrawal, integrator.withdrawalAuthority],
  ] as const;
  for (const [field, wanted, present] of fixed) {
    if (wanted !== present) throw invalidField(field, `${field} of a partner on chain cannot be changed.`);
  }
}

function requireSameExecutives(integrator: Integrator, wanted: Address[]): void {
  const present = executivesOf(integrator);
  if (present.length === wanted.length && wanted.every((each) => present.includes(each))) return;
  throw invalidField(
    'executive_authorities',
    "executive_authorities of a partner on chain can only be changed by the partner's own update authority, through the tradebook API.",
  );
}

function executivesOf({ executives, executiveCount }: Integrator): Address[] {
  return executives.slice(0, executiveCount);
}

function statusOf({ status }: Integrator): 'active' | 'suspended' {
  return status === IntegratorStatus.Active ? 'active' : 'suspended';
}

/**
 * Returns how a partner is on chain, as far as an admin or its update authority can change it; null when it is not
 * there.
 */
function stateOf(integrator: Integrator | undefined): Record<string, unknown> | null {
  if (!integrator) return null;
  return {
    wallet_address: integrator.partnerWallet,
    open_fee_bps: integrator.openFeeBps,
    closed_fee_bps: integrator.closedFeeBps,
    daily_limit_usdc: limitView(integrator.dailyLimitUsdc),
    update_authority: integrator.updateAuthority,
    withdrawal_authority: integrator.withdrawalAuthority,
    executive_authorities: executivesOf(integrator),
    status: statusOf(integrator),
  };
}

/** Makes the change of the partner as it was planned: the program refuses it if the terms have changed since. */
export const partnerOnChain: ChainSteps<PartnerPlan> = {
  async build({ chain }, { objectId: partnerId, integrator, wanted, parties }) {
    const config = chain.program.config();
    const { wallet, update, withdrawal, executives } = parties;
    const terms = termsOf(wanted);
    const keys: IntegratorKeys = {
      partnerWallet: wallet,
      updateAuthority: update,
      withdrawalAuthority: withdrawal,
    };
    // Stopping a partner must not depend on what its terms were when that was decided.
    const onlySuspends = integrator !== undefined && isSuspension(integrator.data, terms);
    const role = actingRole(
      chain,
      config,
      onlySuspends ? ['operations', 'guardian', 'admin'] : ['operations', 'admin'],
    );
    const authority = createNoopSigner(keyOf(config, role));
    const payer = createNoopSigner(payerOf(chain, config, [role]));
    const instructions = integrator
      ? [await changeInstruction(chain, authority, integrator, terms)]
      : await createIntegratorInstructions(
          chain.programAddress,
          config,
          { authority, payer },
          { partnerId, terms, keys, executives },
        );
    const change = onlySuspends ? 'suspend_integrator' : 'update_integrator';
    const kind = integrator ? change : 'create_integrator';
    return {
      row: { kind, partnerId },
      signedBy: [role],
      instructions,
      change: { before: stateOf(integrator?.data), after: toStored(wanted) },
    };
  },

  recheck: (_ctx, { tx }, { objectId, parties }) => requireOwnWallet(tx, objectId, parties.wallet),

  readResult: async (ctx, { objectId }, slot) => ({ onChain: await readChanged(ctx, objectId, slot) }),

  // What this process knows of the partner may be some seconds old; the program refuses to overwrite what is newer.
  async explain(_ctx, { wanted }, error) {
    const isOld = changedMeanwhile.has(error.programErrorName ?? '');
    return isOld ? termsChanged(wanted.expectedTermsSeq, error) : undefined;
  },
};

/** Returns the terms in the units of the program. */
function termsOf(wanted: WantedTerms): IntegratorTerms {
  return {
    status: wanted.status === 'suspended' ? IntegratorStatus.Suspended : IntegratorStatus.Active,
    openFeeBps: wanted.openFeeBps,
    closedFeeBps: wanted.closedFeeBps,
    dailyLimitUsdc: readLimit(wanted),
  };
}

/** Changes the terms of a partner on chain; one that is only suspended is so whatever became of its terms since. */
function changeInstruction(
  { programAddress }: Pick<Context['chain'], 'programAddress'>,
  authority: TransactionSigner,
  { address: integrator, data }: IntegratorEntry,
  terms: IntegratorTerms,
): Promise<Instruction> {
  const target = { programAddress };
  return isSuspension(data, terms)
    ? getSuspendIntegratorInstructionAsync({ authority, integrator }, target)
    : getUpdateIntegratorInstructionAsync(
        { authority, integrator, expectedTermsSeq: data.termsSeq, ...terms },
        target,
      );
}

/** Returns whether new terms stop an active partner and change nothing else. */
function isSuspension(present: Integrator, { status, ...terms }: IntegratorTerms): boolean {
  const same = (Object.keys(terms) as (keyof typeof terms)[]).every((name) => present[name] === terms[name]);
  return same && present.status === IntegratorStatus.Active && status === IntegratorStatus.Suspended;
}

/**
 * Reads the partner as the chain has it at `slot` or later, once this process shows it to everyone. Throws
 * `service_unavailable` when it does not learn of it in time.
 */
export async function readChanged(ctx: Context, partnerId: Uuid, slot: bigint): Promise<OnChain> {
  const { program } = ctx.chain;
  const integrator = await program.integratorAddress(partnerId);
  const end = performance.now() + learnWithinMs;
  let seq: bigint | undefined;
  for (;;) {
    // Others may have changed it too: only the number of its last event shows what the readings below include.
    seq ??= await readIntegratorSeq(ctx.chain, integrator, slot).catch(() => undefined);
    const [reading] = await readOnChain(ctx, [partnerId]);
    const known = reading && 'onChain' in reading ? (reading.onChain ?? undefined) : undefined;
    if (known && seq !== undefined && (program.integrator(partnerId)?.data.seq ?? 0n) >= seq) return known;
    if (performance.now() > end) {
      throw unavailable(
        'The chain has confirmed the change, but the node does not show it yet; read the partner again shortly.',
      );
    }
    await new Promise((resolve) => setTimeout(resolve, learnPollMs));
  }
}
