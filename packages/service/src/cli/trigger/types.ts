import { type EventType, eventTypes } from '../../domain/event.js';

/** What takes a chain that takes back what it had confirmed, which the sandbox's never does. */
const uncaused = 'trade.reverted';

export type TriggeredType = Exclude<EventType, typeof uncaused>;

/** The types of events that the sandbox can be made to have. */
export const triggeredTypes = eventTypes.filter((type): type is TriggeredType => type !== uncaused);

export function asTriggeredType(text: string): TriggeredType | undefined {
  return triggeredTypes.find((type) => type === text);
}
