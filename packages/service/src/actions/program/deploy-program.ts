import type { Address, Instruction } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import {
  bufferAddress,
  type CodeAccount,
  createBuffer,
  deployCode,
  handOverBuffer,
  handOverProgram,
  headerBytes,
  readBuffer,
  readOwner,
  readProgram,
  upgradeCode,
  writeCode,
} from '../../chain/admin/loader.js';
import { assembleTransaction, recentLifetime } from '../../chain/build/prepare-transaction.js';
import type { Chain } from '../../chain/chain.js';
import { responseOf } from '../../chain/node/landing.js';
import type { Signer } from '../../chain/sign/signer.js';
import { AppError, notAllowed, unavailable } from '../../errors.js';
import { pause } from '../../runtime/time.js';
import { land } from '../approvals/land.js';
import type { Outcome } from '../approvals/plan.js';

/** What is to be deployed, and the keys that are at hand. */
export interface Deployment {
  file: Uint8Array;
  /** Of the file, in hexadecimal digits. */
  sha256: string;
  /** Pays, makes the buffer and writes it. */
  payer: Signer;
  /** The upgrade authority; undefined: others sign for it. */
  authority: Signer | undefined;
  /** Key of the program's address, for a first deployment. */
  program: Signer | undefined;
}

export interface DeployPlan {
  act: 'deploy' | 'upgrade' | 'nothing';
  programAddress: Address;
  bytes: number;
  /** Of the file, in hexadecimal digits. */
  sha256: string;
  upgradeAuthority: Address;
  payer: Address;
  buffer: Address;
  /** Transactions that write code; fewer than the file has pieces where the buffer was begun before. */
  writes: number;
  cost: DeployCost;
}

/** What a deployment takes from its payer, in lamports. */
export interface DeployCost {
  /** Stays with the program until it is closed. */
  rent: bigint;
  /** Rent of the buffer, which comes back when the program is deployed or upgraded. */
  buffer: bigint;
  /** Of all transactions, without what the payer adds to be included sooner. */
  fees: bigint;
}

/** What the network takes for each signature. */
const lamportsPerSignature = 5_000n;
/** Room for code that a first deployment makes: later versions may be longer. */
const roomBytes = 163_840;
/** Bytes of code in one transaction, which has 1,232 bytes: 957 would fit. */
export const pieceBytes = 950;
/** Units that one transaction with the loader takes, with room: its instructions cost 2,370 each. */
const computeUnits = 10_000;
/** How often what is missing in the buffer is sent. */
const rounds = 5;
/** Transactions that are on their way to the node at once. */
const atOnce = 8;
const sendWithinMs = 10_000;
const landWithinMs = 90_000;
const pollMs = 400;
const again = 'run the command again, which goes on from where this one ended';

/**
 * Returns what `deployProgram` has to do. Throws `forbidden` where a key is missing or is not the upgrade authority,
 * `transition_not_allowed` for what cannot be deployed there, `service_unavailable` while the node is silent.
 */
export async function planDeployment(chain: Chain, deployment: Deployment): Promise<DeployPlan> {
  const { file, sha256, payer } = deployment;
  const { programAddress } = chain;
  const buffer = await bufferAddress(payer.address, seedOf(chain, sha256));
  const deployed = await readProgram(chain, programAddress);
  const begun = await readBuffer(chain, buffer);
  const upgradeAuthority = authorityOf(programAddress, deployed, deployment);
  const missing = missingPieces(begun, file).length;
  const handedOver = missing === 0 && begun?.authority === upgradeAuthority;
  if (begun && begun.authority !== payer.address && !handedOver) {
    const owner = begun.authority ?? 'no key';
    const advice = 'name another payer, or close it with solana program close';
    throw notAllowed(`The buffer ${buffer} belongs to ${owner}: ${advice}.`);
  }
  const isDone = deployed !== undefined && isCode(deployed, file);
  const change = deployed ? 'upgrade' : 'deploy';
  const act = isDone ? 'nothing' : change;
  const writes = isDone ? 0 : missing;
  return {
    act,
    programAddress,
    bytes: file.length,
    sha256,
    upgradeAuthority,
    payer: payer.address,
    buffer,
    writes,
    cost: await costOf(chain, deployment, { act, begun, writes, upgradeAuthority }),
  };
}

async function costOf(
  chain: Chain,
  { file, payer }: Deployment,
  plan: Pick<DeployPlan, 'act' | 'writes' | 'upgradeAuthority'> & { begun: CodeAccount | undefined },
): Promise<DeployCost> {
  const { act, begun, writes, upgradeAuthority } = plan;
  if (act === 'nothing') return { rent: 0n, buffer: 0n, fees: 0n };
  const isOther = upgradeAuthority !== payer.address;
  const handsOver = isOther && begun?.authority !== upgradeAuthority;
  const signatures =
    writes + (begun ? 0 : 1) + (handsOver ? 1 : 0) + (isOther ? 2 : 1) + (act === 'deploy' ? 1 : 0);
  const [code, program, buffer] = await Promise.all([
    rentOf(chain, headerBytes.programData + roomFor(file)),
    rentOf(chain, headerBytes.program),
    rentOf(chain, headerBytes.buffer + file.length),
  ]);
  return {
    rent: act === 'deploy' ? code + program : 0n,
    buffer: begun ? 0n : buffer,
    fees: BigInt(signatures) * lamportsPerSignature,
  };
}

/**
 * Deploys or upgrades the program by way of a buffer, and compares the code on chain with the file. Where others sign for
 * the upgrade authority, the buffer becomes theirs and the upgrade is returned unsigned. Another call of the same payer
 * finishes one that was interrupted. Calls `progress` with the number of pieces still to be written. Throws `broadcast_failed` and `service_unavailable` when the chain refuses or does not respond.
 */
export async function deployProgram(
  chain: Chain,
  deployment: Deployment,
  plan: DeployPlan,
  progress: (left: number) => void,
): Promise<Outcome> {
  const { programAddress: program, upgradeAuthority: authority, payer, buffer } = plan;
  const { file } = deployment;
  const begun = await readBuffer(chain, buffer);
  if (!begun) {
    const rent = await rentOf(chain, headerBytes.buffer + file.length);
    const made = { buffer, seed: seedOf(chain, plan.sha256), size: file.length, rent };
    await send(chain, deployment, createBuffer(payer, made));
  }
  await fillBuffer(chain, deployment, buffer, progress);
  if ((begun?.authority ?? payer) !== authority) {
    await send(chain, deployment, [handOverBuffer(buffer, payer, authority)]);
  }
  const change = { payer, program, buffer, authority };
  const room = { maxBytes: roomFor(file), rent: await rentOf(chain, headerBytes.program) };
  const instructions = await (plan.act === 'deploy' ? deployCode(change, room) : upgradeCode(change));
  const { act, slot } = await send(chain, deployment, instructions);
  if (act.kind === 'unsigned') return act;
  const deployed = await readProgram(chain, program, slot);
  if (deployed && isCode(deployed, file) && deployed.authority === authority) return act;
  throw new AppError(
    'internal_error',
    `The program at ${program} is not the file, although the transaction landed: do not use the program, and check with another node.`,
  );
}

/** A change of the upgrade authority. */
export interface HandOver {
  act: 'hand_over' | 'nothing';
  programAddress: Address;
  upgradeAuthority: Address | undefined;
  newUpgradeAuthority: Address;
}

/**
 * Returns what `handOverUpgrades` has to do. Throws `forbidden` where the key is not the upgrade authority,
 * `transition_not_allowed` where there is no program and for an address that cannot sign.
 */
export async function planHandOver(
  chain: Chain,
  { authority, next }: { authority: Signer | undefined; next: Address },
): Promise<HandOver> {
  const { programAddress } = chain;
  const deployed = await readProgram(chain, programAddress);
  if (!deployed) throw notAllowed(`There is no program at ${programAddress}.`);
  const found = { programAddress, upgradeAuthority: deployed.authority, newUpgradeAuthority: next };
  if (deployed.authority === next) return { act: 'nothing', ...found };
  requireAuthority(programAddress, deployed, authority);
  const owner = await readOwner(chain, next);
  if (owner !== SYSTEM_PROGRAM_ADDRESS) {
    const is = owner ? `belongs to ${owner}` : 'has no account on chain';
    throw notAllowed(
      `${next} ${is}: a wallet, or the vault of a multisig, belongs to the System program. Name the vault, not the multisig, and send it some SOL first.`,
    );
  }
  return { act: 'hand_over', ...found };
}

/**
 * Replaces the upgrade authority by another, such as the vault of a multisig; unsigned where others sign for the present
 * one. Throws `broadcast_failed` and `service_unavailable` when the chain refuses or does not respond.
 */
export async function handOverUpgrades(
  chain: Chain,
  keys: { payer: Signer; authority: Signer | undefined },
  { act: planned, programAddress, upgradeAuthority: present, newUpgradeAuthority: next }: HandOver,
): Promise<Outcome | undefined> {
  if (planned === 'nothing' || !present) return undefined;
  const instructions = [await handOverProgram(programAddress, present, next)];
  const { act, slot } = await send(chain, { ...keys, program: undefined }, instructions);
  if (act.kind === 'unsigned') return act;
  const after = await readProgram(chain, programAddress, slot);
  if (after?.authority === next) return act;
  throw new AppError(
    'internal_error',
    `The upgrade authority of ${programAddress} is not ${next}, although the transaction landed.`,
  );
}

/** Returns who is to be the upgrade authority. Throws where the keys do not suffice and where nothing can be deployed. */
function authorityOf(
  program: Address,
  deployed: CodeAccount | undefined,
  { authority, program: programKey, file }: Deployment,
): Address {
  if (!deployed) {
    if (authority && programKey) return authority.address;
    const files = '--program-keypair FILE and --upgrade-authority-keypair FILE';
    throw new AppError('forbidden', `There is no program at ${program} yet: name ${files} to deploy one.`);
  }
  const present = requireAuthority(program, deployed, authority);
  const lacking = file.length - deployed.code.length;
  if (lacking <= 0) return present;
  const command = `solana program extend ${program} ${lacking}`;
  throw notAllowed(`The program ${program} has too little room for the file: run ${command} first.`);
}

/** Returns the upgrade authority. Throws `forbidden` where there is none, and where the key is not its. */
function requireAuthority(program: Address, deployed: CodeAccount, authority: Signer | undefined): Address {
  if (deployed.authority === undefined) {
    throw new AppError('forbidden', `The program ${program} is final and cannot be upgraded.`);
  }
  if (authority && authority.address !== deployed.authority) {
    throw new AppError(
      'forbidden',
      `The upgrade authority of the program ${program} is ${deployed.authority}, not ${authority.address}. Name its key file, or leave it out to get a transaction for others to sign.`,
    );
  }
  return deployed.authority;
}

/** Writes into a buffer what it lacks of the file, and returns when it holds all of it. */
async function fillBuffer(
  chain: Chain,
  { file, payer }: Deployment,
  buffer: Address,
  progress: (left: number) => void,
): Promise<void> {
  let reason = 'pieces did not land in time';
  for (let round = 0; ; round += 1) {
    let missing = missingPieces(await readBuffer(chain, buffer), file);
    progress(missing.length);
    if (missing.length === 0) return;
    if (round === rounds) throw unavailable(`The buffer ${buffer} is not complete: ${reason}; ${again}.`);
    const lifetime = await recentLifetime(chain);
    const waiting = [...missing];
    const sent = new Set<number>();
    const sendNext = async () => {
      for (let start = waiting.shift(); start !== undefined; start = waiting.shift()) {
        const piece = file.subarray(start, start + pieceBytes);
        const instructions = [writeCode(buffer, payer.address, start, piece)];
        const draft = { instructions, payer: payer.address, keys: [payer] };
        const { transaction, txHash } = await assembleTransaction(chain, draft, {
          ...lifetime,
          computeUnits,
        });
        if (!txHash) throw new Error('a transaction of the payer alone lacks a signature');
        const deadline = AbortSignal.timeout(sendWithinMs);
        const signed = { transaction, txHash, lastValidBlockHeight: lifetime.lastValidBlockHeight };
        const outcome = await chain.sender.send(signed, deadline);
        if (outcome.kind === 'accepted') sent.add(start);
        else reason = outcome.kind === 'refused' ? outcome.cause.message : 'the Solana node does not respond';
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
    if (sent.size === 0) round = rounds - 1;
    for (
      let height = 0n;
      missing.some((start) => sent.has(start)) && height <= lifetime.lastValidBlockHeight;
    ) {
      await pause(pollMs, undefined);
      height = await responseOf(chain.rpc.getBlockHeight({ commitment: 'confirmed' }).send());
      missing = missingPieces(await readBuffer(chain, buffer), file);
    }
  }
}

/** Sends a transaction that the payer pays for; it is handed out when the key of somebody who signs is not here. */
async function send(
  chain: Chain,
  { payer, authority, program }: Pick<Deployment, 'payer' | 'authority' | 'program'>,
  instructions: Instruction[],
): Promise<{ act: Outcome; slot?: bigint }> {
  const keys = [payer, authority, program].filter((key) => key !== undefined);
  const draft = { instructions, payer: payer.address, keys };
  const prepared = await assembleTransaction(chain, draft, {
    ...(await recentLifetime(chain)),
    computeUnits,
  });
  const { txHash, transaction, missing: signers, expiresAtMs } = prepared;
  if (txHash === undefined) {
    return { act: { kind: 'unsigned', transaction, signers, expiresAt: new Date(expiresAtMs) } };
  }
  const slot = await land(chain, { ...prepared, txHash }, again, landWithinMs);
  return { act: { kind: 'done', txHash }, slot };
}

/** Returns the seed of the one buffer that a payer uses for a file and a program: 32 characters at most. */
function seedOf({ programAddress }: Chain, sha256: string): string {
  return `${programAddress.slice(0, 16)}${sha256.slice(0, 16)}`;
}

/** Returns where the pieces begin in which a buffer's code is not yet that of the file. */
function missingPieces(buffer: CodeAccount | undefined, file: Uint8Array): number[] {
  const starts = Array.from(
    { length: Math.ceil(file.length / pieceBytes) },
    (_, index) => index * pieceBytes,
  );
  const pieceOf = (code: Uint8Array, start: number) => code.subarray(start, start + pieceBytes);
  return starts.filter((at) => !buffer || Buffer.compare(pieceOf(buffer.code, at), pieceOf(file, at)) !== 0);
}

const roomFor = (file: Uint8Array) => Math.max(roomBytes, file.length);

async function rentOf({ rpc }: Chain, bytes: number): Promise<bigint> {
  return responseOf(rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send());
}

/** Returns whether a program's code is a file, with zeros behind it. */
function isCode({ code }: CodeAccount, file: Uint8Array): boolean {
  const isSame = Buffer.compare(code.subarray(0, file.length), file) === 0;
  return isSame && code.subarray(file.length).every((byte) => byte === 0);
}
