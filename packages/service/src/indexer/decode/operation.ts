import {
  ANNOUNCE_BURN_DISCRIMINATOR,
  APPLY_AUTHORITY_DISCRIMINATOR,
  APPLY_SETTINGS_DISCRIMINATOR,
  AuthorityRole,
  CANCEL_AUTHORITY_DISCRIMINATOR,
  CANCEL_BURN_DISCRIMINATOR,
  CANCEL_SETTINGS_DISCRIMINATOR,
  CREATE_INTEGRATOR_DISCRIMINATOR,
  getAnnounceBurnInstructionDataDecoder,
  getAuthorityChangeDecoder,
  getBurnAnnouncedDecoder,
  getIntegratorCreatedDecoder,
  getMintGoldInstructionDataDecoder,
  getPartnerTermsChangeDecoder,
  getReclaimRedemptionInstructionDataDecoder,
  getSettleRedemptionInstructionDataDecoder,
  getTreasuryWithdrawInstructionDataDecoder,
  HAND_OVER_AUTHORITY_DISCRIMINATOR,
  IntegratorStatus,
  type KaratEvent,
  MINT_GOLD_DISCRIMINATOR,
  PAUSE_DISCRIMINATOR,
  PROPOSE_AUTHORITY_DISCRIMINATOR,
  PROPOSE_SETTINGS_DISCRIMINATOR,
  RECLAIM_REDEMPTION_DISCRIMINATOR,
  RESUME_DISCRIMINATOR,
  SET_MARKET_DISCRIMINATOR,
  SETTLE_REDEMPTION_DISCRIMINATOR,
  SettlementMode,
  SUSPEND_INTEGRATOR_DISCRIMINATOR,
  TREASURY_WITHDRAW_DISCRIMINATOR,
  UPDATE_EXECUTIVES_DISCRIMINATOR,
  UPDATE_INTEGRATOR_DISCRIMINATOR,
} from '@karat/program-client';
import type { Address } from '@solana/kit';
import type { OperationFacts } from '../../actions/approvals/record-operator-transaction.js';
import type { WalletChange } from '../../actions/partners/follow-wallet.js';
import type { TermsChange } from '../../actions/partners/read-partner-events.js';
import { redemptionFromBytes, uuidFromBytes } from '../../domain/ids.js';
import { goldUnits } from '../../domain/money.js';
import { momentOf } from '../../domain/timestamp.js';
import type { ProgramCall } from './program-calls.js';
import { Refusal } from './refusal.js';
import { flowsOf, sameFlows, type TokenFlows } from './token-transfers.js';
import type { ChainInstruction, ChainTransaction } from './transaction.js';

const noPartner = uuidFromBytes(new Uint8Array(16));

// Making a decoder takes longer than decoding.
const authorityChange = getAuthorityChangeDecoder();
const termsChange = getPartnerTermsChangeDecoder();
const integratorCreated = getIntegratorCreatedDecoder();

const burnAnnounced = getBurnAnnouncedDecoder();
// Both have nothing but the id.
const burnArguments = getAnnounceBurnInstructionDataDecoder();

const changes: Record<
  number,
  Exclude<OperationFacts['kind'], 'settle_redemption' | 'announce_burn' | 'cancel_burn'>
> = {
  [PAUSE_DISCRIMINATOR]: 'pause',
  [RESUME_DISCRIMINATOR]: 'resume',
  [SET_MARKET_DISCRIMINATOR]: 'set_market',
  [CREATE_INTEGRATOR_DISCRIMINATOR]: 'create_integrator',
  [UPDATE_INTEGRATOR_DISCRIMINATOR]: 'update_integrator',
  [UPDATE_EXECUTIVES_DISCRIMINATOR]: 'update_executives',
  [PROPOSE_AUTHORITY_DISCRIMINATOR]: 'propose_authority',
  [CANCEL_AUTHORITY_DISCRIMINATOR]: 'cancel_authority',
  [APPLY_AUTHORITY_DISCRIMINATOR]: 'apply_authority',
  [SUSPEND_INTEGRATOR_DISCRIMINATOR]: 'suspend_integrator',
  [PROPOSE_SETTINGS_DISCRIMINATOR]: 'propose_settings',
  [APPLY_SETTINGS_DISCRIMINATOR]: 'apply_settings',
  [CANCEL_SETTINGS_DISCRIMINATOR]: 'cancel_settings',
};

/**
 * Returns what admins and update authorities did in a transaction that succeeded, one each call. Mints and withdrawals
 * of the treasury are checked like the rest and leave no facts: nothing waits for them.
 */
export function decodeOperations(
  transaction: ChainTransaction,
  calls: ProgramCall[],
  refuse: (error: unknown) => void,
): OperationFacts[] {
  return calls.flatMap((call) => {
    try {
      return decodeOperation(transaction, call) ?? [];
    } catch (error) {
      refuse(error);
      return [];
    }
  });
}

/** Returns the wallets of partners that a transaction replaced, by their own word or by the admin's. */
export function decodeWalletChanges(calls: ProgramCall[]): WalletChange[] {
  return calls.flatMap(({ kind, event, body }) => {
    const replaces = kind === HAND_OVER_AUTHORITY_DISCRIMINATOR || kind === APPLY_AUTHORITY_DISCRIMINATOR;
    if (!replaces || !event || body?.length !== authorityChange.fixedSize) return [];
    const { role, before, after } = authorityChange.decode(body);
    return role === AuthorityRole.Wallet
      ? [{ partnerId: uuidFromBytes(event.partnerId), before, after }]
      : [];
  });
}

/** Returns the new terms that a transaction gave to partners. One that was not on chain before was not suspended there. */
export function decodeTermsChanges(calls: ProgramCall[]): TermsChange[] {
  return calls.flatMap(({ kind, event, body }) => {
    if (!event || !body) return [];
    const of = { partnerId: uuidFromBytes(event.partnerId), seq: event.seq };
    const changesTerms =
      kind === UPDATE_INTEGRATOR_DISCRIMINATOR || kind === SUSPEND_INTEGRATOR_DISCRIMINATOR;
    if (changesTerms && body.length === termsChange.fixedSize)
      return [{ ...of, ...termsChange.decode(body) }];
    if (kind !== CREATE_INTEGRATOR_DISCRIMINATOR || body.length !== integratorCreated.fixedSize) return [];
    const { terms: after } = integratorCreated.decode(body);
    return [{ ...of, before: { ...after, status: IntegratorStatus.Active }, after }];
  });
}

function decodeOperation(transaction: ChainTransaction, call: ProgramCall): OperationFacts | undefined {
  const instruction = transaction.instructions[call.at];
  const { event, kind } = call;
  const change = changes[kind];
  // It is done, whoever did it.
  if (call.isQuiet) return change && { kind: change, partnerId: undefined };
  if (!event || !instruction) return undefined;
  if (kind === SETTLE_REDEMPTION_DISCRIMINATOR) {
    return decodeSettlement(transaction, call, instruction, event);
  }
  if (kind === RECLAIM_REDEMPTION_DISCRIMINATOR) {
    return decodeReclaim(transaction, call, instruction, event);
  }
  if (kind === ANNOUNCE_BURN_DISCRIMINATOR || kind === CANCEL_BURN_DISCRIMINATOR) {
    return decodeBurn(call, instruction, event);
  }
  if (kind === TREASURY_WITHDRAW_DISCRIMINATOR) {
    checkTreasuryWithdrawal(transaction, call, instruction, event);
    return undefined;
  }
  if (kind === MINT_GOLD_DISCRIMINATOR) {
    checkMint(transaction, call, instruction, event);
    return undefined;
  }
  const partnerId = uuidFromBytes(event.partnerId);
  return change && { kind: change, partnerId: partnerId === noPartner ? undefined : partnerId };
}

function decodeSettlement(
  transaction: ChainTransaction,
  call: ProgramCall,
  { accounts, data }: ChainInstruction,
  event: KaratEvent,
): OperationFacts {
  const decoder = getSettleRedemptionInstructionDataDecoder();
  const [, operations, , , , escrowGold, goldMint, destination] = accounts;
  if (data.length !== decoder.fixedSize || !escrowGold || !goldMint || !destination) {
    throw new Refusal('undecodable', { kind: call.kind });
  }
  const args = decoder.decode(data);
  const amount = goldUnits(event.amountIn);
  const burnt = args.mode === SettlementMode.Burn;
  requireEvent({
    id: uuidFromBytes(event.id) === uuidFromBytes(args.id),
    amount_out: event.amountOut === (burnt ? 0n : amount),
    operations: event.actor === operations,
  });
  const flows: TokenFlows = new Map([[escrowGold, -amount]]);
  if (!burnt) flows.set(destination, amount);
  requireFlows(transaction, call, flows, goldMint);
  const redemptionId = redemptionFromBytes(args.id);
  const mode = burnt ? 'burn' : 'refund';
  return { kind: 'settle_redemption', mode, redemptionId, amount, isReclaimed: false };
}

function decodeReclaim(
  transaction: ChainTransaction,
  call: ProgramCall,
  { accounts, data }: ChainInstruction,
  event: KaratEvent,
): OperationFacts {
  const decoder = getReclaimRedemptionInstructionDataDecoder();
  const [, user, , , , escrowGold, goldMint, destination] = accounts;
  if (data.length !== decoder.fixedSize || !escrowGold || !goldMint || !destination) {
    throw new Refusal('undecodable', { kind: call.kind });
  }
  const { id } = decoder.decode(data);
  const amount = goldUnits(event.amountIn);
  requireEvent({
    id: uuidFromBytes(event.id) === uuidFromBytes(id),
    amount_out: event.amountOut === amount,
    user: event.actor === user,
  });
  const flows: TokenFlows = new Map([
    [escrowGold, -amount],
    [destination, amount],
  ]);
  requireFlows(transaction, call, flows, goldMint);
  const redemptionId = redemptionFromBytes(id);
  return { kind: 'settle_redemption', mode: 'refund', redemptionId, amount, isReclaimed: true };
}

function decodeBurn(
  { kind, body }: ProgramCall,
  { accounts, data }: ChainInstruction,
  event: KaratEvent,
): OperationFacts {
  const isAnnounced = kind === ANNOUNCE_BURN_DISCRIMINATOR;
  const bodySize = isAnnounced ? burnAnnounced.fixedSize : 0;
  if (data.length !== burnArguments.fixedSize || body?.length !== bodySize) {
    throw new Refusal('undecodable', { kind });
  }
  const { id } = burnArguments.decode(data);
  requireEvent({
    id: uuidFromBytes(event.id) === uuidFromBytes(id),
    actor: event.actor === accounts[1],
    amounts: event.amountIn === 0n && event.amountOut === 0n,
  });
  return {
    kind: isAnnounced ? 'announce_burn' : 'cancel_burn',
    redemptionId: redemptionFromBytes(id),
    seq: event.seq,
    dueAt: isAnnounced ? momentOf(burnAnnounced.decode(body).readyAt) : null,
  };
}

function checkTreasuryWithdrawal(
  transaction: ChainTransaction,
  call: ProgramCall,
  { accounts, data }: ChainInstruction,
  event: KaratEvent,
): void {
  const decoder = getTreasuryWithdrawInstructionDataDecoder();
  const [, admin, , treasuryToken, destination, mint] = accounts;
  if (data.length !== decoder.fixedSize || !treasuryToken || !destination || !mint) {
    throw new Refusal('undecodable', { kind: call.kind });
  }
  const { amount } = decoder.decode(data);
  requireEvent({
    amount_in: event.amountIn === amount,
    amount_out: event.amountOut === amount,
    admin: event.actor === admin,
    partner: uuidFromBytes(event.partnerId) === noPartner,
  });
  const flows: TokenFlows = new Map([
    [treasuryToken, -amount],
    [destination, amount],
  ]);
  requireFlows(transaction, call, flows, mint);
}

function checkMint(
  transaction: ChainTransaction,
  call: ProgramCall,
  { accounts, data }: ChainInstruction,
  event: KaratEvent,
): void {
  const decoder = getMintGoldInstructionDataDecoder();
  const [, admin, treasury, treasuryGold, goldMint] = accounts;
  if (data.length !== decoder.fixedSize || !treasuryGold || !goldMint) {
    throw new Refusal('undecodable', { kind: call.kind });
  }
  const { amount } = decoder.decode(data);
  requireEvent({
    amount_in: event.amountIn === 0n,
    amount_out: event.amountOut === amount,
    admin: event.actor === admin,
    treasury: event.counterparty === treasury,
    partner: uuidFromBytes(event.partnerId) === noPartner,
  });
  requireFlows(transaction, call, new Map([[treasuryGold, amount]]), goldMint);
}

/** Throws a `Refusal` that names the checks of an event that do not hold. */
export function requireEvent(checks: Record<string, boolean>): void {
  const wrong = Object.keys(checks).filter((name) => !checks[name]);
  if (wrong.length > 0) throw new Refusal('event_mismatch', { wrong });
}

/** Throws a `Refusal` unless the program made these transfers and no others, of one mint or of that of each account. */
export function requireFlows(
  transaction: ChainTransaction,
  call: ProgramCall,
  expected: TokenFlows,
  mint: Address | ReadonlyMap<Address, Address>,
): void {
  const mints =
    typeof mint === 'string' ? new Map([...expected.keys()].map((account) => [account, mint])) : mint;
  const moved = flowsOf(transaction.instructions, call.at, mints);
  if (moved && sameFlows(moved, expected)) return;
  const shown = [...(moved ?? [])].map(([account, change]) => [account, change.toString()]);
  throw new Refusal('transfer_mismatch', { moved: moved ? Object.fromEntries(shown) : null });
}
