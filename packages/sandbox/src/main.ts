import { relative } from 'node:path';
import { formatMs } from './demo/teller.js';
import type { SandboxInfo } from './info.js';
import { helpText, readOptions, type SandboxOptions } from './options.js';
import { preflight } from './preflight.js';
import type { Sandbox } from './sandbox.js';
import { openScreen } from './screen.js';
import { UserError } from './user-error.js';

/** The promise is 10 s; what has not stopped by then is left to the recovery of the next start. */
const stopWithinMs = 9_500;

const screen = openScreen();

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options === 'help') {
    screen.print(helpText(screen.paint));
    return;
  }
  const called = callOffOnSignal();
  const begin = performance.now();
  screen.print(`Karat is starting on ${options.stateDir}`);
  const folder = await preflight(options, process.env);
  const { startSandbox } = await import('./sandbox.js');
  const sandbox = await startSandbox({
    ...options,
    folder,
    env: process.env,
    signal: called.signal,
    screen,
  }).catch((error: unknown) => {
    if (called.signal.aborted) return undefined;
    throw error;
  });
  if (sandbox) {
    screen.print(welcome(options, sandbox, performance.now() - begin));
    await called.promise;
    await sandbox.stop();
  }
  screen.print('Karat has stopped');
}

/** Resolves, and aborts its signal, at the first Ctrl-C, SIGTERM or closed terminal; later ones change nothing. */
function callOffOnSignal(): { signal: AbortSignal; promise: Promise<void> } {
  const controller = new AbortController();
  const promise = new Promise<void>((resolve) => {
    const call = () => {
      if (controller.signal.aborted) return;
      screen.print('\nKarat is stopping');
      controller.abort();
      resolve();
      setTimeout(() => {
        screen.warn('Karat did not stop in time; the next start recovers');
        process.exit(1);
      }, stopWithinMs).unref();
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, call);
  });
  return { signal: controller.signal, promise };
}

/** Returns what runs where, and what to try next. */
function welcome(options: SandboxOptions, sandbox: Sandbox, ms: number): string {
  const { paint } = screen;
  const { info, metricsUrl } = sandbox;
  const near = relative(process.cwd(), options.stateDir) || '.';
  const folder = near.startsWith('..') ? options.stateDir : near;
  return [
    paint('bold', 'Karat is ready'),
    '',
    ...(info.docs_url === undefined ? [] : [`  documentation  ${info.docs_url}`]),
    ...(info.shop_url === undefined ? [] : [`  shop           ${info.shop_url}`]),
    `  partner API    ${info.partner_api_url}/v1`,
    `    reference    ${info.partner_api_url}/docs`,
    `  tradebook API  ${info.tradebook_api_url}/api`,
    `    reference    ${info.tradebook_api_url}/api/docs`,
    ...portalLines(sandbox.info),
    ...consoleLines(sandbox.info),
    `  operator API   ${info.operator_url}/operator/v1`,
    `    reference    ${info.operator_url}/operator/docs`,
    ...(metricsUrl === undefined ? [] : [`    metrics      ${metricsUrl}`]),
    `  Solana RPC     ${info.rpc_url}  WebSocket ${info.ws_url}`,
    `  PostgreSQL     ${new URL(info.database_url).host}  (for this machine alone)`,
    `  state folder   ${folder}  (sandbox.json: addresses, key files, operators; service.log: the log)`,
    `  started in     ${formatMs(ms)}`,
    '',
    paint('bold', 'Try next, in a second terminal:'),
    ...tryNext(info, folder),
    '',
    'Ctrl-C stops it; the next start continues where it stopped.',
  ]
    .join('\n')
    .replace(/(http|ws):\/\/\S+/g, (url) => paint('cyan', url));
}

/** Returns what to try: with the scripts of the repository, or, in the image, which npm does not start, without them. */
function tryNext(info: SandboxInfo, folder: string): string[] {
  const pin = '{"jsonrpc":"2.0","id":1,"method":"karat_setPrice","params":[{"price":"4200"}]}';
  const curls = [
    `  curl ${info.tradebook_api_url}/api/trading/gold/price`,
    `  curl ${info.rpc_url} -H 'content-type: application/json' -d '${pin}'`,
  ];
  if (process.env.npm_lifecycle_event === undefined) {
    return ['  docker exec CONTAINER node karat.mjs trigger trade.confirmed', ...curls];
  }
  const isUsual = folder === '.karat';
  return [
    isUsual ? '  npm run demo' : `  npm run demo -- --state-dir ${folder}`,
    ...curls,
    'The demo plays everything once. By hand, with curl, one page for each API:',
    '  docs/partner-guide.md  docs/tradebook-guide.md  docs/operator-guide.md',
    ...(isUsual ? [] : [`They find the sandbox by KARAT_STATE_DIR; first: export KARAT_STATE_DIR=${folder}`]),
  ];
}

/** Returns where the portal of partners is, and how the owner of the first one signs in. */
function portalLines({ portal_url: url, partners: [partner] }: SandboxInfo): string[] {
  const [owner] = partner?.members ?? [];
  if (url === undefined || owner === undefined) return [];
  return [`  portal         ${url}`, `    sign in      ${owner.email}  ${owner.password}`];
}

/** Returns where the console is and how to sign in to it, or how to build it. */
function consoleLines({ console_url: url, operators }: SandboxInfo): string[] {
  if (url === undefined) return ['  console        not built: run npm run build:console, then start again'];
  return [
    `  console        ${url}`,
    ...operators.map(({ email, password }) => `    sign in      ${email}  ${password}`),
  ];
}

main().then(
  () => process.exit(0),
  async (error: unknown) => {
    if (error instanceof UserError) screen.warn(error.message);
    // Without the parameters of a query that failed, which may be thousands of lines.
    else console.error('Karat could not start:', (await import('@karat/service')).describeError(error));
    process.exit(1);
  },
);
