/** What each event makes of a record in each status. What is not in the table does not happen. */
export type Transitions<Status extends string, Event extends string> = Readonly<
  Record<Status, Readonly<Partial<Record<Event, Status>>>>
>;

/** What an event does: it leads from any of these statuses to one. */
export interface Move<Status extends string> {
  from: Status[];
  to: Status;
}

/**
 * Returns what an event does, for a statement that moves rows. Throws for an event that leads nowhere, or to several
 * statuses: a mistake in the table.
 */
export function moveOf<Status extends string, Event extends string>(
  transitions: Transitions<Status, Event>,
  event: Event,
): Move<Status> {
  const moves = (Object.keys(transitions) as Status[]).flatMap((from) => {
    const to = transitions[from][event];
    return to === undefined ? [] : { from, to };
  });
  const [first, ...others] = moves;
  if (!first || others.some(({ to }) => to !== first.to))
    throw new Error(`${event} does not lead to one status`);
  return { from: moves.map(({ from }) => from), to: first.to };
}
