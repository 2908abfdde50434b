import { karatErrors } from '@karat/program-client';
import { token2022Program } from '@karat/signer';
import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

/** What a program calls one of its errors, and what it means. */
export interface NamedError {
  name: string;
  meaning: string;
}

type Errors = readonly (readonly [name: string, meaning: string])[];

/** Errors of SPL Token in the order of their codes, from 0; those of Token-2022 begin alike. */
const tokenErrors: Errors = [
  ['NotRentExempt', 'The account holds too little SOL for its rent.'],
  ['InsufficientFunds', 'The token account holds less than the amount.'],
  ['InvalidMint', 'The mint is not valid.'],
  ['MintMismatch', 'The token account is of another mint.'],
  ['OwnerMismatch', 'The signer is not the owner of the token account.'],
  ['FixedSupply', 'The supply of the token is fixed.'],
  ['AlreadyInUse', 'The address is already in use.'],
  ['InvalidNumberOfProvidedSigners', 'The number of signers provided is not valid.'],
  ['InvalidNumberOfRequiredSigners', 'The number of signers required is not valid.'],
  ['UninitializedState', 'The token account is not initialized.'],
  ['NativeNotSupported', 'The instruction does not support native tokens.'],
  ['NonNativeHasBalance', 'The token account can only be closed once it is empty.'],
  ['InvalidInstruction', 'The instruction is not valid.'],
  ['InvalidState', 'The state of the token account does not allow this.'],
  ['Overflow', 'A result does not fit into 64 bits.'],
  ['AuthorityTypeNotSupported', 'The account does not support this type of authority.'],
  ['MintCannotFreeze', 'The mint cannot freeze accounts.'],
  ['AccountFrozen', 'The token account is frozen.'],
  ['MintDecimalsMismatch', 'The mint has another number of decimals.'],
  ['NonNativeNotSupported', 'The instruction does not support tokens that are not native.'],
];

const associatedTokenErrors: Errors = [
  ['InvalidOwner', 'The associated token account belongs to another owner than its address says.'],
];

const systemErrors: Errors = [
  ['AccountAlreadyInUse', 'The account exists already.'],
  ['ResultWithNegativeLamports', 'The account holds too little SOL.'],
  ['InvalidProgramId', 'The account cannot be assigned to this program.'],
  ['InvalidAccountDataLength', 'The account cannot have data of this length.'],
  ['MaxSeedLengthExceeded', 'The seed is too long.'],
  ['AddressWithSeedMismatch', 'The address does not match its seed.'],
  ['NonceNoRecentBlockhashes', 'There is no recent blockhash to advance the nonce to.'],
  ['NonceBlockhashNotExpired', 'The stored nonce is still in recent blockhashes.'],
  ['NonceUnexpectedBlockhashValue', 'The nonce does not match the stored one.'],
];

const errorsOfOthers = new Map<Address, Errors>([
  [TOKEN_PROGRAM_ADDRESS, tokenErrors],
  [token2022Program, tokenErrors],
  [ASSOCIATED_TOKEN_PROGRAM_ADDRESS, associatedTokenErrors],
  [SYSTEM_PROGRAM_ADDRESS, systemErrors],
]);

/** Returns what a program calls the error with that code; undefined for programs and codes that are not known. */
export function nameError(
  program: Address | undefined,
  code: number,
  programAddress: Address,
): NamedError | undefined {
  if (program === undefined) return undefined;
  const found = program === programAddress ? karatErrors[code] : errorsOfOthers.get(program)?.[code];
  return found && { name: found[0], meaning: found[1] };
}
