import AjvCompiler from '@fastify/ajv-compiler';
import { type Serializer, SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type {
  FastifySchema,
  FastifySchemaCompiler,
  FastifySchemaValidationError,
  FastifySerializerCompiler,
} from 'fastify';

// What an application compiles of its schemas is compiled when it is first used, which takes some milliseconds. There are
// hundreds of schemas, and to compile all of them took a third of the processor time of a start.

const compileSerializer = SerializerSelector()({}, {});

/** Compiles the schema of a response when the first one is sent. */
export const lazySerializerCompiler: FastifySerializerCompiler<FastifySchema> = (route) => {
  let serialize: Serializer | undefined;
  return (body) => {
    serialize ??= compileSerializer(route as Parameters<typeof compileSerializer>[0]);
    return serialize(body);
  };
};

/** How bodies, queries, paths and headers are held to their schemas. One for the process: its servers share many schemas. */
const compileValidator = AjvCompiler()(
  {},
  {
    customOptions: {
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: true,
      allErrors: false,
      // What is wrong is reported with the value and what is expected instead: see `validationError`.
      verbose: true,
    },
  },
);

/** Compiles the schema of a part of a request when the first one arrives. */
export const lazyValidatorCompiler: FastifySchemaCompiler<FastifySchema> = ({ schema }) => {
  let validate: ReturnType<typeof compileValidator> | undefined;
  return (value: unknown) => {
    validate ??= compileValidator({ schema });
    return validate(value) ? true : { error: validate.errors as FastifySchemaValidationError[] };
  };
};
