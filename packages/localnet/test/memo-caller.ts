/**
 * A program of a few instructions that hands a memo of eight bytes to its first account, the memo program, by a call
 * of its own. Written out here since no program that every chain has does that.
 */

const TEXT = 'cpi memo';
const SYSCALL = 'sol_invoke_signed_c';

/** One sBPF instruction: opcode u8, destination and source register u4, offset i16, immediate i32. */
function op(code: number, to: number, from = 0, offset = 0, immediate = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes[0] = code;
  bytes[1] = to | (from << 4);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(immediate, 4);
  return bytes;
}

const MOVE = 0xbf;
const MOVE_NUMBER = 0xb7;
const ADD_NUMBER = 0x07;
const STORE = 0x7b;
const STORE_NUMBER = 0x7a;
const LOAD_8_BYTES = 0x18;
const CALL = 0x85;
const EXIT = 0x95;
/** The frame's end; r1 is the input: count of accounts u64, then the first account, whose key is at 16. */
const FRAME = 10;

const text = Buffer.from(TEXT);
const program = [
  op(LOAD_8_BYTES, 2, 0, 0, text.readInt32LE(0)),
  op(0, 0, 0, 0, text.readInt32LE(4)),
  op(STORE, FRAME, 2, -8),
  // SolInstruction: program, accounts, their count, data, its length.
  op(ADD_NUMBER, 1, 0, 0, 16),
  op(STORE, FRAME, 1, -48),
  op(STORE_NUMBER, FRAME, 0, -40, 0),
  op(STORE_NUMBER, FRAME, 0, -32, 0),
  op(MOVE, 2, FRAME),
  op(ADD_NUMBER, 2, 0, 0, -8),
  op(STORE, FRAME, 2, -24),
  op(STORE_NUMBER, FRAME, 0, -16, TEXT.length),
  op(MOVE, 1, FRAME),
  op(ADD_NUMBER, 1, 0, 0, -48),
  op(MOVE, 2, FRAME),
  op(MOVE_NUMBER, 3, 0, 0, 0),
  op(MOVE, 4, FRAME),
  op(MOVE_NUMBER, 5, 0, 0, 0),
  op(CALL, 0, 0, 0, -1),
  op(EXIT, 0),
];
const CALL_AT = program.findIndex((one) => one[0] === CALL) * 8;

function words(...values: (number | bigint)[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, at) => {
    bytes.writeBigUInt64LE(BigInt(value), at * 8);
  });
  return bytes;
}

interface Section {
  name: string;
  type: number;
  link?: number;
  entry?: number;
  bytes: Buffer;
}

const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const SECTION_HEADER_BYTES = 64;
const START = HEADER_BYTES + 2 * SEGMENT_BYTES;

/** The ELF file of the program; addresses are offsets in the file. */
export function memoCaller(): Uint8Array {
  const code = Buffer.concat(program);
  const names = '\0.text\0.dynsym\0.dynstr\0.rel.dyn\0.dynamic\0.shstrtab\0';
  const symbol = Buffer.alloc(24);
  symbol.writeUInt32LE(1, 0);
  symbol[4] = 0x10;
  const sections: Section[] = [
    { name: '.text', type: 1, bytes: code },
    { name: '.dynsym', type: 11, link: 3, entry: 24, bytes: Buffer.concat([Buffer.alloc(24), symbol]) },
    { name: '.dynstr', type: 3, bytes: Buffer.from(`\0${SYSCALL}\0`.padEnd(24, '\0')) },
    // The call's immediate becomes the hash of symbol 1's name: R_BPF_64_32.
    { name: '.rel.dyn', type: 9, link: 2, entry: 16, bytes: words(START + CALL_AT, (1n << 32n) | 10n) },
    { name: '.dynamic', type: 6, link: 3, entry: 16, bytes: Buffer.alloc(10 * 8) },
    { name: '.shstrtab', type: 3, bytes: Buffer.from(names.padEnd(56, '\0')) },
  ];
  const places = new Map<string, number>();
  let end = START;
  for (const { name, bytes } of sections) {
    places.set(name, end);
    end += bytes.length;
  }
  const at = (name: string) => places.get(name) ?? 0;
  sections[4]?.bytes.set(words(17, at('.rel.dyn'), 18, 16, 19, 16, 6, at('.dynsym'), 0, 0));

  const header = Buffer.alloc(HEADER_BYTES);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(3, 16);
  header.writeUInt16LE(247, 18);
  header.writeUInt32LE(1, 20);
  header.set(words(START, HEADER_BYTES, end), 24);
  [HEADER_BYTES, SEGMENT_BYTES, 2, SECTION_HEADER_BYTES, sections.length + 1, sections.length].forEach(
    (value, index) => {
      header.writeUInt16LE(value, 52 + index * 2);
    },
  );
  const segment = (type: number, flags: number, from: number, length: number) =>
    Buffer.concat([words(BigInt(type) | (BigInt(flags) << 32n)), words(from, from, from, length, length, 8)]);
  const sectionHeaders = sections.map(({ name, type, link = 0, entry = 0, bytes }) => {
    const one = Buffer.alloc(SECTION_HEADER_BYTES);
    one.writeUInt32LE(names.indexOf(`${name}\0`), 0);
    one.writeUInt32LE(type, 4);
    one.set(words(name === '.text' ? 6 : 2, at(name), at(name), bytes.length), 8);
    one.writeUInt32LE(link, 40);
    one.set(words(8, entry), 48);
    return one;
  });
  const file = Buffer.concat([
    header,
    segment(1, 5, START, end - START),
    segment(2, 4, at('.dynamic'), 80),
    ...sections.map(({ bytes }) => bytes),
    Buffer.alloc(SECTION_HEADER_BYTES),
    ...sectionHeaders,
  ]);
  return new Uint8Array(file);
}
