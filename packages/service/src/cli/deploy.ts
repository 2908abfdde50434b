import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  closeProgramBuffer,
  type Deployer,
  type DeployPlan,
  deployProgram,
  planDeployment,
  readUpgradeAuthority,
  setUpgradeAuthority,
} from '../actions/program/deploy-program.js';
import type { Signer } from '../chain/build/signer.js';
import { toInteger } from '../domain/integer.js';
import { formatDecimal } from '../domain/money.js';
import { readAddress, readKeyFile, toChange } from './chain.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { quoted } from './parse.js';
import { mustBe } from './texts.js';
import { withChain } from './with-database.js';

/** What begins every file of a program: ELF, 64 bits, little-endian. */
const elf = Buffer.from('7f454c460201', 'hex');
/** Most that the loader takes: an account grows to 10 MiB. */
const mostBytes = 10 * 1_048_576 - 45;
const lamportDecimals = 9;

/** `chain deploy` */
export async function deploy(call: Call): Promise<Outcome> {
  const keys = readKeys(call);
  const closes = isYes(call, 'close-buffer');
  const plans = isYes(call, 'plan');
  if (closes && plans) throw new UsageError('--plan and --close-buffer are two different things: name one');
  return withChain(call, async (chain) => {
    if (closes) {
      const { buffer, refund, act } = await closeProgramBuffer(chain, keys);
      return done({ buffer, refund_sol: sol(refund), ...toChange(act) });
    }
    const program = readKeyFile(call, 'program-keypair');
    if (program && program.address !== chain.programAddress) {
      throw new UsageError(
        `${call.sourceOf('program-keypair')} holds the key of ${program.address}, and KARAT_PROGRAM_ID names ${chain.programAddress}: set it to that address`,
      );
    }
    const file = readProgramFile(call);
    const deployment = { ...keys, program, file, maxBytes: readMaxBytes(call, file) };
    if (plans) return done(toPlan(await planDeployment(chain, deployment)));
    const say = (line: string) => call.terminal.stderr.write(`${line}\n`);
    const { plan, act } = await deployProgram(chain, deployment, {
      planned: (plan) => say(`Plan: ${JSON.stringify(toPlan(plan))}`),
      writing: (left) => say(left === 0 ? 'The buffer is complete.' : `Pieces to be written: ${left}`),
    });
    return done({ ...toPlan(plan), ...toChange(act) });
  });
}

/** `chain upgrade-authority` */
export async function upgradeAuthority(call: Call): Promise<Outcome> {
  const next = call.find('to') === undefined ? undefined : readAddress(call, 'to');
  const final = isYes(call, 'final');
  if (final && next) throw new UsageError('--final gives the program to nobody: leave --to out');
  if (!final && !next) {
    return withChain(call, async (chain) => {
      const authority = await readUpgradeAuthority(chain);
      return done({ program_id: chain.programAddress, upgrade_authority: authority ?? null });
    });
  }
  const keys = readKeys(call);
  return withChain(call, async (chain) => {
    const act = await setUpgradeAuthority(chain, keys, next);
    return done({ program_id: chain.programAddress, upgrade_authority: next ?? null, ...toChange(act) });
  });
}

function toPlan(plan: DeployPlan): Record<string, unknown> {
  return {
    act: plan.act,
    program_id: plan.programAddress,
    bytes: plan.bytes,
    sha256: plan.sha256,
    upgrade_authority: plan.upgradeAuthority,
    payer: plan.payer,
    buffer: plan.buffer,
    writes: plan.writes,
    rent_sol: sol(plan.rent),
    needed_sol: sol(plan.needed),
  };
}

const sol = (lamports: bigint) => formatDecimal(lamports, lamportDecimals);

/** The keys of who pays and of the upgrade authority, which pays where nobody else is named. */
function readKeys(call: Call): Pick<Deployer, 'payer' | 'authority'> {
  const authority = readKeyFile(call, 'upgrade-authority-keypair');
  const payer: Signer | undefined = readKeyFile(call, 'payer-keypair') ?? authority;
  if (payer) return { payer, authority };
  throw new UsageError(
    '--payer-keypair FILE is missing, and no --upgrade-authority-keypair FILE that could pay: name who pays',
  );
}

function isYes(call: Call, name: string): boolean {
  const text = call.find(name);
  if (text === undefined || text === 'yes') return text === 'yes';
  throw mustBe(call, name, 'yes, or left out');
}

function readMaxBytes(call: Call, file: Uint8Array): number {
  const text = call.get('max-bytes');
  const bytes = /^\d{1,9}$/.test(text) ? toInteger(text) : 0;
  if (bytes >= file.length && bytes <= mostBytes) return bytes;
  throw mustBe(
    call,
    'max-bytes',
    `a whole number from ${file.length}, the length of the file, to ${mostBytes}`,
  );
}

/** The file of the program, if it is a program and the one that was built. */
function readProgramFile(call: Call): Uint8Array {
  const path = call.get('file');
  const source = `${call.sourceOf('file')}: ${quoted(path)}`;
  const file = readIfThere(path);
  if (!file) throw new UsageError(`${source} cannot be read`);
  if (!file.subarray(0, elf.length).equals(elf)) {
    throw new UsageError(`${source} is not a program: name the karat.so that program/build.sh makes`);
  }
  const sha256 = createHash('sha256').update(file).digest('hex');
  const [wanted, from] = readSha256(call, path);
  if (sha256 === wanted) return file;
  throw new CommandError(`${source} has the SHA-256 ${sha256}, and ${from} names ${wanted}: build it again`);
}

/** The SHA-256 that the file must have, and where that stands. */
function readSha256(call: Call, path: string): [sha256: string, from: string] {
  if (call.find('sha256') !== undefined) {
    const text = call.get('sha256').toLowerCase();
    if (/^[0-9a-f]{64}$/.test(text)) return [text, call.sourceOf('sha256')];
    throw mustBe(call, 'sha256', '64 hexadecimal digits');
  }
  const manifest = `${path}.json`;
  const { sha256 } = parseManifest(readIfThere(manifest)?.toString('utf8'));
  if (typeof sha256 === 'string') return [sha256, quoted(manifest)];
  throw new UsageError(
    `There is no manifest ${quoted(manifest)} that says which file was built: name --sha256 HEX of the one that you mean`,
  );
}

function parseManifest(text: string | undefined): { sha256?: unknown } {
  try {
    return JSON.parse(text ?? '{}') ?? {};
  } catch {
    return {};
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
