import {
  getRedeemInstructionDataDecoder,
  getRedemptionOpenedDecoder,
  REDEEM_DISCRIMINATOR,
} from '@karat/program-client';
import type { RedemptionFacts } from '../../actions/redemptions/record-landed-redemption.js';
import { noFailure } from '../../db/failure.js';
import { redemptionFromBytes, uuidFromBytes } from '../../domain/ids.js';
import { goldUnits } from '../../domain/money.js';
import { momentOf } from '../../domain/timestamp.js';
import { recordedFailure } from './failure.js';
import { requireSigners } from './memos.js';
import { requireEvent, requireFlows } from './operation.js';
import type { ProgramCall } from './program-calls.js';
import { Refusal } from './refusal.js';
import type { ChainTransaction } from './transaction.js';
import type { DecodeView } from './view.js';

// Making a decoder takes longer than decoding.
const redemptionOpened = getRedemptionOpenedDecoder();

/**
 * Returns the redemption that a transaction carries; undefined when it holds none of the service. One that succeeded is
 * what the program's event reports, checked against the call and the transfer. One that failed is believed when a
 * service signer and the user have signed it: it moved nothing, even if it names them.
 */
export function decodeRedemption(
  transaction: ChainTransaction,
  view: DecodeView,
  calls: ProgramCall[],
): RedemptionFacts | undefined {
  const { error, instructions, signers, slot } = transaction;
  const [call, ...others] = calls.filter(({ kind }) => kind === REDEEM_DISCRIMINATOR);
  if (!call) return undefined;
  const { accounts, data } = instructions[call.at] ?? { accounts: [], data: new Uint8Array() };
  const [, , serviceSigner, user, userGold, escrowGold, goldMint] = accounts;
  const decoder = getRedeemInstructionDataDecoder();
  const whole =
    data.length === decoder.fixedSize && serviceSigner && user && userGold && escrowGold && goldMint;
  if (error !== null) {
    const isOurs =
      serviceSigner && view.trustedSigners(slot).has(serviceSigner) && signers.has(serviceSigner);
    if (!whole || !isOurs) return undefined;
  }
  if (!whole) throw new Refusal('undecodable', { kind: call.kind });
  const args = decoder.decode(data);
  const amount = goldUnits(args.amount);
  const id = redemptionFromBytes(args.id);
  const facts = {
    id,
    partnerId: uuidFromBytes(args.partnerId),
    amount,
    userWallet: user,
    escrowAccount: escrowGold,
  };
  if (others.length > 0) throw new Refusal('redemption_mismatch', { id, redemptions: 1 + others.length });
  if (error !== null) {
    requireSigners(transaction, id, { user });
    return { ...facts, reclaimableAt: null, ...recordedFailure(transaction, error, view.programAddress) };
  }
  const { event, body } = call;
  // The event is missing only where that has a dead letter already.
  if (!event) return undefined;
  if (body?.length !== redemptionOpened.fixedSize) throw new Refusal('undecodable', { kind: call.kind });
  requireEvent({
    id: redemptionFromBytes(event.id) === id,
    amount_in: event.amountIn === amount,
    amount_out: event.amountOut === amount,
    user: event.actor === user,
    partner: uuidFromBytes(event.partnerId) === facts.partnerId,
  });
  const flows = new Map([
    [userGold, -amount],
    [escrowGold, amount],
  ]);
  requireFlows(transaction, call, flows, goldMint);
  const reclaimableAt = momentOf(redemptionOpened.decode(body).reclaimableAt);
  return { ...facts, reclaimableAt, ...noFailure };
}
