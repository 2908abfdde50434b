import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../addresses.js';
import { encodeBase58 } from '../base58.js';
import { view } from '../bytes.js';
import { memoText } from '../memo.js';
import { parseSystemInstruction } from './system.js';
import { parseTokenInstruction } from './token.js';

export interface Parsed {
  type: string;
  info: Record<string, unknown>;
}

/** Takes an instruction apart: its accounts in order and its data; undefined when it is none of the known ones. */
export type InstructionParser = (accounts: readonly string[], data: Buffer) => Parsed | undefined;

const parseAssociatedToken: InstructionParser = (accounts, data) => {
  const [source, account, wallet, mint, systemProgram, tokenProgram] = accounts;
  if (tokenProgram === undefined || data.length > 1 || (data[0] ?? 0) > 1) return undefined;
  const type = data[0] === 1 ? 'createIdempotent' : 'create';
  return { type, info: { account, mint, source, systemProgram, tokenProgram, wallet } };
};

const PARSERS: Readonly<Record<string, { program: string; parse: InstructionParser }>> = {
  [SYSTEM_PROGRAM]: { program: 'system', parse: parseSystemInstruction },
  [TOKEN_PROGRAM]: { program: 'spl-token', parse: parseTokenInstruction },
  // Extensions of token-2022 stay unparsed: their discriminators are none of the base program's.
  [TOKEN_2022_PROGRAM]: { program: 'spl-token', parse: parseTokenInstruction },
  [ASSOCIATED_TOKEN_PROGRAM]: { program: 'spl-associated-token-account', parse: parseAssociatedToken },
};

function parsedOf(
  programId: string,
  accounts: readonly string[],
  data: Buffer,
): { program: string; parsed: unknown } | undefined {
  if (programId === MEMO_PROGRAM || programId === MEMO_V1_PROGRAM) {
    const text = memoText(data);
    return text === undefined ? undefined : { program: 'spl-memo', parsed: text };
  }
  const known = PARSERS[programId];
  const parsed = known?.parse(accounts, data);
  return known && parsed ? { program: known.program, parsed } : undefined;
}

/** An instruction in the form of `jsonParsed`: parsed where the program is known, else taken apart only. */
export function parseInstruction(
  keys: readonly string[],
  programIdIndex: number,
  accountIndexes: ArrayLike<number>,
  data: Uint8Array,
  stackHeight: number,
): Record<string, unknown> {
  const programId = keys[programIdIndex] ?? '';
  const accounts = Array.from(accountIndexes, (index) => keys[index] ?? '');
  const known = parsedOf(programId, accounts, view(data));
  if (known) return { parsed: known.parsed, program: known.program, programId, stackHeight };
  return { accounts, data: encodeBase58(data), programId, stackHeight };
}
