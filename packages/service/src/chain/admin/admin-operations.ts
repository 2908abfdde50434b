import {
  type Config,
  getIntegratorDecoder,
  getSettleRedemptionInstructionAsync,
  SettlementMode,
} from '@karat/program-client';
import {
  type Address,
  type Base64EncodedWireTransaction,
  createAddressWithSeed,
  createNoopSigner,
  fetchEncodedAccount,
  getBase64Decoder,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import { getCreateAccountWithSeedInstruction } from '@solana-program/system';
import { AccountState, getInitializeAccount3Instruction, getTokenSize } from '@solana-program/token';
import { broadcastFailed, notAllowed } from '../../errors.js';
import type { PreparedTransaction } from '../build/prepare-transaction.js';
import type { Chain } from '../chain.js';
import { causeOfCall } from '../failure/cause.js';
import { viewTransaction } from '../inspect/transaction-view.js';
import { asOf } from '../node/as-of.js';
import { responseOf } from '../node/landing.js';
import type { OpenRedemption } from '../program/open-redemption.js';
import { createTokenAccount, decodeTokenAccount, goldOf, tokenAccountOf } from '../program/token-accounts.js';

const readWithinMs = 2_000;

/**
 * Number of the last event of a partner on chain, as the node knows it at `slot` or later. Throws `service_unavailable`
 * when it does not know as much yet.
 */
export async function readIntegratorSeq(chain: Chain, integrator: Address, slot: bigint): Promise<bigint> {
  const abortSignal = AbortSignal.timeout(readWithinMs);
  const { value } = await responseOf(
    asOf(slot, (least) =>
      chain.rpc
        .getAccountInfo(integrator, { commitment: 'confirmed', encoding: 'base64', ...least })
        .send({ abortSignal }),
    ),
  );
  if (value?.owner !== chain.programAddress) return 0n;
  return getIntegratorDecoder().decode(Buffer.from(value.data[0], 'base64')).seq;
}

/**
 * Settles a redemption that is open on chain: its tokens are burned, or go back to the user's wallet. Signed and paid for by
 * the operations key.
 */
export async function settlementInstructions(
  chain: Chain,
  config: Config,
  kind: 'refund' | 'burn',
  { address: redemption, data: { id, user, rentPayer } }: OpenRedemption,
): Promise<Instruction[]> {
  const operations = createNoopSigner(config.hotKeys.operations);
  const { escrowGold, goldMint } = config;
  const refund =
    kind === 'refund' ? await refundAccount(chain, config, operations, redemption, user) : undefined;
  const settle = await getSettleRedemptionInstructionAsync(
    {
      operations,
      redemption,
      rentPayer,
      escrowGold,
      goldMint,
      destination: refund?.address ?? escrowGold,
      id,
      mode: refund ? SettlementMode.Refund : SettlementMode.Burn,
    },
    { programAddress: chain.programAddress },
  );
  return [...(refund?.instructions ?? []), settle];
}

/**
 * Returns where a refund goes: to the associated token account of the wallet, which is made again when it was closed. When
 * that account is frozen, to another account of the wallet that is made for this refund, at an address that follows from
 * the redemption.
 */
async function refundAccount(
  chain: Chain,
  config: Config,
  payer: TransactionSigner,
  redemption: Address,
  owner: Address,
): Promise<{ address: Address; instructions: Instruction[] }> {
  const abortSignal = AbortSignal.timeout(readWithinMs);
  const { mint, program: programAddress } = goldOf(config);
  const ata = tokenAccountOf(owner, goldOf(config));
  const account = await responseOf(
    fetchEncodedAccount(chain.rpc, ata, { commitment: 'confirmed', abortSignal }),
  );
  // Lamports that somebody sent to the address make no token account of it.
  const token = account.exists ? decodeTokenAccount(account.programAddress, account.data) : undefined;
  if (!token || (token.owner === owner && token.state === AccountState.Initialized)) {
    return { address: ata, instructions: [createTokenAccount(payer, owner, goldOf(config))] };
  }
  const seed = redemption.slice(0, 32);
  const address = await createAddressWithSeed({ baseAddress: payer.address, programAddress, seed });
  const space = BigInt(getTokenSize());
  const amount = await responseOf(chain.rpc.getMinimumBalanceForRentExemption(space).send({ abortSignal }));
  return {
    address,
    instructions: [
      getCreateAccountWithSeedInstruction({
        payer,
        newAccount: address,
        base: payer.address,
        baseAccount: payer,
        seed,
        amount,
        space,
        programAddress,
      }),
      getInitializeAccount3Instruction({ account: address, mint, owner }, { programAddress }),
    ],
  };
}

/**
 * Simulates a transaction at the node. Throws `broadcast_failed` with the program's message if it would fail,
 * so that nothing is begun that cannot end well, and `transition_not_allowed` when the chain has this very one.
 */
export async function requireSuccess(
  chain: Pick<Chain, 'rpc' | 'programAddress'>,
  { transaction, txHash }: Pick<PreparedTransaction, 'transaction' | 'txHash'>,
): Promise<void> {
  const wire = getBase64Decoder().decode(transaction) as Base64EncodedWireTransaction;
  const { value } = await responseOf(
    chain.rpc
      .simulateTransaction(wire, {
        encoding: 'base64',
        commitment: 'confirmed',
        sigVerify: txHash !== undefined,
      })
      .send({ abortSignal: AbortSignal.timeout(readWithinMs) }),
  );
  if (value.err === null) return;
  if (value.err === 'AlreadyProcessed') {
    throw notAllowed('The same change was made a moment ago.');
  }
  const { instructions } = viewTransaction(transaction);
  const cause = causeOfCall(value.err, chain.programAddress, instructions);
  throw broadcastFailed(cause, 'The chain would reject this: ');
}
