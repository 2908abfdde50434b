import type { AccountChange, AccountState } from './account.js';
import { requireAddressBytes } from './address-bytes.js';
import { ASSOCIATED_TOKEN_PROGRAM, NATIVE_MINT } from './addresses.js';
import type { Chain } from './chain.js';
import { derivedAddress } from './derived-address.js';
import { invalidParams } from './errors.js';
import { decodeMint, decodeTokenAccount, newTokenAccountData } from './token.js';

const U64_MAX = 2n ** 64n - 1n;

/** Returns the address of the owner's associated token account for a mint of the given token program. */
export async function associatedTokenAddress(
  owner: string,
  mint: string,
  tokenProgram: string,
): Promise<string> {
  return await derivedAddress(ASSOCIATED_TOKEN_PROGRAM, [owner, tokenProgram, mint]);
}

/** Returns the token account with `amount` in it; `current` is what is there, undefined for a new one. */
function filledAccount(
  chain: Chain,
  current: AccountState | undefined,
  fresh: Buffer,
  program: string,
  isNative: boolean,
  amount: bigint,
): AccountState {
  const data = Buffer.from(current?.data ?? fresh);
  data.writeBigUInt64LE(amount, 64);
  const rent = chain.vm.minimumBalance(data.length);
  if (isNative) {
    // Wrapped SOL: the account's lamports above its reserve are the balance.
    data.writeUInt32LE(1, 109);
    data.writeBigUInt64LE(rent, 113);
  }
  const lamports = isNative ? rent + amount : (current?.lamports ?? rent);
  return { lamports, owner: program, data: new Uint8Array(data), executable: false };
}

/**
 * Sets the balance of the owner's associated token account in base units, making the account when it is missing; the
 * mint's supply moves with it. Gives the account's address. -32602 when the mint is none or the supply overflows.
 */
export async function setTokenBalance(
  chain: Chain,
  owner: string,
  mintAddress: string,
  amount: bigint,
): Promise<string> {
  const program = chain.vm.getAccount(mintAddress)?.owner ?? '';
  if (!decodeMint(chain.vm.getAccount(mintAddress)))
    throw invalidParams('Invalid param: could not find mint');
  const address = await associatedTokenAddress(owner, mintAddress, program);
  // Everything below is one step: nothing may change between reading and writing.
  const mintState = chain.vm.getAccount(mintAddress);
  const mint = decodeMint(mintState);
  if (!mintState || !mint) throw invalidParams('Invalid param: could not find mint');
  const current = chain.vm.getAccount(address);
  const account = decodeTokenAccount(current);
  const fresh = newTokenAccountData(requireAddressBytes(mintAddress), requireAddressBytes(owner), program);
  const isNative = mintAddress === NATIVE_MINT;
  const filled = filledAccount(chain, account ? current : undefined, fresh, program, isNative, amount);
  const changes: AccountChange[] = [{ address, state: filled }];
  if (!isNative) {
    const supply = mint.supply - (account?.amount ?? 0n) + amount;
    if (supply > U64_MAX || supply < 0n)
      throw invalidParams(`Invalid params: the supply of the mint would be ${supply}`);
    const data = Buffer.from(mintState.data);
    data.writeBigUInt64LE(supply, 36);
    changes.push({ address: mintAddress, state: { ...mintState, data: new Uint8Array(data) } });
  }
  chain.writeAccounts(changes);
  return address;
}
