import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler';

const buildSerializer: SerializerFactory = SerializerSelector();

/**
 * Builds the serializer of each response when the first one is sent, which takes some milliseconds. There are hundreds, and to
 * build all of them took a sixth of the processor time of a start.
 */
export const buildLazySerializer: SerializerFactory = (schemas, options) => {
  const compile = buildSerializer(schemas, options);
  return (response) => {
    let serialize: Serializer | undefined;
    return (body) => {
      serialize ??= compile(response);
      return serialize(body);
    };
  };
};
