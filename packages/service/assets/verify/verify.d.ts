/** What was signed of a paper, as it was read from its code or from a file. */
export interface SignedText {
  text: string;
  paper: Record<string, unknown>;
  signature: Uint8Array | undefined;
}

export interface Verification {
  link?: SignedText | undefined;
  file?: SignedText | undefined;
  /** Hexadecimal. */
  keys: readonly string[];
  chain?:
    | {
        call: (method: string, ...params: unknown[]) => Promise<unknown>;
        mints: { gold: string; usdc: string };
      }
    | undefined;
}

export function readLink(fragment: string): Promise<SignedText>;
export function readStatementFile(content: string): SignedText;
export function verifyPaper(
  what: Verification,
  check: (name: string, ok: boolean, problem: string) => void,
): Promise<string[]>;
export function callsOf(url: string): (method: string, ...params: unknown[]) => Promise<unknown>;
