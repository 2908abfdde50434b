import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The parts of a schema that say what may be left out. */
interface Schema {
  type?: unknown;
  required?: readonly string[];
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  items?: Schema;
}

/** The fields of a value that may be absent and cannot be null, and the fields that have fields of their own. */
interface Shape {
  optional: ReadonlySet<string>;
  inner: ReadonlyMap<string, Shape>;
  items: Shape | undefined;
}

/**
 * Takes `null` for an optional field as its absence: many languages write what is not set that way. Where null has a meaning
 * of its own, it stays, and so does that of a required field, which is refused. Has to be called before the routes are
 * registered.
 */
export function dropAbsentFields(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const body = route.schema?.body as Schema | undefined;
    const shape = body && shapeOf(body);
    if (!shape) return;
    const drop = ({ body }: FastifyRequest, _reply: unknown, done: () => void) => {
      dropNulls(body, shape);
      done();
    };
    route.preValidation = [drop, ...[route.preValidation ?? []].flat()];
  });
}

/** Undefined for a value in which nothing may be absent. */
function shapeOf(schema: Schema): Shape | undefined {
  const shapes = [schema, ...(schema.anyOf ?? [])];
  const fields = shapes.flatMap(({ properties }) => Object.entries(properties ?? {}));
  const objects = shapes.filter(({ properties }) => properties);
  const isRequired = (name: string) => objects.every(({ required }) => required?.includes(name));
  const optional = new Set<string>();
  const inner = new Map<string, Shape>();
  for (const [name, field] of fields) {
    if (!isRequired(name) && !takesNull(field)) optional.add(name);
    const shape = shapeOf(field);
    if (shape) inner.set(name, shape);
  }
  const listed = shapes.find(({ items }) => items)?.items;
  const items = listed && shapeOf(listed);
  return optional.size > 0 || inner.size > 0 || items ? { optional, inner, items } : undefined;
}

/** Whether null is a value of a schema; what names no type takes anything. */
function takesNull({ type, anyOf }: Schema): boolean {
  if (anyOf) return anyOf.some(takesNull);
  return type === undefined || [type].flat().includes('null');
}

function dropNulls(value: unknown, { optional, inner, items }: Shape): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (items) for (const one of value) dropNulls(one, items);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const name in fields) {
    if (fields[name] === null && optional.has(name)) delete fields[name];
    const shape = inner.get(name);
    if (shape) dropNulls(fields[name], shape);
  }
}
