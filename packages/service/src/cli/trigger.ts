import { didYouMean } from '../domain/nearest.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';
import { causes } from './trigger/causes.js';
import { openSandbox, type Sandbox, until } from './trigger/sandbox.js';
import { asTriggeredType, type TriggeredType, triggeredTypes } from './trigger/types.js';

interface Event {
  id: string;
  type: string;
}

/**
 * Makes an event happen in a running sandbox, by what causes it in earnest, and prints it as the event log has it. Throws a
 * `CommandError` when no sandbox runs on the state folder, or what runs there is none.
 */
export async function trigger(call: Call): Promise<Outcome> {
  const type = typeOf(call);
  const redemption = redemptionOf(call, type);
  const sandbox = await openSandbox(call.get('state-dir'), (text) =>
    call.terminal.stderr.write(`  ${text}\n`),
  );
  const before = await lastEvent(sandbox, type);
  const objectId = await causes[type](sandbox, redemption);
  const event = await until(`${objectId} has the event ${type}`, async () => {
    const [found] = await readEvents(sandbox, type, before, objectId);
    return found;
  });
  return done({ ...event });
}

function typeOf({ words }: Call): TriggeredType {
  const [, text, extra] = words;
  const known = `the types are ${triggeredTypes.join(', ')}`;
  if (text === undefined) throw new UsageError(`karat trigger takes a type of events: ${known}`);
  if (extra !== undefined) throw new UsageError(`karat trigger takes one type, not also ${quoted(extra)}`);
  const type = asTriggeredType(text);
  if (type) return type;
  if (text === 'trade.reverted') {
    throw new CommandError('The chain of the sandbox takes nothing back, so no trade is ever reverted there');
  }
  throw new UsageError(
    `${quoted(text)} is no type of events; ${didYouMean(text, triggeredTypes)}Known: ${triggeredTypes.join(', ')}`,
  );
}

const moved = /^redemption\.(?!submitted|failed)/;

function redemptionOf(call: Call, type: TriggeredType): string | undefined {
  const id = call.find('redemption');
  if (id === undefined || moved.test(type)) return id;
  throw new UsageError(
    `${call.sourceOf('redemption')} is only for events to which a redemption can be moved`,
  );
}

/** Returns the id of the newest event of a type. */
async function lastEvent(sandbox: Sandbox, type: TriggeredType): Promise<string | undefined> {
  for (let last: string | undefined; ; ) {
    const events = await readEvents(sandbox, type, last);
    if (events.length === 0) return last;
    last = events.at(-1)?.id;
  }
}

async function readEvents(
  { api }: Sandbox,
  type: TriggeredType,
  after?: string,
  objectId?: string,
): Promise<Event[]> {
  const query = new URLSearchParams({
    types: type,
    ...(after !== undefined && { after }),
    ...(objectId !== undefined && { object_id: objectId }),
  });
  return (await api<{ events: Event[] }>('GET', `/v1/events?${query}`)).events;
}
