import { address } from '@solana/kit';

/** Version 3 of SPL Memo, in the deployment that every wallet and explorer knows. */
export const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

/** The Lighthouse program, `declare_id!` of its source, whose instructions are the guards of wallets. */
export const guardProgram = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');

/** Token-2022, which keeps GOLD. */
export const token2022Program = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

/** GOLD's mint before its name is written: 82 bytes, padded to 165, the kind, then the metadata pointer with its head. */
export const goldMintBytes = 165 + 1 + 4 + 64;

/** More guards are refused, as a transaction has no room for many. */
export const maxGuards = 4;
