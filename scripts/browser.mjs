// Unpacks the browser of the tests once, before any of them: the package would do so in every worker that asks, at a place that is there
// before it is whole. What a bare system lacks, libraries and fonts, comes along. Tests get it by `inject('browser')`.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const home = join(import.meta.dirname, '..');
const { version } = JSON.parse(
  readFileSync(join(home, 'node_modules/@sparticuz/chromium/package.json'), 'utf8'),
);
const folder = join(tmpdir(), `karat-browser-${version}-${process.getuid?.() ?? 0}`);

export default function setup(project) {
  project.provide('browser', browserOptions());
}

/**
 * Returns how the browser is launched. Elsewhere than on Linux x64 an installed Chrome is used. The arguments that the
 * package recommends are for scraping: with them a page is not held to CORS, one that hangs keeps the browser from
 * closing, and a graphics card is emulated, which doubles the processor time of a test.
 */
export function browserOptions() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { channel: 'chrome' };
  if (!existsSync(folder)) unpack();
  // Containers run as root, for which the browser has no sandbox; in the same environment everywhere text has the same width. A
  // page lives for seconds, too short for what it costs to optimize its code.
  const args = ['--no-sandbox', '--in-process-gpu', '--disable-gpu', '--font-render-hinting=none'];
  return { ...options(), args: [...args, '--js-flags=--no-opt --no-maglev --single-threaded-gc'] };
}

function unpack() {
  const draft = mkdtempSync(`${folder}-`);
  try {
    const script = "await (await import('@sparticuz/chromium')).default.executablePath()";
    // For Lambda it unpacks its libraries as well.
    const env = { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
    execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      env,
      cwd: home,
      stdio: 'inherit',
    });
    mkdirSync(join(draft, 'fontconfig'));
    writeFileSync(
      join(draft, 'fontconfig/fonts.conf'),
      `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fontconfig</cachedir></fontconfig>`,
    );
    renameSync(draft, folder);
  } catch (error) {
    // Another run was quicker.
    if (!['EEXIST', 'ENOTEMPTY'].includes(error.code)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** With the system's libraries where it has them. */
function options() {
  const executablePath = join(folder, 'chromium');
  if (!execFileSync('ldd', [executablePath], { encoding: 'utf8' }).includes('not found'))
    return { executablePath };
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
    FONTCONFIG_PATH: join(folder, 'fontconfig'),
  };
  return { executablePath, env };
}
