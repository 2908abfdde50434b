import Fastify, { type FastifyInstance } from 'fastify';
import { validation } from '../src/http/server/server.js';

// What an application compiles of its schemas is compiled once for each process of the tests: that is most of the time in which an
// application starts, and tests start hundreds.

const bare = Fastify({ ajv: validation });
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
  return (route) => {
    const text = JSON.stringify(route.schema);
    const known = compiled.get(text) ?? compile(route);
    compiled.set(text, known);
    return known;
  };
}

const validators = once(validatorCompiler);
const serializers = once(serializerCompiler);

/** Gives an application the compilers of all of them. Before its routes. */
export function shareCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(validators);
  app.setSerializerCompiler(serializers);
}
