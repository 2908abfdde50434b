import { addressFromBytes } from '../address-bytes.js';

/** An extension of an account of token-2022 as a node parses it. */
export interface ParsedExtension {
  extension: string;
  state?: unknown;
}

/** Behind the base layout of a token account comes the kind of the account, in one byte. */
const FIRST_EXTENSION = 166;
const HEAD_BYTES = 4;
const NO_KEY = Buffer.alloc(32);

function optionalKey(data: Buffer, at: number): string | null {
  const key = data.subarray(at, at + 32);
  return key.equals(NO_KEY) ? null : addressFromBytes(key);
}

/** Layout: spl-token-metadata-interface `TokenMetadata`: two keys, then Borsh texts and pairs of them. */
function parseMetadata(data: Buffer): unknown {
  let at = 64;
  const text = (): string => {
    const length = data.readUInt32LE(at);
    if (at + 4 + length > data.length) throw new RangeError('the metadata ends too early');
    at += 4 + length;
    return data.toString('utf8', at - length, at);
  };
  const [name, symbol, uri] = [text(), text(), text()];
  const count = data.readUInt32LE(at);
  at += 4;
  const additionalMetadata: [string, string][] = [];
  while (additionalMetadata.length < count) additionalMetadata.push([text(), text()]);
  return {
    additionalMetadata,
    mint: addressFromBytes(data.subarray(32, 64)),
    name,
    symbol,
    updateAuthority: optionalKey(data, 0),
    uri,
  };
}

/** The extensions that are parsed, by their type: spl-token-2022 `ExtensionType`. */
const PARSERS: Readonly<Record<number, (data: Buffer) => ParsedExtension>> = {
  7: () => ({ extension: 'immutableOwner' }),
  18: (data) => ({
    extension: 'metadataPointer',
    state: { authority: optionalKey(data, 0), metadataAddress: optionalKey(data, 32) },
  }),
  19: (data) => ({ extension: 'tokenMetadata', state: parseMetadata(data) }),
};

/** Returns the extensions of a mint or an account of token-2022; what is not known is `unparseableExtension`. */
export function parseExtensions(data: Buffer): ParsedExtension[] {
  const found: ParsedExtension[] = [];
  for (let at = FIRST_EXTENSION; at + HEAD_BYTES <= data.length; ) {
    const [type, length] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)];
    if (type === 0) break;
    at += HEAD_BYTES;
    found.push(parseOne(type, data.subarray(at, at + length)));
    at += length;
  }
  return found;
}

function parseOne(type: number, data: Buffer): ParsedExtension {
  try {
    return PARSERS[type]?.(data) ?? { extension: 'unparseableExtension' };
  } catch (error) {
    if (error instanceof RangeError) return { extension: 'unparseableExtension' };
    throw error;
  }
}
