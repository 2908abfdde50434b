import { readFileSync } from 'node:fs';
import * as client from '@karat/program-client';
import type { StructFieldTypeNode, TypeNode } from 'codama';
import { describe, expect, test } from 'vitest';
import { idl } from '../idl.js';

// `layout.json` is what the Rust compiler says; `program/build.sh --check` shows that it is current. Here the IDL is held to it.

interface Layout {
  name: string;
  size: number;
  kind?: number;
  discriminator?: number;
  fields: { name: string; offset: number; size: number }[];
}

const layout: {
  accounts: Layout[];
  instructions: Layout[];
  events: Layout[];
  errors: { code: number; name: string }[];
} = JSON.parse(readFileSync(new URL('../layout.json', import.meta.url), 'utf8'));

const numberSizes: Record<string, number> = { u8: 1, u16: 2, u32: 4, u64: 8, i32: 4, i64: 8 };

function sizeOf(type: TypeNode): number {
  switch (type.kind) {
    case 'numberTypeNode':
      return numberSizes[type.format] ?? Number.NaN;
    case 'publicKeyTypeNode':
      return 32;
    case 'fixedSizeTypeNode':
      return type.size;
    case 'arrayTypeNode':
      return type.count.kind === 'fixedCountNode' ? type.count.value * sizeOf(type.item) : Number.NaN;
    case 'definedTypeLinkNode': {
      const defined = idl.program.definedTypes.find(({ name }) => name === type.name);
      return defined ? sizeOf(defined.type) : Number.NaN;
    }
    case 'enumTypeNode':
      return sizeOf(type.size);
    case 'structTypeNode':
      return type.fields.reduce((sum, field) => sum + sizeOf(field.type), 0);
    default:
      return Number.NaN;
  }
}

/** Names, offsets and sizes of fields that follow each other without gaps. */
function place(fields: readonly Pick<StructFieldTypeNode, 'name' | 'type'>[], start = 0): Layout['fields'] {
  let offset = start;
  return fields.map(({ name, type }) => {
    const size = sizeOf(type);
    const placed = { name, offset, size };
    offset += size;
    return placed;
  });
}

function structFields(type: TypeNode): readonly StructFieldTypeNode[] {
  if (type.kind !== 'structTypeNode') throw new Error(`a ${type.kind} is no struct`);
  return type.fields;
}

const named = (name: string): string => name;

describe('the IDL is laid out as the program', () => {
  test('the IDL has the same accounts, instructions and events as the program', () => {
    expect(idl.program.accounts.map(({ name }) => named(name))).toEqual(
      layout.accounts.map(({ name }) => name),
    );
    const instructions = idl.program.instructions.map(({ name }) => named(name));
    expect(instructions).toEqual(layout.instructions.map(({ name }) => name));
    const structs = idl.program.definedTypes.filter(({ type }) => type.kind === 'structTypeNode');
    expect(structs.map(({ name }) => named(name))).toEqual(layout.events.map(({ name }) => name));
  });

  test.each(layout.accounts)(
    'the IDL has the account $name as the program',
    ({ name, size, kind, fields }) => {
      const account = idl.program.accounts.find((node) => node.name === name);
      if (!account) throw new Error(`no account ${name}`);
      expect(account.size).toBe(size);
      expect(place(structFields(account.data as TypeNode))).toEqual(fields);
      const [first] = structFields(account.data as TypeNode);
      expect(first?.defaultValue).toMatchObject({ kind: 'numberValueNode', number: kind });
    },
  );

  test.each(layout.instructions)(
    'the IDL has the instruction $name as the program',
    ({ name, size, discriminator, fields }) => {
      const instruction = idl.program.instructions.find((node) => node.name === name);
      if (!instruction) throw new Error(`no instruction ${name}`);
      const [first, ...rest] = instruction.arguments;
      expect(first).toMatchObject({ name: 'discriminator', defaultValue: { number: discriminator } });
      expect(place(rest, 1)).toEqual(fields);
      expect(rest.reduce((sum, { type }) => sum + sizeOf(type), 1)).toBe(size);
    },
  );

  test.each(layout.events)('the IDL has the type $name as the program', ({ name, size, fields }) => {
    const type = idl.program.definedTypes.find((node) => node.name === name);
    if (!type) throw new Error(`no type ${name}`);
    expect(place(structFields(type.type))).toEqual(fields);
    expect(sizeOf(type.type)).toBe(size);
  });

  test('the IDL has the errors of the program', () => {
    const errors = idl.program.errors.map(({ code, name }) => ({
      code,
      name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    }));
    expect(errors).toEqual(layout.errors);
  });
});

test('the generated client encodes exactly these sizes', () => {
  expect(client.getConfigEncoder().fixedSize).toBe(2_128);
  expect(client.getIntegratorEncoder().fixedSize).toBe(828);
  expect(client.getReceiptEncoder().fixedSize).toBe(48);
  expect(client.getRedemptionEncoder().fixedSize).toBe(136);
  expect(client.getSettingsProposalEncoder().fixedSize).toBe(496);
  expect(client.getKaratEventEncoder().fixedSize).toBe(162);
  const encoders = new Map<string, unknown>(Object.entries(client));
  const sizes = layout.instructions.map(({ name }) => {
    const encoder = encoders.get(`get${name.charAt(0).toUpperCase()}${name.slice(1)}InstructionDataEncoder`);
    if (typeof encoder !== 'function') throw new Error(`the client has no encoder for ${name}`);
    return [name, encoder().fixedSize];
  });
  expect(sizes).toEqual(layout.instructions.map(({ name, size }) => [name, size]));
});
