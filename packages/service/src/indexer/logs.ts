import { type Address, getBase64Encoder, type ReadonlyUint8Array } from '@solana/kit';

/** What one invocation of a program logged through `sol_log_data`. */
export interface LoggedInvocation {
  program: Address;
  /** One item a log line; each is the slices that were logged together. */
  data: ReadonlyUint8Array[][];
  /** Whether its end was seen. */
  closed: boolean;
}

export interface LogReading {
  /** Every invocation, in the order in which they began. */
  invocations: LoggedInvocation[];
  /** The node cut the log: what follows the cut was not read. */
  truncated: boolean;
  /** The lines do not nest. */
  broken: boolean;
}

const invoke = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[(\d+)\]$/;
const end = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) (?:success$|failed: )/;
const dataPrefix = 'Program data: ';

/**
 * Says which program logged what, by walking the invocations: a `Program data:` line belongs to the innermost program
 * that has begun and not ended, whatever it says. Text that a program logs itself always comes behind `Program log: `,
 * so it cannot pass for a beginning or an end. Nothing after `Log truncated` is read: a node that cut the log still
 * writes shorter lines behind the cut, so the ends of invocations may be missing there and lines would fall to a
 * program that never wrote them.
 */
export function readLogs(lines: readonly string[]): LogReading {
  const reading: LogReading = { invocations: [], truncated: false, broken: false };
  const stack: LoggedInvocation[] = [];
  for (const line of lines) {
    if (line === 'Log truncated') return { ...reading, truncated: true };
    if (!readLine(line, stack, reading)) return { ...reading, broken: true };
  }
  return { ...reading, broken: stack.length > 0 };
}

/** False when the line does not fit the ones before it. */
function readLine(line: string, stack: LoggedInvocation[], reading: LogReading): boolean {
  const begun = invoke.exec(line);
  if (begun) {
    if (Number(begun[2]) !== stack.length + 1) return false;
    const invocation = { program: begun[1] as Address, data: [], closed: false };
    stack.push(invocation);
    reading.invocations.push(invocation);
    return true;
  }
  const ended = end.exec(line);
  if (ended) {
    const top = stack.pop();
    if (!top || top.program !== ended[1]) return false;
    top.closed = true;
    return true;
  }
  if (line.startsWith(dataPrefix)) {
    const slices = line.slice(dataPrefix.length).split(' ');
    stack.at(-1)?.data.push(slices.map((slice) => getBase64Encoder().encode(slice)));
  }
  return true;
}
