import { guardProgram, maxGuards } from '@karat/signer';
import { type Address, getBlockhashDecoder, type Instruction } from '@solana/kit';
import { compileLegacyMessage } from '../build/compile-message.js';
import { type InstructionView, TransactionDifference, type TransactionView } from './transaction-view.js';

/**
 * Guards are assertions that a wallet adds to a transaction before it signs: instructions of the Lighthouse program that
 * let the whole transaction fail when an account does not look as the wallet expects. They change nothing.
 */

/**
 * The program's assertions, by the number that their data begins with. 0 and 1 write and close memory, and are not accepted.
 */
const assertions = { first: 2, last: 17 };

/**
 * Takes the guards out of a message, with the accounts that nothing else names. Undefined when it holds none. What
 * comes back is made from the message's own accounts, roles, blockhash and instructions, so a signature over it proves
 * that the signer signed exactly this message but for the guards. Throws a `TransactionDifference` for anything other than
 * plain assertions, none of which names a key of `serviceSigners`.
 */
export function takeGuardsAway(view: TransactionView, serviceSigners: readonly Address[]) {
  const guards = view.instructions.filter(({ program }) => program === guardProgram);
  if (guards.length === 0) return undefined;
  if (guards.length > maxGuards) {
    throw new TransactionDifference(`It has ${guards.length} guards, at most ${maxGuards} are allowed.`);
  }
  view.instructions.forEach((instruction, position) => {
    if (instruction.program === guardProgram) requireAssertion(instruction, position, serviceSigners);
  });
  const instructions = view.instructions.filter(({ program }) => program !== guardProgram);
  requireHarmlessAccounts(view, instructions, guards);
  return { message: recompile(view, instructions), instructions };
}

function requireAssertion(
  { accounts, data }: InstructionView,
  position: number,
  serviceSigners: readonly Address[],
): void {
  const name = `Instruction ${position + 1}, of the guard program,`;
  const [number] = data;
  if (number === undefined || number < assertions.first || number > assertions.last) {
    throw new TransactionDifference(
      `${name} is not an accepted assertion: its number is ${number ?? 'missing'}.`,
    );
  }
  // A signature covers the whole transaction: a program that is handed the service's key may act for the service.
  if (accounts.some((account) => account !== undefined && serviceSigners.includes(account))) {
    throw new TransactionDifference(`${name} names the key of the service.`);
  }
}

/** What the guards alone name may neither sign nor be written to, and nothing may be there that no one names. */
function requireHarmlessAccounts(
  view: TransactionView,
  own: InstructionView[],
  guards: InstructionView[],
): void {
  if (new Set(view.accounts).size !== view.accounts.length) {
    throw new TransactionDifference('It names an account twice.');
  }
  const named = namedIn(own).add(view.accounts[0]);
  const guarded = namedIn(guards);
  view.accounts.forEach((account, index) => {
    if (named.has(account)) return;
    if (!guarded.has(account)) throw new TransactionDifference(`No instruction uses its account ${account}.`);
    if (view.roleOf(index) === 0) return;
    throw new TransactionDifference(`Its guards make ${account} a signer or writable.`);
  });
}

function namedIn(instructions: InstructionView[]): Set<Address | undefined> {
  return new Set(instructions.flatMap(({ program, accounts }) => [program, ...accounts]));
}

function recompile(view: TransactionView, own: InstructionView[]): Uint8Array {
  const roles = new Map(view.accounts.map((account, index) => [account, view.roleOf(index)]));
  const instructions: Instruction[] = own.map(({ program, accounts, data }) => ({
    programAddress: program,
    accounts: accounts.flatMap((account) =>
      account === undefined ? [] : [{ address: account, role: roles.get(account) ?? 0 }],
    ),
    data,
  }));
  const [feePayer] = view.accounts;
  if (feePayer === undefined) throw new TransactionDifference('It has no accounts.');
  return compileLegacyMessage(feePayer, getBlockhashDecoder().decode(view.blockhash), instructions);
}
