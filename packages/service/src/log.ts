import { EventEmitter } from 'node:events';
import { fstatSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { traceFacts } from './tracing/spans.js';

/** What must never stand in a log: API keys of both surfaces, tokens of operators, secrets of webhooks, base64 Ed25519 signatures. */
const secretText =
  /(?:service_(?:partner|tradebook)|karat_operator)_[0-9a-f]{64}|whsec_[A-Za-z0-9+/=]+|[A-Za-z0-9+/]{86}==/g;

/** What every secret contains: most lines have none of these, and need not be searched by a pattern. */
const secretMarks = ['==', 'service_', 'karat_operator_', 'whsec_'];

/** Returns a finished line without the secrets that stand in it by mistake. */
export function withoutSecrets(line: string): string {
  return secretMarks.some((mark) => line.includes(mark)) ? line.replace(secretText, '[hidden]') : line;
}

/** Fields that are hidden wherever an object that has them is logged. */
const secretMembers = ['api_key', 'signature', 'kyc', 'kyc_data', 'full_name', 'id_number', 'body', 'secret'];

/**
 * Creates the service's log: one JSON object a line. API keys, signatures of challenges and KYC data are hidden three
 * times: by field name, by shape in the finished line, and by an error serializer that drops values of queries. `onDrop` is
 * called for each line that the destination has no room for. With `traced`, each line has the ids of the trace and the span
 * in hand.
 */
export function createLogger(
  level: string,
  destination?: DestinationStream,
  { onDrop, traced = false }: { onDrop?: () => void; traced?: boolean } = {},
): Logger {
  const options = {
    level,
    base: null,
    formatters: { level: (name: string) => ({ level: name }) },
    ...(traced && { mixin: traceFacts }),
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    redact: {
      paths: [
        ...secretMembers.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        'headers["x-api-key"]',
        '*.headers["x-api-key"]',
      ],
      censor: '[hidden]',
    },
    hooks: { streamWrite: withoutSecrets },
  };
  if (onDrop && destination instanceof EventEmitter) destination.on('drop', onDrop);
  return pino(options, destination ?? standardOutput(onDrop));
}

/**
 * Returns what writes lines to the standard output. They are given to the destination as bytes: with text it would measure
 * all that waits again for each line.
 */
function standardOutput(onDrop: (() => void) | undefined): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, contentMode: 'buffer', ...batchesFor(1) });
  if (onDrop) output.on('drop', onDrop);
  const bytes: Pick<NodeJS.WritableStream, 'write'> = output;
  return { write: (line) => void bytes.write(Buffer.from(line)) };
}

/**
 * Returns how lines are written: in the background, some of them at a time or every 100 ms, and what is left when the process
 * exits. To a pipe no write is longer than what it takes whole (PIPE_BUF), so that lines of several processes stay whole too;
 * a file takes longer ones whole, and each write costs as much as the lines of many requests. While the reader of a pipe stands
 * still, lines beyond the longest backlog are dropped, and counted.
 */
function batchesFor(fd: number) {
  const sizes = fstatSync(fd).isFile()
    ? { minLength: 48 * 1024, maxWrite: 64 * 1024 }
    : { minLength: 3_072, maxWrite: 4_096 };
  return { ...sizes, periodicFlush: 100, maxLength: 64 * 1024 * 1024 };
}

/**
 * Returns an error as it may be logged: names, codes, stack and causes. The text of a failed query carries its
 * parameters, and PostgreSQL quotes bad values (class 22), so those messages are left out.
 */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error).slice(0, 200) };
  const { code, query, constraint_name, table_name } = error as Error & Record<string, unknown>;
  const bare = 'params' in error || /^22/.test(String(code));
  return {
    type: error.constructor.name,
    ...(bare ? {} : { message: error.message }),
    ...(code === undefined ? {} : { code }),
    ...(typeof query === 'string' ? { query } : {}),
    ...(constraint_name === undefined ? {} : { constraint: constraint_name }),
    ...(table_name === undefined ? {} : { table: table_name }),
    stack: framesOf(error),
    ...(error.cause !== undefined && depth < 5 ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}

function framesOf(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
}
