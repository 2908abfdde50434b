import { readFileSync } from 'node:fs';
import type { AccountChange } from './account.js';
import { type CliOptions, helpText, readCliOptions, UsageError } from './cli-options.js';
import { readAccountJson } from './clone.js';
import { removeLedger } from './ledger.js';
import { Localnet } from './localnet.js';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function readFile<T>(file: string, read: (bytes: Buffer) => T): T {
  try {
    return read(readFileSync(file));
  } catch (error) {
    throw new UsageError(`${file} cannot be used: ${messageOf(error)}`);
  }
}

function accountOf(file: string): AccountChange {
  return readFile(file, (bytes) => readAccountJson(bytes.toString('utf8')));
}

/** Returns what went wrong in one line, where it is foreseen. */
function startError(error: unknown, options: CliOptions): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new UsageError(
      `Port ${options.rpcPort} is taken: stop what listens there, or choose another with --rpc-port`,
    );
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') return new UsageError(messageOf(error));
  return error instanceof Error ? error : new Error(String(error));
}

async function start(options: CliOptions): Promise<Localnet> {
  const { ledger, reset, host, rpcPort, slotMs, cheats } = options;
  const programs = options.programs.map(({ address, file }) => ({
    address,
    so: readFile(file, (bytes) => {
      if (bytes.subarray(0, 4).toString('latin1') !== '\x7fELF') throw new Error('not an ELF file');
      return new Uint8Array(bytes);
    }),
  }));
  const accounts = options.cloneAccounts.map(accountOf);
  if (reset && ledger !== undefined) removeLedger(ledger);
  try {
    return await Localnet.start({ ledger, host, rpcPort, slotMs, cheats, programs, accounts });
  } catch (error) {
    throw startError(error, options);
  }
}

async function main(args: readonly string[]): Promise<void> {
  const options = readCliOptions(args);
  if (options === 'help') {
    console.log(helpText());
    return;
  }
  const node = await start(options);
  const stop = () => void node.stop().then(() => process.exit(0), fail);
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const place = options.ledger === undefined ? 'in memory, gone at the end' : options.ledger;
  console.log(
    [
      'Localnet is ready',
      `  JSON-RPC   ${node.rpcUrl}`,
      `  WebSocket  ${node.wsUrl}`,
      `  Ledger     ${place}${node.genesisCreated ? '' : ' (continued)'}`,
      'Ctrl-C stops it.',
    ].join('\n'),
  );
}

function fail(error: unknown): void {
  // What the caller can mend is a line; anything else is a fault of the program, and its trace is needed.
  const known = error instanceof UsageError || (error instanceof Error && /ledger/i.test(error.message));
  console.error(known ? messageOf(error) : error);
  process.exit(1);
}

main(process.argv.slice(2)).catch(fail);
