import type { AccountChange, AccountState } from './account.js';
import { UPGRADEABLE_LOADER } from './addresses.js';
import { addressFromBytes } from './base58.js';
import { view } from './bytes.js';
import type { Execution } from './vm.js';
import type { WireMessage } from './wire.js';

/** Kinds of account of the upgradeable loader, u32: a program (then the address of its data), and its data (then a slot u64). */
const PROGRAM = 2;
const PROGRAM_DATA = 3;

function kindOf(state: AccountState | undefined): number | undefined {
  return state?.owner === UPGRADEABLE_LOADER && state.data.length >= 36
    ? view(state.data).readUInt32LE(0)
    : undefined;
}

/**
 * Programs that were deployed or upgraded in the current slot. On a node they become visible with the next one; the VM
 * would run them at once.
 */
export class Deployments {
  readonly #dataAddresses = new Set<string>();
  #slot = -1;

  /** Notes what a transaction of `slot` changed. */
  note(slot: number, changes: readonly AccountChange[]): void {
    if (slot !== this.#slot) this.#dataAddresses.clear();
    this.#slot = slot;
    for (const { address, state } of changes) {
      if (kindOf(state) !== PROGRAM_DATA || !state) continue;
      if (view(state.data).readBigUInt64LE(4) === BigInt(slot)) this.#dataAddresses.add(address);
    }
  }

  /** The first instruction of a message that calls a program which `slot` does not see yet: its place and the program. */
  hiddenCall(
    message: WireMessage,
    slot: number,
    getAccount: (address: string) => AccountState | undefined,
  ): { index: number; program: string } | undefined {
    if (this.#dataAddresses.size === 0 || slot !== this.#slot) return undefined;
    const programs = message.instructions.map((one) => message.staticKeys[one.programIdIndex] ?? '');
    const index = programs.findIndex((program) => {
      const state = getAccount(program);
      if (kindOf(state) !== PROGRAM || !state) return false;
      return this.#dataAddresses.has(addressFromBytes(state.data.subarray(4, 36)));
    });
    const program = programs[index];
    return program === undefined ? undefined : { index, program };
  }
}

/** What comes of such a call on a node (Agave `programs/bpf_loader`): the instruction fails, the fee is paid. */
export function notDeployed(call: { index: number; program: string }): Execution {
  return {
    err: { InstructionError: [call.index, 'UnsupportedProgramId'] },
    logs: [
      `Program ${call.program} invoke [1]`,
      'Program is not deployed',
      `Program ${call.program} failed: Unsupported program id`,
    ],
    unitsConsumed: 0,
    returnData: undefined,
    innerInstructions: [],
  };
}
