import type { Address } from '@solana/kit';
import type { TradeSide } from '../chain/build-trade.js';
import { type InspectedTrade, inspectTrade, TradeDifference } from '../chain/inspect.js';
import type { Context } from '../context.js';
import { decodeBase64 } from '../domain/encoding.js';
import { asId } from '../domain/ids.js';
import type { Principal } from '../domain/principal.js';
import { AppError, invalidField } from '../errors.js';

export interface SubmitTradeInput {
  side: TradeSide;
  /** From the path, as it came. */
  tradeId: string;
  /** Base64 of the wire transaction, as it came. */
  signedTx: string;
}

export interface SubmittedTrade {
  tradeId: string;
  /** Base58 signature of the transaction. */
  txHash: string;
}

/** All waiting for the node together, so that every answer is there within 5 s. */
const deadlineMs = 4_000;

/**
 * Sends a quote's own transaction, signed by all, to the chain. Writes nothing and may be repeated: the same bytes give
 * the same answer, also after they landed. Throws `invalid_request` (no base64), `trade_not_found` (no trade id),
 * `broadcast_failed` (another transaction, or refused by the node) or `service_unavailable`.
 */
export async function submitTrade(
  ctx: Context,
  principal: Principal,
  input: SubmitTradeInput,
): Promise<SubmittedTrade> {
  const bytes = bytesOf(input.signedTx);
  const tradeId = asId('trd', input.tradeId);
  if (!tradeId) throw new AppError('trade_not_found', 'There is no trade with this trade_id.');
  const integrator = await ctx.chain.program.integratorAddress(principal.partnerId);
  const { transaction, txHash } = inspect(bytes, {
    side: input.side,
    tradeId,
    integrator,
    programAddress: ctx.chain.programAddress,
    serviceSigners: serviceSignersOf(ctx),
  });
  const outcome = await ctx.chain.sender.send(transaction, txHash, AbortSignal.timeout(deadlineMs));
  if (outcome.kind === 'refused') throw new AppError('broadcast_failed', outcome.reason);
  if (outcome.kind === 'unreachable') {
    throw new AppError(
      'service_unavailable',
      'The Solana node does not answer; send the same signed_tx again.',
      { cause: outcome.cause },
    );
  }
  return { tradeId, txHash };
}

function bytesOf(base64: string): Uint8Array {
  const bytes = decodeBase64(base64);
  if (bytes) return bytes;
  throw invalidField('signed_tx', 'signed_tx must be base64: standard alphabet, padded, no white space.');
}

function inspect(bytes: Uint8Array, expected: Parameters<typeof inspectTrade>[1]): InspectedTrade {
  try {
    return inspectTrade(bytes, expected);
  } catch (error) {
    if (!(error instanceof TradeDifference)) throw error;
    const message = `This is not the transaction of ${expected.tradeId}, signed by all. ${error.message}`;
    throw new AppError('broadcast_failed', message);
  }
}

/** While keys are rotated, a quote may have been signed by an instance that holds the other key. */
export function serviceSignersOf(ctx: Context): Address[] {
  const own = ctx.chain.signer.address;
  if (ctx.chain.program.fault() !== undefined) return [own];
  return [own, ...ctx.chain.program.config().serviceSigners.filter((address) => address !== noKey)];
}

/** An empty slot among the service signers: 32 zero bytes. */
const noKey = '11111111111111111111111111111111' as Address;
