import type { FastifyInstance } from 'fastify';
import { lazySerializerCompiler, lazyValidatorCompiler } from '../src/http/server/lazy-schemas.js';

// What an application compiles of its schemas is compiled once for each process of the tests: that is most of the time in which an
// application starts, and tests start hundreds.

/** Returns a compiler that compiles each schema once. */
function once<Route extends { schema?: unknown }, Compiled>(
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

const validators = once(lazyValidatorCompiler);
const serializers = once(lazySerializerCompiler);

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
