import { findOwnerUrl, readDatabaseUrl, type Secret } from '../config.js';
import { migrate as bringUp } from '../db/migrate.js';
import type { Call, Outcome } from './command.js';

export async function migrate(call: Call): Promise<Outcome> {
  const ownerUrl = findOwnerUrl(call.terminal.env);
  const url = ownerUrl ?? readDatabaseUrl(call.env);
  const runtimeRole = call.find('runtime-role') ?? (ownerUrl && runtimeRoleOf(call, ownerUrl));
  await bringUp(url.reveal(), { runtimeRole });
  return { exitCode: 0, lines: [] };
}

/** Returns the role of `DATABASE_URL`; undefined when it is the owner's. */
function runtimeRoleOf({ env }: Call, ownerUrl: Secret): string | undefined {
  if (!env.DATABASE_URL) return undefined;
  const [runtime, owner] = [readDatabaseUrl(env), ownerUrl].map((url) =>
    decodeURIComponent(new URL(url.reveal()).username),
  );
  return runtime === owner ? undefined : runtime;
}
