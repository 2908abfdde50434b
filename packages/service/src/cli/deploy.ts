import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type DeployPlan,
  deployProgram,
  handOverUpgrades,
  planDeployment,
  planHandOver,
} from '../actions/program/deploy-program.js';
import type { Signer } from '../chain/sign/signer.js';
import { formatDecimal, lamportDecimals } from '../domain/money.js';
import { type Call, CommandError, done, type Outcome, UsageError } from './command.js';
import { readAddress, readKeyFile } from './keys.js';
import { quoted } from './parse.js';
import { mustBe } from './texts.js';
import { toChange, toSnakeCase } from './transactions.js';
import { withChain } from './with-database.js';

/** `chain deploy` */
export async function deploy(call: Call): Promise<Outcome> {
  const authority = readKeyFile(call, 'upgrade-authority-keypair');
  const payer = readPayer(call, authority);
  const program = readKeyFile(call, 'program-keypair');
  const planned = isPlanned(call);
  const deployment = { payer, authority, program, ...readProgramFile(call) };
  return withChain(call, async (chain) => {
    if (program && program.address !== chain.programAddress) {
      throw new UsageError(
        `${call.sourceOf('program-keypair')} holds the key of ${program.address}, but KARAT_PROGRAM_ID is ${chain.programAddress}: set it to the address of the key`,
      );
    }
    const plan = await planDeployment(chain, deployment);
    const view = toView(plan);
    if (planned) return done(view);
    if (plan.act === 'nothing') return done({ ...view, ...toChange(undefined) });
    const print = (line: string) => call.terminal.stderr.write(`${line}\n`);
    print(`Plan: ${JSON.stringify(view)}`);
    const act = await deployProgram(chain, deployment, plan, (left) => {
      print(`Pieces to write: ${left}`);
    });
    return done({ ...view, ...toChange(act) });
  });
}

/** `chain upgrade-authority` */
export async function upgradeAuthority(call: Call): Promise<Outcome> {
  const authority = readKeyFile(call, 'upgrade-authority-keypair');
  const payer = readPayer(call, authority);
  const next = readAddress(call, 'new');
  const planned = isPlanned(call);
  return withChain(call, async (chain) => {
    const plan = await planHandOver(chain, { authority, next });
    if (planned) return done(toSnakeCase(plan));
    const act = await handOverUpgrades(chain, { payer, authority }, plan);
    return done({ program_address: chain.programAddress, upgrade_authority: next, ...toChange(act) });
  });
}

/** Returns whether only the plan is to be shown. */
function isPlanned(call: Call): boolean {
  const planned = call.find('plan');
  if (planned !== undefined && planned !== 'yes') throw mustBe(call, 'plan', 'yes, or left out');
  return planned === 'yes';
}

function toView({ cost, ...plan }: DeployPlan) {
  const inSol = Object.entries(cost).map(([name, lamports]) => [
    name,
    formatDecimal(lamports, lamportDecimals),
  ]);
  return { ...toSnakeCase(plan), cost_sol: Object.fromEntries(inSol) };
}

function readPayer(call: Call, authority: Signer | undefined): Signer {
  const payer = readKeyFile(call, 'payer-keypair') ?? authority;
  if (payer) return payer;
  throw new UsageError('--payer-keypair FILE is missing: give the key file of the payer');
}

/** Reads the file of the program. Throws unless its SHA-256 is that of the manifest next to it. */
function readProgramFile(call: Call): { file: Uint8Array; sha256: string } {
  const path = call.get('file');
  const file = readFile(call, path);
  const manifest = `${path}.json`;
  const expected = sha256In(readFile(call, manifest).toString()) ?? 'none';
  const sha256 = createHash('sha256').update(file).digest('hex');
  if (sha256 === expected) return { file, sha256 };
  throw new CommandError(
    `${quoted(path)} has the SHA-256 ${sha256}, and ${quoted(manifest)} names ${expected}: build it again`,
  );
}

/** Returns the SHA-256 that a manifest names; undefined where it names none or is broken. */
function sha256In(manifest: string): string | undefined {
  try {
    return JSON.parse(manifest).sha256;
  } catch {
    return undefined;
  }
}

function readFile(call: Call, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new UsageError(`${call.sourceOf('file')}: ${quoted(path)} cannot be read`);
  }
}
