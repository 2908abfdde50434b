// Writes `program/idl.json` and the kit client `packages/program-client/src` from `program/idl.ts`.
//   npm run generate:client              writes them
//   npm run generate:client -- --check   changes nothing; exit 1 with the names of the files that are not current
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFromRoot } from 'codama';
import { idl } from '../idl.js';
import { renderVisitor } from '../renderer/render.mjs';

const program = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const idlFile = join(program, 'idl.json');
const clientFolder = resolve(program, '../packages/program-client/src');

/** Every file below `folder`, as paths relative to it. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Replaces what the renderer wrote wrongly; throws when the text is not there `times` times, so that no patch outlives its reason. */
function patch(text: string, wrong: string, right: string, times: number, where: string): string {
  const found = text.split(wrong).length - 1;
  if (found !== times)
    throw new Error(`${where}: expected ${times} times ${JSON.stringify(wrong)}, found ${found}`);
  return text.replaceAll(wrong, right);
}

/** The renderer writes imports for bundlers; Node's ES modules need the file's full name. */
function fullImports(text: string, file: string): string {
  return text.replaceAll(/(from ")(\.[^"]*)(")/g, (_match, before: string, target: string, after: string) => {
    const base = resolve(dirname(file), target);
    if (target === '.') return `${before}./index.js${after}`;
    if (existsSync(`${base}.ts`)) return `${before}${target}.js${after}`;
    if (existsSync(join(base, 'index.ts'))) return `${before}${target}/index.js${after}`;
    throw new Error(`${file}: nothing to import at ${target}`);
  });
}

/** Name and meaning of every error: the renderer gives the meanings away only where NODE_ENV is not `production`. */
function errorTable(): string {
  const rows = idl.program.errors.map(({ code, name, message }) => {
    const pascalCase = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    return `  ${code}: [${JSON.stringify(pascalCase)}, ${JSON.stringify(message)}],\n`;
  });
  const type = 'Readonly<Record<number, readonly [name: string, meaning: string]>>';
  return `export const karatErrors: ${type} = {\n${rows.join('')}};\n`;
}

/** Patches of single files, by their path in the client. */
function patchFile(path: string, text: string): string {
  // The plugin's `extendClient` has a wider return type than the renderer declares for it.
  if (path === 'programs/karat.ts') {
    const wrong = '): Omit<T, "karat"> & { karat: KaratPlugin } => {';
    return patch(text, wrong, ') => {', 1, path);
  }
  if (path === 'errors/karat.ts') return `${text}\n${errorTable()}`;
  // A type that is imported without saying so.
  for (const [file, seeds] of [
    ['accounts/integrator.ts', 'IntegratorSeeds'],
    ['accounts/receipt.ts', 'ReceiptSeeds'],
    ['accounts/redemption.ts', 'RedemptionSeeds'],
  ]) {
    if (path === file) return patch(text, `, ${seeds} }`, `, type ${seeds} }`, 1, path);
  }
  if (!path.startsWith('instructions/') || path === 'instructions/index.ts') return text;
  // Derived addresses depend on the program's address, which callers may override.
  const calls = [...text.matchAll(/await (find\w+Pda)\(\)/g)];
  const derived = idl.program.instructions
    .find((instruction) => path === `instructions/${instruction.name}.ts`)
    ?.accounts.filter(({ defaultValue }) => defaultValue?.kind === 'pdaValueNode');
  if (calls.length !== derived?.length)
    throw new Error(`${path}: ${calls.length} derived addresses, expected ${derived?.length}`);
  return calls.reduce(
    (patched, [call, name]) => patch(patched, call, `await ${name}({ programAddress })`, 1, path),
    text,
  );
}

/** Renders the client into `folder`, patched. */
async function render(folder: string): Promise<void> {
  await createFromRoot(idl).accept(
    renderVisitor(folder, { generatedFolder: 'src', kitImportStrategy: 'rootOnly', syncPackageJson: false }),
  );
  const source = join(folder, 'src');
  for (const path of filesOf(source)) {
    const file = join(source, path);
    writeFileSync(file, fullImports(patchFile(path, readFileSync(file, 'utf8')), file));
  }
}

/** Names of the files in which two folders differ. */
function differences(left: string, right: string): string[] {
  const read = (folder: string, path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : undefined;
  const paths = new Set([...filesOf(left), ...filesOf(right)]);
  return [...paths].filter((path) => read(left, path) !== read(right, path));
}

const fresh = mkdtempSync(join(tmpdir(), 'karat-client-'));
try {
  await render(fresh);
  const json = `${JSON.stringify(idl, null, 2)}\n`;
  if (process.argv.includes('--check')) {
    const stale = differences(join(fresh, 'src'), clientFolder).map(
      (path) => `packages/program-client/src/${path}`,
    );
    if (!existsSync(idlFile) || readFileSync(idlFile, 'utf8') !== json) stale.unshift('program/idl.json');
    for (const path of stale) console.error(`not current: ${path}`);
    if (stale.length > 0) {
      console.error('Run `npm run generate:client` and commit the result.');
      process.exitCode = 1;
    } else {
      console.log('The IDL and the program client are current.');
    }
  } else {
    rmSync(clientFolder, { recursive: true, force: true });
    cpSync(join(fresh, 'src'), clientFolder, { recursive: true });
    writeFileSync(idlFile, json);
    console.log(`${filesOf(clientFolder).length} files written to ${relative(process.cwd(), clientFolder)}`);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
