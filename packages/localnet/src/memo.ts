import { MEMO_PROGRAM, MEMO_V1_PROGRAM, MEMO_V4_PROGRAM } from './addresses.js';
import type { WireMessage } from './wire.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of memo bytes; undefined when they are no UTF-8. */
export function memoText(data: Uint8Array): string | undefined {
  try {
    return decoder.decode(data);
  } catch {
    return undefined;
  }
}

/** Returns the memos of a message's top-level instructions as a node lists them: `[bytes] text`, joined with `; `. */
export function memosOf(message: WireMessage): string | null {
  const memos = message.instructions.flatMap(({ programIdIndex, data }) => {
    const program = message.staticKeys[programIdIndex];
    if (program !== MEMO_PROGRAM && program !== MEMO_V1_PROGRAM && program !== MEMO_V4_PROGRAM) return [];
    return [`[${data.length}] ${memoText(data) ?? '(unparseable)'}`];
  });
  return memos.length > 0 ? memos.join('; ') : null;
}
