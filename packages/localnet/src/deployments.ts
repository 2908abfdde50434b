import type { AccountChange, AccountState } from './account.js';
import { addressFromBytes } from './address-bytes.js';
import { UPGRADEABLE_LOADER } from './addresses.js';
import { view } from './bytes.js';
import type { Execution } from './vm.js';
import type { WireMessage } from './wire.js';

/** Kinds of account of the upgradeable loader, u32: a program (then the address of its data), and its data (then a slot u64). */
const PROGRAM = 2;
const PROGRAM_DATA = 3;
/** Length of a program's account. */
export const PROGRAM_BYTES = 36;

function kindOf(state: AccountState | undefined): number | undefined {
  return state?.owner === UPGRADEABLE_LOADER && state.data.length >= PROGRAM_BYTES
    ? view(state.data).readUInt32LE(0)
    : undefined;
}

/** Returns where the code of a program of the upgradeable loader lies; undefined for any other account. */
export function codeAddressOf(state: AccountState | undefined): string | undefined {
  return kindOf(state) === PROGRAM && state
    ? addressFromBytes(state.data.subarray(4, PROGRAM_BYTES))
    : undefined;
}

/** Returns whether an account holds the code of a program of the upgradeable loader. */
export function holdsCode(state: AccountState | undefined): boolean {
  return kindOf(state) === PROGRAM_DATA;
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
      if (!state || !holdsCode(state)) continue;
      if (view(state.data).readBigUInt64LE(4) === BigInt(slot)) this.#dataAddresses.add(address);
    }
  }

  /**
   * Returns the first instruction of a message that calls a program which `slot` does not see yet: its place and the
   * program.
   */
  hiddenCall(
    message: WireMessage,
    slot: number,
    getAccount: (address: string) => AccountState | undefined,
  ): { index: number; program: string } | undefined {
    if (this.#dataAddresses.size === 0 || slot !== this.#slot) return undefined;
    const programs = message.instructions.map((one) => message.staticKeys[one.programIdIndex] ?? '');
    const index = programs.findIndex((program) => {
      const code = codeAddressOf(getAccount(program));
      return code !== undefined && this.#dataAddresses.has(code);
    });
    const program = programs[index];
    return program === undefined ? undefined : { index, program };
  }
}

/**
 * Returns what comes of such a call on a node (Agave `programs/bpf_loader`): the instruction fails, the fee is paid.
 */
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
