import { createHash } from 'node:crypto';
import { fetchMaybeConfig, findConfigPda } from '@karat/program-client';
import { type Address, createNoopSigner, type Instruction } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  bufferAddress,
  type CodeAccount,
  closeBuffer,
  deployCode,
  headerBytes,
  loaderV3,
  OtherAccountError,
  programDataAddress,
  readBuffer,
  readProgram,
  setCodeAuthority,
  upgradeCode,
} from '../../chain/admin/loader.js';
import {
  type BufferWriting,
  createBuffer,
  fillBuffer,
  loaderUnits,
  missingPieces,
} from '../../chain/admin/write-buffer.js';
import { assembleTransaction, recentLifetime } from '../../chain/build/prepare-transaction.js';
import type { Signer } from '../../chain/build/signer.js';
import type { Chain } from '../../chain/chain.js';
import { answered } from '../../chain/node/landing.js';
import { formatDecimal } from '../../domain/money.js';
import { AppError } from '../../errors.js';
import type { AdminAct } from '../approvals/act-as-admin.js';
import { land } from '../approvals/land.js';

/** Keys of whoever changes a program. */
export interface Deployer {
  /** Pays, and makes the buffer. */
  payer: Signer;
  /** The upgrade authority; undefined: others sign for it. */
  authority: Signer | undefined;
}

/** What is to be deployed. */
export interface Deployment extends Deployer {
  file: Uint8Array;
  /** Key of the program's address, for a first deployment. */
  program: Signer | undefined;
  /** Room for code that a first deployment makes: later versions may be longer than this one. */
  maxBytes: number;
}

/** What a deployment would do. Amounts in lamports. */
export interface DeployPlan {
  act: 'deploy' | 'upgrade' | 'nothing';
  programAddress: Address;
  bytes: number;
  /** Of the file, in hexadecimal digits. */
  sha256: string;
  upgradeAuthority: Address;
  payer: Address;
  buffer: Address;
  /** Transactions that write code; fewer than the file has pieces where a buffer was begun before. */
  writes: number;
  /** Rent that stays in the program for as long as it exists. */
  rent: bigint;
  /** What the payer has to hold; the rent of the buffer comes back. */
  needed: bigint;
}

export type Deployed = { plan: DeployPlan; act: AdminAct | undefined };

/** Whom to tell how it goes. */
export interface DeployNews {
  planned(plan: DeployPlan): void;
  /** Pieces of the buffer that are still to be written. */
  writing(left: number): void;
}

const lamportsPerSignature = 5_000n;
/** Transactions beside those that write: the buffer's making, its handing over, and the change itself. */
const otherTransactions = 3;
const landWithinMs = 90_000;
const again = 'run the command again, which goes on from where this one ended';

/** Returns what `deployProgram` would do. Throws what it throws before it sends anything. */
export async function planDeployment(chain: Chain, deployment: Deployment): Promise<DeployPlan> {
  return (await look(chain, deployment)).plan;
}

/**
 * Brings the program to the bytes of a file: deploys or upgrades it by way of a buffer, and compares what then lies on chain
 * with the file. Where others sign for the upgrade authority, the buffer becomes theirs and the upgrade is handed out
 * unsigned. A call that was cut off is finished by another one with the same payer.
 *
 * Throws `forbidden` for a key that is not the upgrade authority, `transition_not_allowed` for what cannot be deployed there,
 * `broadcast_failed` and `service_unavailable` when the chain refuses or does not respond.
 */
export async function deployProgram(
  chain: Chain,
  deployment: Deployment,
  news: DeployNews,
): Promise<Deployed> {
  const standing = await look(chain, deployment);
  const { plan, deployed } = standing;
  news.planned(plan);
  if (plan.act === 'nothing') return { plan, act: undefined };
  const { payer, authority, file } = deployment;
  await requireFunds(chain, plan);
  const writer = authority ?? payer;
  const writing = { buffer: plan.buffer, payer, writer };
  await prepareBuffer(chain, deployment, standing, writing, news);
  const written = await answered(readBuffer(chain.rpc, plan.buffer));
  if (!written || !sameBytes(written.code, file)) {
    throw new AppError('service_unavailable', `The buffer ${plan.buffer} changed meanwhile; ${again}.`);
  }
  const programData = await programDataAddress(chain.programAddress);
  const change = {
    payer: payer.address,
    program: chain.programAddress,
    programData,
    buffer: plan.buffer,
    authority: plan.upgradeAuthority,
  };
  let instructions = [upgradeCode(change)];
  if (!deployed) {
    const create = getCreateAccountInstruction({
      payer: createNoopSigner(payer.address),
      newAccount: createNoopSigner(chain.programAddress),
      lamports: await rentOf(chain, headerBytes.program),
      space: headerBytes.program,
      programAddress: loaderV3,
    });
    instructions = [create, deployCode(change, deployment.maxBytes)];
  }
  const { act, slot } = await carry(chain, deployment, instructions);
  if (act.kind === 'done') await verify(chain, file, plan, slot);
  return { plan, act };
}

interface Standing {
  plan: DeployPlan;
  deployed: CodeAccount | undefined;
  buffer: CodeAccount | undefined;
}

/** Reads what is there, and says what is to be done. */
async function look(chain: Chain, deployment: Deployment): Promise<Standing> {
  const { file, payer, authority, program, maxBytes } = deployment;
  const { programAddress } = chain;
  const buffer = await bufferAddress(payer.address, programAddress);
  const [deployed, begun] = await read(() =>
    Promise.all([readProgram(chain.rpc, programAddress), readBuffer(chain.rpc, buffer)]),
  );
  if (deployed) requireReplaceable(programAddress, deployed, deployment);
  else requireFirst(programAddress, deployment);
  const upgradeAuthority = deployed?.authority ?? authority?.address;
  if (upgradeAuthority === undefined) throw new Error('the upgrade authority is not known');
  const known = begun?.code.length === file.length ? begun : undefined;
  const writes = missingPieces(known?.code ?? new Uint8Array(), file).length;
  const [bufferRent, programRent, dataRent] = await Promise.all([
    rentOf(chain, headerBytes.buffer + file.length),
    rentOf(chain, headerBytes.program),
    rentOf(chain, headerBytes.programData + maxBytes),
  ]);
  const signatures = BigInt(2 * (writes + otherTransactions) + (program ? 1 : 0));
  const price = (BigInt(loaderUnits * (writes + otherTransactions)) * chain.computeUnitPrice) / 1_000_000n;
  const fees = signatures * lamportsPerSignature + price;
  const held = begun?.lamports ?? 0n;
  const forBuffer = bufferRent > held ? bufferRent - held : 0n;
  // A deployment gives the buffer's rent back before it takes that of the program.
  const forProgram = programRent + dataRent - held;
  const most = deployed || forBuffer > forProgram ? forBuffer : forProgram;
  const same = deployed !== undefined && isCode(deployed, file);
  const plan: DeployPlan = {
    act: same ? 'nothing' : deployed ? 'upgrade' : 'deploy',
    programAddress,
    bytes: file.length,
    sha256: createHash('sha256').update(file).digest('hex'),
    upgradeAuthority,
    payer: payer.address,
    buffer,
    writes: same ? 0 : writes,
    rent: deployed ? deployed.lamports + programRent : programRent + dataRent,
    // An account that pays must keep the rent of an empty one.
    needed: same ? 0n : most + fees + (await rentOf(chain, 0)),
  };
  return { plan, deployed, buffer: begun };
}

function requireReplaceable(program: Address, deployed: CodeAccount, { authority, file }: Deployment): void {
  if (deployed.authority === undefined) {
    throw new AppError('forbidden', `The program ${program} is final: nobody can upgrade it.`);
  }
  if (authority && authority.address !== deployed.authority) {
    const message = `The upgrade authority of the program ${program} is ${deployed.authority}, not ${authority.address}.`;
    throw new AppError(
      'forbidden',
      `${message} Name its key file, or leave it out to get an unsigned upgrade.`,
    );
  }
  if (file.length <= deployed.code.length) return;
  const room = `The program ${program} has room for ${deployed.code.length} bytes, and the file has ${file.length}`;
  const command = `solana program extend ${program} ${file.length - deployed.code.length}`;
  throw new AppError('transition_not_allowed', `${room}: make room first, with ${command}.`);
}

function requireFirst(program: Address, deployment: Deployment): void {
  const nothing = `There is no program at ${program} yet, and a first deployment is signed by`;
  if (!deployment.program) {
    throw new AppError('forbidden', `${nothing} the key of that address: name --program-keypair FILE.`);
  }
  if (!deployment.authority) {
    const later = 'karat chain upgrade-authority --to ADDRESS hands the program over later';
    throw new AppError(
      'forbidden',
      `${nothing} its upgrade authority: name --upgrade-authority-keypair FILE; ${later}.`,
    );
  }
}

async function requireFunds(chain: Chain, { payer, needed }: DeployPlan): Promise<void> {
  const { value: held } = await answered(chain.rpc.getBalance(payer, { commitment: 'confirmed' }).send());
  if (held >= needed) return;
  const sol = (lamports: bigint) => `${formatDecimal(lamports, 9)} SOL`;
  throw new AppError(
    'broadcast_failed',
    `The payer ${payer} holds ${sol(held)} and needs ${sol(needed)}: send it SOL, or name another one with --payer-keypair FILE.`,
  );
}

/** Leads a buffer to hold the file and to be of the upgrade authority, from wherever an earlier call left it. */
async function prepareBuffer(
  chain: Chain,
  deployment: Deployment,
  { plan, buffer }: Standing,
  writing: BufferWriting,
  news: DeployNews,
): Promise<void> {
  const { file } = deployment;
  const send = (instructions: Instruction[]) => carry(chain, deployment, instructions);
  const writer = buffer && writerOf(buffer, deployment);
  const complete = buffer !== undefined && sameBytes(buffer.code, file);
  if (buffer && !writer && !(complete && buffer.authority === plan.upgradeAuthority)) {
    throw new AppError(
      'transition_not_allowed',
      `The buffer ${buffer.address} holds other code and is of ${buffer.authority ?? 'nobody'}: have that upgrade signed, or close the buffer with --close-buffer yes.`,
    );
  }
  const used = { ...writing, writer: writer ?? writing.writer };
  if (!complete) {
    const size = file.length;
    if (buffer && writer && buffer.code.length !== size) {
      await send([closeBuffer(buffer.address, writer.address, writing.payer.address)]);
    }
    if (buffer?.code.length !== size) {
      used.writer = writing.writer;
      const lamports = await rentOf(chain, headerBytes.buffer + size);
      await send(createBuffer(used, { program: chain.programAddress, size, lamports }));
    }
    await fillBuffer(chain, used, file, news.writing);
  }
  const now = complete ? buffer.authority : used.writer.address;
  if (now !== plan.upgradeAuthority) {
    await send([setCodeAuthority(plan.buffer, used.writer.address, plan.upgradeAuthority)]);
  }
}

/** Returns the key at hand that may write a buffer; undefined when it is another's. */
function writerOf(buffer: CodeAccount, { payer, authority }: Deployer): Signer | undefined {
  return [authority, payer].find((key) => key !== undefined && key.address === buffer.authority);
}

/** Sends a transaction that the payer pays for; it is handed out when the key of somebody who signs is not here. */
async function carry(
  chain: Chain,
  { payer, authority, program }: Deployer & { program?: Signer | undefined },
  instructions: Instruction[],
): Promise<{ act: AdminAct; slot?: bigint }> {
  const keys = [payer, authority, program].filter((key) => key !== undefined);
  const terms = { ...(await recentLifetime(chain)), computeUnits: loaderUnits };
  const prepared = await assembleTransaction(chain, { instructions, payer: payer.address, keys }, terms);
  const { txHash, transaction, missing, expiresAtMs } = prepared;
  if (txHash === undefined) {
    const expiresAt = new Date(expiresAtMs);
    return { act: { kind: 'unsigned', transaction, signers: missing, expiresAt } };
  }
  const slot = await land(chain, { ...prepared, txHash }, again, landWithinMs);
  return { act: { kind: 'done', txHash }, slot };
}

/** Throws unless the chain holds the file, byte for byte, under the planned authority. */
async function verify(
  chain: Chain,
  file: Uint8Array,
  plan: DeployPlan,
  slot: bigint | undefined,
): Promise<void> {
  const deployed = await read(() => readProgram(chain.rpc, chain.programAddress, slot));
  if (deployed && isCode(deployed, file) && deployed.authority === plan.upgradeAuthority) return;
  throw new AppError(
    'internal_error',
    `The chain does not hold the file at ${chain.programAddress}, though the transaction landed: do not use the program, and ask another node.`,
  );
}

/** Closes the buffer that the payer uses for this program; the payer gets its rent. Throws `not_found` without one. */
export async function closeProgramBuffer(
  chain: Chain,
  deployer: Deployer,
): Promise<{ buffer: Address; refund: bigint; act: AdminAct }> {
  const { payer } = deployer;
  const at = await bufferAddress(payer.address, chain.programAddress);
  const buffer = await read(() => readBuffer(chain.rpc, at));
  if (!buffer) {
    throw new AppError('not_found', `The payer ${payer.address} has no buffer for ${chain.programAddress}.`);
  }
  const { authority, lamports } = buffer;
  if (authority === undefined) throw new AppError('forbidden', `The buffer ${at} is of nobody.`);
  const { act } = await carry(chain, deployer, [closeBuffer(at, authority, payer.address)]);
  return { buffer: at, refund: lamports, act };
}

/** Returns the upgrade authority of the program; undefined: it is final. Throws `not_found` without a program. */
export async function readUpgradeAuthority(chain: Chain): Promise<Address | undefined> {
  return (await readDeployed(chain)).authority;
}

async function readDeployed(chain: Chain): Promise<CodeAccount> {
  const deployed = await read(() => readProgram(chain.rpc, chain.programAddress));
  if (deployed) return deployed;
  throw new AppError('not_found', `There is no program at ${chain.programAddress}.`);
}

/**
 * Gives the program another upgrade authority; undefined: nobody, for good, which it takes only from a program that is
 * initialized. Handed out unsigned where others sign for the upgrade authority. Throws `forbidden` for another key.
 */
export async function setUpgradeAuthority(
  chain: Chain,
  deployer: Deployer,
  next: Address | undefined,
): Promise<AdminAct> {
  const { programAddress } = chain;
  const { address: programData, authority } = await readDeployed(chain);
  const key = deployer.authority?.address;
  if (authority === undefined) {
    throw new AppError('forbidden', `The program ${programAddress} is final: it has no upgrade authority.`);
  }
  if (key !== undefined && key !== authority) {
    throw new AppError(
      'forbidden',
      `The upgrade authority of the program ${programAddress} is ${authority}, not ${key}.`,
    );
  }
  if (next === undefined && !(await isInitialized(chain))) {
    throw new AppError(
      'transition_not_allowed',
      'The program is not initialized, which takes an upgrade authority: run karat chain init first.',
    );
  }
  return (await carry(chain, deployer, [setCodeAuthority(programData, authority, next)])).act;
}

async function isInitialized({ rpc, programAddress }: Chain): Promise<boolean> {
  const [config] = await findConfigPda({ programAddress });
  return (await answered(fetchMaybeConfig(rpc, config, { commitment: 'confirmed' }))).exists;
}

async function rentOf({ rpc }: Chain, bytes: number): Promise<bigint> {
  return answered(rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send());
}

/** Reads accounts; one that is not the loader's is what the caller has to hear of. */
async function read<T>(reading: () => Promise<T>): Promise<T> {
  try {
    return await answered(reading());
  } catch (error) {
    const { cause } = error as AppError;
    if (cause instanceof OtherAccountError) throw new AppError('transition_not_allowed', cause.message);
    throw error;
  }
}

/** Whether a program's code is a file, with zeros behind it. */
function isCode({ code }: CodeAccount, file: Uint8Array): boolean {
  return (
    sameBytes(code.subarray(0, file.length), file) && code.subarray(file.length).every((byte) => byte === 0)
  );
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
