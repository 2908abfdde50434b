/** The two ports of the service as processes of their own, so that neither has the other's keys. */
export const surfaces = ['serve-partners', 'serve-operators'] as const;

/** What a process of the service may do; any number of them at once. */
const commands = [...surfaces, 'index', 'keep', 'deliver'] as const;
export type Command = (typeof commands)[number];

/**
 * Commands of a command line, such as `serve,index` or `serve index`, where `serve` is both surfaces; undefined when one is
 * unknown or none is given.
 */
export function parseCommands(args: string[]): Set<Command> | undefined {
  const names = args.flatMap((arg) => arg.split(',')).flatMap((name) => (name === 'serve' ? surfaces : name));
  const known = names.filter((name): name is Command => (commands as readonly string[]).includes(name));
  return known.length === names.length && known.length > 0 ? new Set(known) : undefined;
}
