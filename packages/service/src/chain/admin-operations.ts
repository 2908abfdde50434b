import {
  type Config,
  findConfigPda,
  getCreateIntegratorInstruction,
  getIntegratorDecoder,
  getSettleEscrowInstructionAsync,
  getUpdateIntegratorInstruction,
  type IntegratorStatus,
  SettlementMode,
} from '@karat/program-client';
import {
  type Address,
  type Base64EncodedWireTransaction,
  createNoopSigner,
  fetchEncodedAccount,
  getBase58Decoder,
  getBase64Decoder,
  type Instruction,
} from '@solana/kit';
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction,
} from '@solana-program/compute-budget';
import {
  AccountState,
  decodeToken,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
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

export interface EscrowSettlement {
  kind: 'refund' | 'burn';
  /** Echoed by the program's event. */
  reference: Uuid;
  /** GOLD in base units. */
  amount: bigint;
  /** Wallet that a refund goes to. */
  userWallet: Address;
}

/**
 * Takes the tokens of a redemption out of escrow: burned, or back to the associated token account of the user's wallet,
 * which is made anew at the admin's cost when it was closed. Throws `transition_not_allowed` when that account is not the
 * user's own any more or is frozen.
 */
export async function settlementInstructions(
  chain: Chain,
  config: Config,
  settlement: EscrowSettlement,
): Promise<Instruction[]> {
  const { kind, reference, amount, userWallet } = settlement;
  const admin = createNoopSigner(config.admin);
  const { escrowGold, goldMint } = config;
  const settle = (mode: SettlementMode, destination: Address) =>
    getSettleEscrowInstructionAsync(
      { admin, escrowGold, goldMint, destination, mode, amount, reference: uuidBytes(reference) },
      { programAddress: chain.programAddress },
    );
  if (kind === 'burn') return [await settle(SettlementMode.Burn, escrowGold)];
  const owner = userWallet;
  const [ata] = await findAssociatedTokenPda({ owner, mint: goldMint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  await refuseForeignAccount(chain, ata, owner);
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer: admin, ata, owner, mint: goldMint }),
    await settle(SettlementMode.Refund, ata),
  ];
}

async function refuseForeignAccount(chain: Chain, address: Address, owner: Address): Promise<void> {
  const account = await answered(
    fetchEncodedAccount(chain.rpc, address, {
      commitment: 'confirmed',
      abortSignal: AbortSignal.timeout(readWithinMs),
    }),
  );
  // Lamports that somebody sent to the address make no token account of it.
  if (!account.exists || account.programAddress !== TOKEN_PROGRAM_ADDRESS) return;
  const { data } = decodeToken(account);
  if (data.owner === owner && data.state === AccountState.Initialized) return;
  throw new AppError(
    'transition_not_allowed',
    'The GOLD account of the wallet is frozen or belongs to somebody else by now: settle this with the partner.',
  );
}

/** A transaction of the admin, who pays for it and signs alone. */
export interface AdminTransaction {
  /** Wire format; the place of the signature is empty when this process does not hold the admin's key. */
  transaction: Uint8Array;
  /** Base58 signature; undefined when it is unsigned. */
  txHash: string | undefined;
  /** The program's admin. */
  admin: Address;
  lastValidBlockHeight: bigint;
  expiresAtMs: number;
}

/**
 * Puts instructions into a transaction of the program's admin, signed when this process holds that key. Throws
 * `service_unavailable` when it holds another one, and while the node is silent.
 */
export async function prepareAdminTransaction(
  chain: Chain,
  config: Config,
  instructions: Instruction[],
  computeUnitPrice: bigint,
): Promise<AdminTransaction> {
  const { blockhash, lastValidBlockHeight: stated, expiresAtMs } = chain.blockhash.current();
  const lastValidBlockHeight = await lastValidHeight(chain, stated);
  const message = compileLegacyMessage(config.admin, blockhash, [
    getSetComputeUnitLimitInstruction({ units: computeUnitLimit }),
    getSetComputeUnitPriceInstruction({ microLamports: computeUnitPrice }),
    ...instructions,
  ]);
  const signature = await adminOf(chain, config)?.sign(message);
  return {
    transaction: writeTransaction(message, signature ?? new Uint8Array(signatureBytes)),
    txHash: signature && getBase58Decoder().decode(signature),
    admin: config.admin,
    lastValidBlockHeight,
    expiresAtMs,
  };
}

function adminOf(chain: Chain, config: Config): Signer | undefined {
  if (!chain.admin || chain.admin.address === config.admin) return chain.admin;
  throw new AppError('service_unavailable', "The admin key of this process is not the program's admin.");
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
