import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getAddressDecoder,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import fc from 'fast-check';

const decoder = getAddressDecoder();

/** Addresses of which instructions share some. */
const addresses = Array.from({ length: 12 }, (_, index) =>
  decoder.decode(Uint8Array.from({ length: 32 }, (_, at) => (index * 31 + at * 7 + 1) & 255)),
);
/** The Solana library compiles no program that is written to. */
const program = fc.constantFrom(...addresses.slice(0, 3));
const address = fc.constantFrom(...addresses.slice(3));
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

const instructions: fc.Arbitrary<Instruction[]> = fc.array(
  fc.record({
    programAddress: program,
    accounts: fc.array(fc.record({ address, role: fc.nat({ max: 3 }) }), { maxLength: 6 }),
    data: fc.uint8Array({ maxLength: 200 }),
  }),
  { maxLength: 4 },
);

interface Compiled {
  version: 'legacy' | 0;
  feePayer: Address;
  blockhash: Uint8Array;
  instructions: Instruction[];
}

/** The fee payer stands in no instruction: a program cannot pay. */
export const compiled = (version: fc.Arbitrary<'legacy' | 0>): fc.Arbitrary<Compiled> =>
  fc.record({
    version,
    feePayer: bytes32.map((bytes) => decoder.decode(bytes)),
    blockhash: bytes32,
    instructions,
  });

/** Returns the bytes of a message, and its parts, as the Solana library compiles them. */
export function compile({ version, feePayer, blockhash, instructions }: Compiled) {
  const lifetime = { blockhash: decoder.decode(blockhash) as string as Blockhash, lastValidBlockHeight: 0n };
  const parts = pipe(
    createTransactionMessage({ version }),
    (m) => setTransactionMessageFeePayer(feePayer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
    compileTransactionMessage,
  );
  if (parts.version === 1) throw new Error('only versions without a configuration of their own');
  return { parts, bytes: Uint8Array.from(getCompiledTransactionMessageEncoder().encode(parts)) };
}
