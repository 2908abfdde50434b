// Tries the three published APIs with requests that schemathesis makes from their OpenAPI documents, examples included, against a
// sandbox of its own: no response may be a server error, or other than its document says. Takes a minute or two; installs
// schemathesis into a temporary folder, and on a bare Debian what Python needs for that. Fails when one of the APIs does.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPython } from './install-tools.mjs';
import { mintPartnerKey, mintTradebookKey, startSandbox } from './test-sandbox.mjs';

const version = '4.32.5';
/** For each of the APIs. */
const seconds = process.env.SCHEMATHESIS_SECONDS ?? '8';
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

const folder = mkdtempSync(join(tmpdir(), 'karat-schemathesis-'));
const state = join(folder, 'state');

/** Returns the path of schemathesis, which it installs unless `SCHEMATHESIS` names one. */
function install() {
  if (process.env.SCHEMATHESIS) return process.env.SCHEMATHESIS;
  return join(installPython(join(folder, 'venv'), [`schemathesis==${version}`]), 'schemathesis');
}

/** Runs schemathesis over one document; whether everything was as it says, and every example of a read is taken. */
function tryApi(schemathesis, { document, url, header, exclude }) {
  console.log(`\n${document}`);
  const common = [
    ['--url', url],
    ['--header', header],
    // Two threads of one Python 3.11 can break its parser.
    ['--workers', '1'],
    // An operation may be waited for, up to 30 s.
    ['--request-timeout', '40'],
    ['--seed', '1'],
    ['--suppress-health-check', 'all'],
    ['--warnings', 'off'],
    ...exclude.map((path) => ['--exclude-path', path]),
  ];
  const run = (...options) => {
    const args = ['run', document, ...[...common, ...options].flat(), '--continue-on-failure'];
    const { status } = spawnSync(schemathesis, args, {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return status === 0;
  };
  const examples = run(
    ['--phases', 'examples'],
    ['--include-method', 'GET'],
    // No example can be an event of this partner's log.
    ['--exclude-path', '/v1/events'],
    ['--checks', 'positive_data_acceptance'],
  );
  const all = run(
    ['--phases', 'examples,coverage,fuzzing'],
    ['--checks', checks.join(',')],
    ['--max-time', seconds],
  );
  return examples && all;
}

let failed = true;
const schemathesis = install();
const sandbox = await startSandbox(state);
try {
  const { info } = sandbox;
  const place = (name) => join(process.cwd(), 'openapi', `${name}.json`);
  const apis = [
    {
      document: place('partner'),
      url: info.partner_api_url,
      header: `x-api-key: ${await mintPartnerKey(state, info)}`,
      // A stream does not end, and each key has five.
      exclude: ['/v1/events/stream'],
    },
    {
      document: place('tradebook'),
      url: info.tradebook_api_url,
      header: `x-api-key: ${await mintTradebookKey(state, info)}`,
      exclude: [],
    },
    {
      document: place('operator'),
      url: info.operator_url,
      header: `authorization: Bearer ${info.operators[0].token}`,
      exclude: ['/operator/v1/stream'],
    },
  ];
  const results = apis.map((api) => tryApi(schemathesis, api));
  failed = results.includes(false);
} finally {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
