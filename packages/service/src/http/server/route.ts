import type { FastifyContextConfig, FastifySchema } from 'fastify';

/** Who may call a route, and what it takes and returns: the options that it is registered with. */
export const route = <Config extends FastifyContextConfig, Schema extends FastifySchema>(
  config: Config,
  schema: Schema,
) => ({ config, schema });
