import Fastify, { type FastifyInstance, type FastifySchema, type FastifySchemaCompiler } from 'fastify';
import { buildLazySerializer } from '../src/http/server/lazy-serializers.js';
import { validation } from '../src/http/server/server.js';

// What an application compiles of its schemas is compiled once for each process of the tests: that is most of the time in which an
// application starts, and tests start hundreds.

const bare = Fastify({
  ajv: validation,
  schemaController: { compilersFactory: { buildSerializer: buildLazySerializer } },
});
const schema = { querystring: { type: 'object' }, response: { 200: { type: 'object' } } };
bare.get('/', { schema }, async () => ({}));
await bare.ready();
const { validatorCompiler, serializerCompiler } = bare;
if (!validatorCompiler || !serializerCompiler) throw new Error('no compilers');

/** Returns a compiler that compiles each schema once. */
function once<Route extends { schema: unknown }, Compiled>(
  compile: (route: Route) => Compiled,
): (route: Route) => Compiled {
  const compiled = new Map<string, Compiled>();
  // Most schemas are the same object for every application.
  const seen = new WeakMap<object, Compiled>();
  return (route) => {
    const schema = route.schema as object;
    const found = seen.get(schema);
    if (found) return found;
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? compile(route);
    compiled.set(text, known);
    seen.set(schema, known);
    return known;
  };
}

/** Compiles a schema when it is first used: a process of the service, which compiles all at its start, finds what cannot be. */
function whenUsed(compile: FastifySchemaCompiler<FastifySchema>): FastifySchemaCompiler<FastifySchema> {
  return (route) => {
    let compiled: ReturnType<typeof compile> | undefined;
    const validate: ReturnType<typeof compile> = (value) => {
      compiled ??= compile(route);
      const result = compiled(value);
      validate.errors = compiled.errors ?? null;
      return result;
    };
    return validate;
  };
}

const validators = once(whenUsed(validatorCompiler));
const serializers = once(serializerCompiler);

const displayName = Symbol.for('fastify.display-name');

/** Gives every plugin a name, which fastify would look for among all modules that the process has loaded, twice for each. */
function namePlugins(app: FastifyInstance): void {
  const { register } = app;
  const named = function (this: FastifyInstance, ...[plugin, options]: Parameters<typeof register>) {
    if (typeof plugin === 'function' && !(displayName in plugin))
      Object.assign(plugin, { [displayName]: plugin.name || 'plugin' });
    return register.call(this, plugin, options);
  };
  Object.assign(app, { register: named });
}

/** Gives an application the compilers of all of them. Before its routes. */
export function shareCompilers(app: FastifyInstance): void {
  namePlugins(app);
  app.setValidatorCompiler(validators);
  app.setSerializerCompiler(serializers);
}
