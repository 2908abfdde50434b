import { requireAddressBytes } from './address-bytes.js';
import { UPGRADEABLE_LOADER } from './addresses.js';
import type { Chain } from './chain.js';
import { derivedAddress } from './derived-address.js';

/** A program to be there from the start. */
export interface ProgramToAdd {
  address: string;
  /** The ELF file. */
  so: Uint8Array;
  /** Who may upgrade it; without one it is final. */
  upgradeAuthority?: string | undefined;
}

/** Layouts of the upgradeable loader: program = u32 2, address of its data; data = u32 3, slot u64, option of authority, code. */
const PROGRAM_DATA_HEAD_BYTES = 45;

/** Returns where the upgradeable loader keeps a program's code. */
export async function programDataAddress(program: string): Promise<string> {
  return await derivedAddress(UPGRADEABLE_LOADER, [program]);
}

/** Writes a program as the upgradeable loader would have deployed it in slot 0; does nothing when the address is taken. */
export async function addProgram(chain: Chain, program: ProgramToAdd): Promise<void> {
  if (chain.vm.getAccount(program.address)) return;
  const dataAddress = await programDataAddress(program.address);
  const data = Buffer.alloc(PROGRAM_DATA_HEAD_BYTES + program.so.length);
  data.writeUInt32LE(3, 0);
  if (program.upgradeAuthority !== undefined) {
    data[12] = 1;
    data.set(requireAddressBytes(program.upgradeAuthority), 13);
  }
  data.set(program.so, PROGRAM_DATA_HEAD_BYTES);
  const pointer = Buffer.alloc(36);
  pointer.writeUInt32LE(2, 0);
  pointer.set(requireAddressBytes(dataAddress), 4);
  const account = (bytes: Buffer, executable: boolean) => ({
    lamports: chain.vm.minimumBalance(bytes.length),
    owner: UPGRADEABLE_LOADER,
    data: new Uint8Array(bytes),
    executable,
  });
  // The code first: the VM loads it when it sees the program.
  chain.writeAccounts([
    { address: dataAddress, state: account(data, false) },
    { address: program.address, state: account(pointer, true) },
  ]);
}
