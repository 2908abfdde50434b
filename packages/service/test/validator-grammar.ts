import { documentValidator } from './document-validator.js';

/** Schemas with one rule each, and a value that breaks it. */
const broken: [schema: object, value: unknown][] = [
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map((type): [object, unknown] => [
    { type },
    type === 'string' ? 1 : 'x',
  ]),
  [{ enum: ['a'] }, 'x'],
  [{ const: 'a' }, 'x'],
  [{ pattern: '^a$' }, 'x'],
  [{ minLength: 2 }, 'x'],
  [{ maxLength: 0 }, 'x'],
  [{ minItems: 1 }, []],
  [{ maxItems: 0 }, [1]],
  [{ uniqueItems: true }, [1, 1]],
  [{ minimum: 1 }, 0],
  [{ maximum: 1 }, 2],
  [{ exclusiveMinimum: 1 }, 1],
  [{ exclusiveMaximum: 1 }, 1],
  [{ multipleOf: 2 }, 1],
  [{ minProperties: 1 }, {}],
  [{ maxProperties: 0 }, { a: 1 }],
  [{ required: ['a'] }, {}],
  [{ additionalProperties: false }, { a: 1 }],
  [{ anyOf: [false] }, 1],
  [{ oneOf: [true, true] }, 1],
];

const validator = documentValidator({ checksSchemas: false });

/** How the validator begins what it reports of each rule, up to the first limit or name. */
const grammar = broken.map(([schema, value]) => {
  validator.validate(schema, value);
  const text = validator.errors?.at(-1)?.message;
  if (text === undefined) throw new Error(`${JSON.stringify(schema)} takes ${JSON.stringify(value)}`);
  return text.replace(/["'\d].*$/, '').trim();
});

/** Returns the words of the validator that a message for callers holds; undefined for none. */
export function validatorWordsIn(message: string): string | undefined {
  return grammar.find((words) => message.includes(words));
}
