// Generates clients from the three OpenAPI documents with the generators that partners use, compiles them, and makes one call of
// each API with each against a sandbox of its own: an amount with six decimals must arrive and return as it is.
//   node scripts/generated-clients.mjs                all of them (about 15 minutes, most of it Rust)
//   node scripts/generated-clients.mjs oapi-codegen   those that are named
// Works in a temporary folder, and installs there what this machine lacks; Debian's packages as root. Fails when one of them
// does, and shows which and why.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGo, installDebian, installPython, isRecent } from './install-tools.mjs';
import { mintPartnerKey, mintTradebookKey, startSandbox } from './test-sandbox.mjs';

/**
 * What each API is sent, and returns: float32, which Go takes for a number without a format, makes 98765.43 and 123.45679 of
 * it. The tradebook estimates no purchase of more than a million USDC.
 */
const amounts = { partner: '98765.432109', tradebook: '123.456789', operator: '98765.432109' };
const apis = Object.keys(amounts);
const versions = { openapiGenerator: '7.25.0', oapiCodegen: '2.8.2', openapiPythonClient: '0.29.1' };

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'karat-clients-'));

/** Each has what it `needs`, and `build`: it generates and compiles in a folder, and returns the command that makes the calls. */
const generators = {
  'oapi-codegen': { version: versions.oapiCodegen, language: 'Go', needs: ['go'], build: buildOapiCodegen },
  go: { version: versions.openapiGenerator, language: 'Go', needs: ['go', 'jar'], build: buildGo },
  rust: { version: versions.openapiGenerator, language: 'Rust', needs: ['cargo', 'jar'], build: buildRust },
  python: { version: versions.openapiGenerator, language: 'Python', needs: ['jar'], build: buildPython },
  'openapi-python-client': {
    version: versions.openapiPythonClient,
    language: 'Python',
    needs: [],
    build: buildPythonClient,
  },
  java: { version: versions.openapiGenerator, language: 'Java', needs: ['jar'], build: buildJava },
  'typescript-fetch': {
    version: versions.openapiGenerator,
    language: 'TypeScript',
    needs: ['jar'],
    build: buildTypescript,
  },
};

/** What generators need: installed by the first of them. */
const tools = {
  go() {
    return join(findGo(join(folder, 'go-venv')), 'go');
  },
  /** Rust, as the program's build installs it. */
  cargo() {
    if (isRecent('cargo', ['--version'], /cargo 1\.(\d+)/, 85)) return 'cargo';
    installDebian(['cargo-web', 'rustc-web', 'gcc', 'libc6-dev']);
    return '/usr/bin/cargo';
  },
  /** OpenAPI Generator: its jar. */
  jar() {
    if (
      !isRecent('javac', ['--version'], /javac (\d+)/, 17) ||
      !isRecent('mvn', ['--version'], /Maven (\d+)/, 3)
    )
      installDebian(['openjdk-17-jdk-headless', 'maven']);
    const artifact = `org.openapitools:openapi-generator-cli:${versions.openapiGenerator}`;
    run('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]);
    return join(folder, `openapi-generator-cli-${versions.openapiGenerator}.jar`);
  },
};
const installed = new Map();

function tool(name) {
  const path = installed.get(name) ?? tools[name]();
  installed.set(name, path);
  return path;
}

/** Runs a command to its end; gives what it prints. Throws with the beginning and the end of that when it fails. */
function run(command, args, { cwd = folder, env = {} } = {}) {
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 1 << 28 };
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, options);
  if (status === 0) return stdout;
  const lines = `${stdout ?? ''}${stderr ?? ''}`.trimEnd().split('\n');
  if (lines.length > 60) lines.splice(40, lines.length - 60, '…');
  const printed = lines.join('\n');
  throw new Error(`${command} ${args[0] ?? ''}: ${error?.message ?? `exit ${status ?? signal}`}\n${printed}`);
}

const documentOf = (api) => join(root, 'openapi', `${api}.json`);
const callsIn = (file) => join(import.meta.dirname, 'generated-clients', file);

/** Generates with OpenAPI Generator: sources alone, without pages and tests. */
function openapiGenerator(generator, api, output, properties) {
  const parts = ['apiTests', 'modelTests', 'apiDocs', 'modelDocs'].map((part) => `${part}=false`).join(',');
  const additional = Object.entries(properties).map(([name, value]) => `${name}=${value}`);
  run('java', [
    ...['-jar', tool('jar'), 'generate', '-g', generator, '-i', documentOf(api), '-o', output],
    ...['--global-property', parts, '--additional-properties', additional.join(',')],
  ]);
}

/** Compiles a module of Go whose packages are the three clients. */
function compileGo(place, calls) {
  const go = { cwd: place, env: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' } };
  cpSync(callsIn(calls), join(place, 'main.go'));
  run(tool('go'), ['mod', 'tidy'], go);
  run(tool('go'), ['build', '-o', 'calls', '.'], go);
  return [join(place, 'calls')];
}

function buildOapiCodegen(place) {
  const module = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen}`;
  run(tool('go'), ['install', module], { env: { GOBIN: place, GOTOOLCHAIN: 'local' } });
  for (const api of apis) {
    mkdirSync(join(place, api));
    const output = join(place, api, 'client.go');
    const what = ['-generate', 'types,client', '-package', api, '-o', output];
    run(join(place, 'oapi-codegen'), [...what, documentOf(api)]);
  }
  const runtime = 'require github.com/oapi-codegen/runtime v1.9.0';
  writeFileSync(join(place, 'go.mod'), `module karat.example/clients\n\ngo 1.25\n\n${runtime}\n`);
  return compileGo(place, 'oapi-codegen.go');
}

function buildGo(place) {
  for (const api of apis)
    openapiGenerator('go', api, join(place, api), { packageName: api, withGoMod: false });
  writeFileSync(join(place, 'go.mod'), 'module karat.example/clients\n\ngo 1.25\n');
  return compileGo(place, 'openapi-generator.go');
}

function buildRust(place) {
  for (const api of apis) openapiGenerator('rust', api, join(place, api), { packageName: `karat_${api}` });
  const lines = apis.map((api) => `karat_${api} = { path = "${api}", default-features = false }`);
  const tokio = 'tokio = { version = "1.53", features = ["macros", "rt"] }';
  const manifest = [
    '[package]',
    'name = "calls"',
    'version = "0.0.0"',
    'edition = "2021"',
    '',
    '[dependencies]',
  ];
  writeFileSync(join(place, 'Cargo.toml'), [...manifest, ...lines, tokio, ''].join('\n'));
  mkdirSync(join(place, 'src'));
  cpSync(callsIn('openapi-generator.rs'), join(place, 'src', 'main.rs'));
  const target = join(place, 'target');
  const env = { CARGO_TARGET_DIR: target, CARGO_PROFILE_DEV_DEBUG: '0' };
  run(tool('cargo'), ['build', '--quiet'], { cwd: place, env });
  return [join(target, 'debug', 'calls')];
}

function buildPython(place) {
  for (const api of apis) openapiGenerator('python', api, join(place, api), { packageName: `karat_${api}` });
  const bin = installPython(
    join(place, 'venv'),
    apis.map((api) => join(place, api)),
  );
  return [join(bin, 'python'), callsIn('openapi-generator.py')];
}

function buildPythonClient(place) {
  const bin = installPython(join(place, 'venv'), [`openapi-python-client==${versions.openapiPythonClient}`]);
  // It formats by a command of its own environment, and leaves out what it cannot generate, with a warning.
  const env = { PATH: `${bin}:${process.env.PATH}` };
  for (const api of apis) {
    const what = ['--path', documentOf(api), '--meta', 'none', '--fail-on-warning'];
    const output = ['--output-path', join(place, `karat_${api}`)];
    run(join(bin, 'openapi-python-client'), ['generate', ...what, ...output], { env });
  }
  // Python looks for modules beside the file that it runs.
  cpSync(callsIn('openapi-python-client.py'), join(place, 'calls.py'));
  return [join(bin, 'python'), join(place, 'calls.py')];
}

function buildJava(place) {
  const sources = ['src', 'main', 'java'];
  for (const api of apis) {
    const invokerPackage = `karat.${api}`;
    const properties = {
      invokerPackage,
      apiPackage: `${invokerPackage}.api`,
      modelPackage: `${invokerPackage}.model`,
    };
    openapiGenerator('java', api, join(place, api), properties);
  }
  // One project, with the dependencies of the first: the others' are the same.
  const project = join(place, 'partner');
  for (const api of apis.slice(1))
    cpSync(join(place, api, ...sources), join(project, ...sources), { recursive: true });
  cpSync(callsIn('Calls.java'), join(project, ...sources, 'Calls.java'));
  const goals = ['compile', 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  run('mvn', ['-q', '-B', ...goals], { cwd: project });
  const classes = ['target/classes', 'target/dependency/*'].map((part) => join(project, part)).join(':');
  return ['java', '-cp', classes, 'Calls'];
}

function buildTypescript(place) {
  for (const api of apis)
    openapiGenerator('typescript-fetch', api, join(place, api), { importFileExtension: '.js' });
  cpSync(callsIn('typescript-fetch.ts'), join(place, 'calls.ts'));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  const compilerOptions = {
    ...{ strict: true, target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'], types: [] },
    ...{ rootDir: '.', outDir: 'dist' },
  };
  writeFileSync(
    join(place, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['calls.ts', ...apis] }),
  );
  run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', place]);
  return [process.execPath, join(place, 'dist', 'calls.js')];
}

/** Where the calls go, and as whom. */
async function environmentOf(state, info) {
  return {
    KARAT_PARTNER_URL: info.partner_api_url,
    KARAT_PARTNER_KEY: await mintPartnerKey(state, info),
    KARAT_TRADEBOOK_URL: info.tradebook_api_url,
    KARAT_TRADEBOOK_KEY: await mintTradebookKey(state, info),
    KARAT_OPERATOR_URL: info.operator_url,
    KARAT_OPERATOR_TOKEN: info.operators[0].token,
    KARAT_PARTNER: info.partners[0].partner_id,
    KARAT_USER: info.users[0].service_user_id,
  };
}

/** Makes the calls; throws unless the amount of each API returned exactly. */
function makeCalls([command, ...args], env) {
  const printed = run(command, args, { env });
  const missing = apis
    .map((api) => `${api} ${amounts[api]}`)
    .filter((line) => !printed.split('\n').includes(line));
  if (missing.length > 0)
    throw new Error(`the calls did not print "${missing.join('", "')}", but:\n${printed}`);
}

const chosen = process.argv.slice(2);
for (const name of chosen) if (!generators[name]) throw new Error(`no generator is called ${name}`);
const names = chosen.length > 0 ? chosen : Object.keys(generators);
const built = new Map();
const failures = new Map();

/** One that fails does not keep the others from being tried. */
async function attempt(name, step, action) {
  console.log(`${name}: ${step}`);
  try {
    return await action();
  } catch (error) {
    failures.set(name, step);
    console.error(`\nFAILED ${name}: ${step}\n${error.message}\n`);
  }
}

try {
  for (const name of names) {
    await attempt(name, 'generates and compiles', () => {
      generators[name].needs.forEach(tool);
      const place = join(folder, name);
      mkdirSync(place);
      built.set(name, generators[name].build(place));
    });
  }
  if (built.size > 0) {
    const state = join(folder, 'state');
    const sandbox = await startSandbox(state);
    try {
      const env = await environmentOf(state, sandbox.info);
      for (const [name, command] of built) {
        await attempt(name, 'calls each API with an exact amount', () => makeCalls(command, env));
      }
    } finally {
      await sandbox.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const name of names) {
  const { language, version } = generators[name];
  const failed = failures.get(name);
  console.log(
    `${failed ? 'FAILED' : 'ok    '} ${name} ${version} (${language})${failed ? `: ${failed}` : ''}`,
  );
}
process.exitCode = failures.size === 0 ? 0 : 1;
