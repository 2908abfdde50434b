import {
  type Config,
  findConfigPda,
  getCreateIntegratorInstruction,
  getIntegratorDecoder,
  getSettleRedemptionInstructionAsync,
  getUpdateIntegratorInstruction,
  type IntegratorStatus,
  type Redemption,
  SettlementMode,
} from '@karat/program-client';
import {
  type Account,
  type Address,
  type Base64EncodedWireTransaction,
  createAddressWithSeed,
  createNoopSigner,
  fetchEncodedAccount,
  getBase58Decoder,
  getBase64Decoder,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import { getCreateAccountWithSeedInstruction } from '@solana-program/system';
import {
  AccountState,
  decodeToken,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeAccount3Instruction,
  getTokenSize,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { type Uuid, uuidBytes } from '../domain/ids.js';
import { AppError } from '../errors.js';
import { answered, reasonOf } from './admin-transactions.js';
import type { Chain } from './chain.js';
import { compileLegacyMessage } from './compile-message.js';
import { executivePlaces } from './executives.js';
import { lastValidHeight } from './last-valid-height.js';
import { integratorAddresses } from './seed.js';
import type { Signer } from './signer.js';
import { signatureBytes, writeTransaction } from './wire.js';

/** Units that an admin's transaction may use: making two token accounts and an integrator takes about 75,000. */
const computeUnitLimit = 200_000;
const readWithinMs = 2_000;

/** What a partner is on chain, as an admin sets it. */
export interface IntegratorTerms {
  status: IntegratorStatus;
  openFeeBps: number;
  closedFeeBps: number;
  /** Base units in 24 hours; 0: no limit. */
  dailyLimitUsdc: bigint;
  partnerWallet: Address;
  updateAuthority: Address;
  withdrawalAuthority: Address;
}

/**
 * Puts a partner on chain: the two token accounts of its central vault, and its integrator. The admin pays their rent.
 * `executives` are 1 to 8, each once.
 */
export async function createIntegratorInstructions(
  chain: Chain,
  config: Config,
  input: { partnerId: Uuid; terms: IntegratorTerms; executives: Address[] },
): Promise<Instruction[]> {
  const { partnerId, terms, executives } = input;
  const { programAddress } = chain;
  const { usdcMint, goldMint } = config;
  const accounts = await integratorAddresses({ programAddress, partnerId, usdcMint, goldMint });
  const admin = createNoopSigner(config.admin);
  const { vault: owner, vaultUsdc, vaultGold } = accounts;
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer: admin, ata: vaultUsdc, owner, mint: usdcMint }),
    getCreateAssociatedTokenIdempotentInstruction({ payer: admin, ata: vaultGold, owner, mint: goldMint }),
    getCreateIntegratorInstruction(
      {
        payer: admin,
        admin,
        config: await configAddress(chain),
        integrator: accounts.integrator,
        vaultUsdc,
        vaultGold,
        partnerId: uuidBytes(partnerId),
        ...terms,
        executiveCount: executives.length,
        executives: executivePlaces(executives),
      },
      { programAddress },
    ),
  ];
}

/** Changes what an admin may change of a partner: everything but its executives. */
export async function updateIntegratorInstructions(
  chain: Chain,
  config: Config,
  input: { integrator: Address; terms: IntegratorTerms },
): Promise<Instruction[]> {
  const { integrator, terms } = input;
  const admin = createNoopSigner(config.admin);
  const accounts = { admin, config: await configAddress(chain), integrator };
  return [
    getUpdateIntegratorInstruction({ ...accounts, ...terms }, { programAddress: chain.programAddress }),
  ];
}

/**
 * Number of the last event of a partner on chain, as the node knows it at `slot` or later. Throws `service_unavailable`
 * when it does not know as much yet.
 */
export async function readIntegratorSeq(chain: Chain, integrator: Address, slot: bigint): Promise<bigint> {
  const abortSignal = AbortSignal.timeout(readWithinMs);
  const { value } = await answered(
    chain.rpc
      .getAccountInfo(integrator, { commitment: 'confirmed', encoding: 'base64', minContextSlot: slot })
      .send({ abortSignal }),
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
  { address: redemption, data: { id, user, rentPayer } }: Account<Redemption>,
): Promise<Instruction[]> {
  const operations = createNoopSigner(config.operations);
  const { escrowGold, goldMint } = config;
  const refund =
    kind === 'refund' ? await refundAccount(chain, goldMint, operations, redemption, user) : undefined;
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
 * Where a refund goes: to the associated token account of the wallet, which is made again when it was closed. When that
 * account is frozen or belongs to somebody else by now, to another account of the wallet that is made for this refund, at an
 * address that follows from the redemption.
 */
async function refundAccount(
  chain: Chain,
  mint: Address,
  payer: TransactionSigner,
  redemption: Address,
  owner: Address,
): Promise<{ address: Address; instructions: Instruction[] }> {
  const abortSignal = AbortSignal.timeout(readWithinMs);
  const [ata] = await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const account = await answered(
    fetchEncodedAccount(chain.rpc, ata, { commitment: 'confirmed', abortSignal }),
  );
  // Lamports that somebody sent to the address make no token account of it.
  const token =
    account.exists && account.programAddress === TOKEN_PROGRAM_ADDRESS
      ? decodeToken(account).data
      : undefined;
  if (!token || (token.owner === owner && token.state === AccountState.Initialized)) {
    return {
      address: ata,
      instructions: [getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint })],
    };
  }
  const seed = redemption.slice(0, 32);
  const address = await createAddressWithSeed({
    baseAddress: payer.address,
    programAddress: TOKEN_PROGRAM_ADDRESS,
    seed,
  });
  const space = BigInt(getTokenSize());
  const amount = await answered(chain.rpc.getMinimumBalanceForRentExemption(space).send({ abortSignal }));
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
        programAddress: TOKEN_PROGRAM_ADDRESS,
      }),
      getInitializeAccount3Instruction({ account: address, mint, owner }),
    ],
  };
}

/** Whose transaction it is: the program's admin, or its operations key. */
export type OperatorRole = 'admin' | 'operations';

/** A transaction of one of these keys, which pays for it and signs alone. */
export interface AdminTransaction {
  /** Wire format; the place of the signature is empty when this process does not hold the key. */
  transaction: Uint8Array;
  /** Base58 signature; undefined when it is unsigned. */
  txHash: string | undefined;
  /** Who signs it. */
  signer: Address;
  lastValidBlockHeight: bigint;
  expiresAtMs: number;
}

/**
 * Puts instructions into a transaction of the program's admin or operations key, signed when this process holds that key.
 * Throws `service_unavailable` when it holds another one, and while the node is silent.
 */
export async function prepareAdminTransaction(
  chain: Chain,
  config: Config,
  role: OperatorRole,
  instructions: Instruction[],
  computeUnitPrice: bigint,
): Promise<AdminTransaction> {
  const { blockhash, lastValidBlockHeight: stated, expiresAtMs } = chain.blockhash.current();
  const lastValidBlockHeight = await lastValidHeight(chain, stated);
  const message = compileLegacyMessage(config[role], blockhash, [
    getSetComputeUnitLimitInstruction({ units: computeUnitLimit }),
    getSetComputeUnitPriceInstruction({ microLamports: computeUnitPrice }),
    ...instructions,
  ]);
  const signature = await keyOf(chain, config, role)?.sign(message);
  return {
    transaction: writeTransaction(message, signature ?? new Uint8Array(signatureBytes)),
    txHash: signature && getBase58Decoder().decode(signature),
    signer: config[role],
    lastValidBlockHeight,
    expiresAtMs,
  };
}

function keyOf(chain: Chain, config: Config, role: OperatorRole): Signer | undefined {
  const key = chain[role];
  if (!key || key.address === config[role]) return key;
  throw new AppError('service_unavailable', `The ${role} key of this process is not the program's.`);
}

/**
 * Asks the node what a transaction would do now. Throws `broadcast_failed` with the program's words when it would fail,
 * so that nothing is begun that cannot end well, and `transition_not_allowed` when the chain has this very one.
 */
export async function requireSuccess(
  chain: Pick<Chain, 'rpc'>,
  { transaction, txHash }: Pick<AdminTransaction, 'transaction' | 'txHash'>,
): Promise<void> {
  const wire = getBase64Decoder().decode(transaction) as Base64EncodedWireTransaction;
  const { value } = await answered(
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
    throw new AppError('transition_not_allowed', 'The very same was done at this moment.');
  }
  throw new AppError('broadcast_failed', `The chain would refuse this: ${reasonOf(value.err)}`);
}

async function configAddress({ programAddress }: Chain): Promise<Address> {
  return (await findConfigPda({ programAddress }))[0];
}
