export interface Parsed {
  type: string;
  info: Record<string, unknown>;
}

/** Takes an instruction apart: its accounts in order and its data; undefined when it is none of the known ones. */
export type InstructionParser = (accounts: readonly string[], data: Buffer) => Parsed | undefined;
