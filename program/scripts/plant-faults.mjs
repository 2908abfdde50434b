// Shows that the fuzzer finds faults that matter: plants one in the crate, builds it, and runs the fuzzer, which must fail.
//   npm run faults:program                every fault
//   npm run faults:program -- sweep       those whose name contains this text
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(program);

/** What is replaced in which file, and what the oracle must say of it. */
const faults = [
  {
    name: 'any key is a service signer',
    file: 'state/config.rs',
    from: '!is_zero(address) && self.hot_keys.service_signers.contains(address)',
    to: '!is_zero(address)',
    finding: 'the right keys did not sign',
  },
  {
    name: 'a sweep takes more than the surplus',
    file: 'processor/sweep_escrow.rs',
    from: 'require(amount <= surplus, KaratError::NothingToSweep)?;',
    to: 'require(amount <= held && surplus > 0, KaratError::NothingToSweep)?;',
    finding: 'escrow holds less than open redemptions need',
  },
  {
    name: 'a burn does not count',
    file: 'processor/settle_redemption.rs',
    from: 'config.burned_total = plus(config.burned_total.get(), amount)?.into();',
    to: '',
    finding: 'a burn does not count',
  },
  {
    name: 'a vault trades in the other direction too early',
    file: 'state/integrator.rs',
    from: '>= wait as i64;',
    to: '>= wait as i64 / 2;',
    finding: 'the vault trades in the other direction too early',
  },
];

const wanted = faults.filter(({ name }) => name.includes(process.argv[2] ?? ''));
const work = mkdtempSync(join(tmpdir(), 'karat-faults-'));
const target = process.env.KARAT_BUILD_TARGET ?? join(work, 'target');
let missed = 0;

/** Builds the crate with the fault. */
function build({ file, from, to, name }, index) {
  const folder = join(work, `${index}`);
  mkdirSync(folder);
  for (const part of ['Cargo.toml', 'Cargo.lock', 'src'])
    cpSync(join(program, part), join(folder, part), { recursive: true });
  const path = join(folder, 'src', file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2)
    throw new Error(`${name}: ${file} has changed, so the fault cannot be planted`);
  writeFileSync(path, text.replace(from, to));
  const binary = join(work, `${index}.so`);
  const { status } = spawnSync('bash', [join(program, 'build.sh'), '--to', binary, folder], {
    stdio: 'inherit',
    env: { ...process.env, KARAT_BUILD_TARGET: target },
  });
  if (status !== 0) throw new Error(`${name}: the program does not build`);
  return binary;
}

for (const [index, fault] of wanted.entries()) {
  const binary = build(fault, index);
  const { stdout, stderr } = spawnSync(
    'npx',
    ['vitest', 'run', '--project', 'program', 'program/tests/fuzz.test.ts'],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, KARAT_PROGRAM_SO: binary, NO_COLOR: '1' },
    },
  );
  const seed = /fuzz: seed (\d+)/.exec(stdout)?.[1];
  const isFound = / 1 failed/.test(stdout) && stderr.includes(fault.finding);
  if (!isFound) missed += 1;
  console.log(`${fault.name}: ${isFound ? 'found' : 'MISSED'} (seed ${seed})`);
}
rmSync(work, { recursive: true });
process.exit(missed > 0 ? 1 : 0);
