export interface JsonSchema {
  type?: string | string[];
  examples?: unknown[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  [keyword: string]: unknown;
}

/**
 * Returns an example of a schema: its own if it names one, else put together from its parts. Throws where a part names
 * none.
 */
export function exampleOf(schema: JsonSchema, path = ''): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return exampleOf(first, path);
  if (schema.items) return [exampleOf(schema.items, `${path}[]`)];
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, part]) => [name, exampleOf(part, `${path}.${name}`)]),
    );
  }
  throw new Error(`${path === '' ? 'a schema' : path} has no example`);
}
