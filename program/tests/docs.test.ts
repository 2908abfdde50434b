import { readFileSync } from 'node:fs';
import type { TypeNode } from 'codama';
import { describe, expect, test } from 'vitest';
import { idl } from '../idl.js';

// The tables of `docs/program.md` against the contract and against what the compiler says (`layout.json`).

interface Layout {
  name: string;
  size: number;
  fields: { name: string; offset: number; size: number }[];
}

const layout: { accounts: (Layout & { kind: number })[]; instructions: Layout[]; events: Layout[] } =
  JSON.parse(readFileSync(new URL('../layout.json', import.meta.url), 'utf8'));
const page = readFileSync(new URL('../../docs/program.md', import.meta.url), 'utf8');
const { accounts, definedTypes, errors, instructions, pdas } = idl.program;

/** Returns the text below a heading of any level, up to the next one. */
function section(heading: string): string {
  const [, rest] = page.split(new RegExp(`^#+ ${heading}\n`, 'm'));
  if (rest === undefined) throw new Error(`no heading ${heading}`);
  return rest.split(/^#+ /m)[0] ?? '';
}

/** Returns the rows of the first table of a text whose first column has this name, as trimmed cells. */
function rows(text: string, first: string): string[][] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  if (head < 0) throw new Error(`no table ${first}`);
  const body = lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith('|'));
  return body.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Returns what stands behind a bold name of a list, without its line breaks. */
function item(name: string): string {
  const [, rest] = page.split(new RegExp(`^- \\*\\*${name}(?:\\*\\*,|:\\*\\*) `, 'm'));
  if (rest === undefined) throw new Error(`no item ${name}`);
  return (rest.split(/\n(?! )/)[0] ?? '').replaceAll(/\s+/g, ' ');
}

function typeOf(name: string): TypeNode {
  const type = definedTypes.find((each) => each.name === name)?.type;
  if (!type) throw new Error(`no type ${name}`);
  return type;
}

/** Returns a type as the page names it. */
function nameOf(type: TypeNode): string {
  switch (type.kind) {
    case 'numberTypeNode':
      return type.format;
    case 'publicKeyTypeNode':
      return 'key';
    case 'fixedSizeTypeNode':
      return `[${type.size}]`;
    case 'arrayTypeNode':
      return `${nameOf(type.item)}[${type.count.kind === 'fixedCountNode' ? type.count.value : '?'}]`;
    case 'definedTypeLinkNode':
      return typeOf(type.name).kind === 'enumTypeNode' ? 'u8' : type.name;
    default:
      throw new Error(`a ${type.kind} has no name`);
  }
}

const named = (fields: readonly { name: string; type: TypeNode }[]): string =>
  fields.map(({ name, type }) => `${name} ${nameOf(type)}`).join(', ');

function fieldsOf(type: TypeNode): string {
  if (type.kind !== 'structTypeNode') throw new Error(`a ${type.kind} has no fields`);
  return named(type.fields);
}

const sizeOf = (name: string): number | undefined =>
  [...layout.accounts, ...layout.events].find((each) => each.name === name)?.size;

describe('docs/program.md', () => {
  test.each([
    ...layout.accounts,
    ...layout.events.filter(({ name }) => ['settings', 'karatEvent'].includes(name)),
  ])('docs/program.md has for $name where each field is, and its type', ({ name, size, fields }) => {
    const text = section(name);
    expect(text.trim().split(' bytes')[0]).toBe(size.toLocaleString('en'));
    const table = rows(text, 'Offset');
    expect(
      table.map(([offset, bytes, field]) => ({ name: field, offset: Number(offset), size: Number(bytes) })),
    ).toEqual(fields);
    const data = (accounts.find((each) => each.name === name)?.data as TypeNode | undefined) ?? typeOf(name);
    expect(table.map(([, , field, type]) => `${field} ${type}`).join(', ')).toBe(fieldsOf(data));
  });

  test.each(layout.accounts)('docs/program.md has for $name its kind and version', ({ name, kind }) => {
    expect(section(name)).toContain(` bytes, kind ${kind}; `);
    const [first, second] = rows(section(name), 'Offset').map(([, , , , meaning]) => meaning);
    expect([first, second]).toEqual([String(kind), '1']);
  });

  test.each([
    'window',
    'flow',
    'proposal',
    'hotKeys',
    'partnerTerms',
    'executives',
    'tokenAccounts',
    'attestation',
    'pauseState',
  ])('docs/program.md has for %s its size and fields', (name) => {
    expect(item(name).split('. ')[0]?.replace(/\.$/, '')).toBe(
      `${sizeOf(name)} bytes: ${fieldsOf(typeOf(name))}`,
    );
  });

  test('docs/program.md has the seeds of derived addresses', () => {
    const seeds = pdas.map(({ name, seeds }) => [
      name,
      seeds
        .map((seed) =>
          seed.kind === 'variablePdaSeedNode'
            ? seed.name
            : `\`${seed.value.kind === 'stringValueNode' ? seed.value.string : '?'}\``,
        )
        .join(', '),
    ]);
    const documented = rows(section('Accounts'), 'Derived address').map(([name, seed]) => [name, seed]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(seeds));
    expect(documented).toHaveLength(seeds.length);
  });

  test('docs/program.md has the numbers, sizes, accounts and arguments of instructions', () => {
    const groups = ['partnerTerms'];
    const documented = rows(section('Instructions'), '#').map(
      ([number, name, bytes, accountList = '', args = '']) => ({
        number: Number(number),
        name,
        bytes,
        accounts: accountList.replace(/^(user|vault)(Buy|Sell)$/, (group) => item(group)),
        args: args
          .split(', ')
          .map((arg) => (groups.includes(arg) ? fieldsOf(typeOf(arg)) : arg))
          .join(', '),
      }),
    );
    const expected = instructions.map(({ name, accounts: metas, arguments: [discriminator, ...args] }) => {
      const value = discriminator?.defaultValue;
      const isEvent = (name as string) === 'event';
      return {
        number: value?.kind === 'numberValueNode' ? value.number : Number.NaN,
        name,
        bytes: `${layout.instructions.find((each) => each.name === name)?.size}${isEvent ? ' and more' : ''}`,
        accounts: metas
          .map(({ name: account, isSigner, isWritable, isOptional }) => {
            const flags = [
              ...(isSigner === true ? ['s'] : []),
              ...(isWritable ? ['w'] : []),
              ...(isOptional ? ['optional'] : []),
            ];
            return flags.length > 0 ? `${account} (${flags.join(', ')})` : account;
          })
          .join(', '),
        args: isEvent ? 'karatEvent, then its body' : named(args),
      };
    });
    expect(documented).toEqual(expected);
  });

  test('docs/program.md has the bodies of every kind of event, their sizes and fields', () => {
    const documented = rows(section('Bodies'), 'Kinds');
    const kinds = documented.flatMap(([names = '']) => names.split(', '));
    const silent = ['closeReceipt', 'event'];
    expect(kinds.sort()).toEqual(
      instructions
        .map(({ name }) => name as string)
        .filter((name) => !silent.includes(name))
        .sort(),
    );
    for (const [, name = '', bytes, fields] of documented) {
      if (name === 'none') expect([bytes, fields]).toEqual(['0', '']);
      else expect([Number(bytes), fields], name).toEqual([sizeOf(name), fieldsOf(typeOf(name))]);
    }
  });

  test('docs/program.md has the codes, names and meanings of errors', () => {
    expect(rows(section('Errors'), 'Code')).toEqual(
      errors.map(({ code, name, message }) => [
        String(code),
        `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        message,
      ]),
    );
  });
});
