import { encodeBase58 } from '../../domain/base58.js';
import type { Address } from '../../domain/solana.js';
import type { TransactionResponse } from '../decode/transaction.js';
import type { Compiled, GeyserTransaction } from './geyser.js';

const none = new Uint8Array();

/**
 * Returns a transaction of a stream as `getTransaction` would return it, so that it is read and verified in the same way;
 * undefined for what the stream does not carry whole: failures, whose reasons are in a form of their own, and
 * transactions without what they invoked.
 */
export function responseOf(update: GeyserTransaction): TransactionResponse | undefined {
  const { transaction, meta } = update.transaction ?? {};
  const message = transaction?.message;
  if (!transaction || !message || !meta || meta.err || meta.innerInstructionsNone || !update.slot)
    return undefined;
  const address = (key: Uint8Array) => encodeBase58(key) as Address;
  const balances = (all: typeof meta.preTokenBalances) =>
    all.map(({ accountIndex = 0, uiTokenAmount }) => ({
      accountIndex,
      uiTokenAmount: { amount: uiTokenAmount?.amount || '0' },
    }));
  return {
    slot: BigInt(update.slot),
    transaction: wireOf(transaction.signatures, message),
    meta: {
      err: null,
      innerInstructions: meta.innerInstructions.map(({ index = 0, instructions }) => ({
        index,
        instructions: instructions.map(
          ({ programIdIndex = 0, accounts = none, data = none, stackHeight }) => ({
            programIdIndex,
            accounts: [...accounts],
            data,
            stackHeight: stackHeight ?? null,
          }),
        ),
      })),
      preTokenBalances: balances(meta.preTokenBalances),
      postTokenBalances: balances(meta.postTokenBalances),
      loadedAddresses: {
        writable: meta.loadedWritableAddresses.map(address),
        readonly: meta.loadedReadonlyAddresses.map(address),
      },
    },
  };
}

type Message = NonNullable<
  NonNullable<NonNullable<GeyserTransaction['transaction']>['transaction']>['message']
>;

/** Returns the bytes that were signed, behind the signatures, in base64. */
function wireOf(signatures: readonly Uint8Array[], message: Message): TransactionResponse['transaction'] {
  const { header = {}, accountKeys, recentBlockhash = none, instructions, versioned } = message;
  const bytes = [
    ...listOf(signatures),
    Buffer.from(versioned ? [0x80] : []),
    Buffer.from([
      header.numRequiredSignatures ?? 0,
      header.numReadonlySignedAccounts ?? 0,
      header.numReadonlyUnsignedAccounts ?? 0,
    ]),
    ...listOf(accountKeys),
    recentBlockhash,
    ...listOf(instructions.map(instructionOf)),
    ...(versioned ? listOf(message.addressTableLookups.map(lookupOf)) : []),
  ];
  return [Buffer.concat(bytes).toString('base64'), 'base64'] as unknown as TransactionResponse['transaction'];
}

function instructionOf({ programIdIndex = 0, accounts = none, data = none }: Compiled): Uint8Array {
  return Buffer.concat([Buffer.of(programIdIndex), ...sized(accounts), ...sized(data)]);
}

function lookupOf({
  accountKey = none,
  writableIndexes = none,
  readonlyIndexes = none,
}: Message['addressTableLookups'][number]): Uint8Array {
  return Buffer.concat([accountKey, ...sized(writableIndexes), ...sized(readonlyIndexes)]);
}

function listOf(items: readonly Uint8Array[]): Uint8Array[] {
  return [countOf(items.length), ...items];
}

function sized(bytes: Uint8Array): Uint8Array[] {
  return [countOf(bytes.length), bytes];
}

/** Returns a count as the wire format has it: 7 bits a byte, least significant first. */
function countOf(count: number): Uint8Array {
  const bytes: number[] = [];
  let rest = count;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}
