import type { Command } from '../commands.js';
import { type Config, ConfigError, checkConfig, ownerUrlVariable, refusedBy } from '../config.js';
import { loadMarketCalendar } from '../market-calendar.js';
import { checkWalletList } from '../screening/list-file.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warning, failed } = findingsOf('configuration');

/**
 * Settings as far as they can be read, and what is wrong with them. `ownsTables`: the environment has the address of the
 * tables' owner too, with which no process starts.
 */
export async function checkConfiguration(
  env: Record<string, string | undefined>,
  wanted: ReadonlySet<Command>,
  ownsTables: boolean,
): Promise<{ values: Partial<Config>; findings: Finding[] }> {
  const { values, faults } = checkConfig(env);
  const unread = new Set(faults.flatMap(({ names }) => names));
  const refused = refusedBy(wanted, values).filter(({ names }) => !names.some((name) => unread.has(name)));
  const findings: Finding[] = [...faults, ...refused].map(({ names, message }) =>
    failed(message.endsWith('?') ? message : `${message}.`, remedyOf(names, message)),
  );
  if (ownsTables && wanted.size > 0) {
    findings.push(
      failed(
        `${ownerUrlVariable} is set: no process starts with the address of the tables' owner.`,
        `Unset ${ownerUrlVariable}; commands alone need it.`,
      ),
    );
  }
  const calendar = faultOfCalendar(values);
  if (calendar !== undefined) {
    findings.push(failed(calendar, 'Correct the file, or unset KARAT_MARKET_HOURS to use the built-in one.'));
  }
  const listFault = values.sanctionsList && (await checkWalletList(values.sanctionsList));
  if (listFault) {
    const remedy = 'Write the list again, and rename it into place; karat serve does not start without one.';
    findings.push(failed(`${listFault}.`, remedy));
  }
  findings.push(...settingsOfTests(values));
  if (findings.length === 0) findings.push(ok('All settings are valid.'));
  return { values, findings };
}

const meaning: Record<string, string> = {
  DATABASE_URL: 'the PostgreSQL database, postgres://user:password@host:5432/name',
  KARAT_RPC_URL: 'the Solana node, such as http://127.0.0.1:8899',
  KARAT_PROGRAM_ID: 'the address of the program',
  KARAT_SERVICE_SIGNER: "the service signer's key file, or the URL of its key",
};

function remedyOf(names: string[], message: string): string {
  const [name = ''] = names;
  if (message.startsWith('unknown setting'))
    return `Correct or unset ${names.join(', ')} in the environment.`;
  if (message.startsWith(`${name} is set`)) return `Unset ${name} in the environment of this process.`;
  return `Set ${name} in the environment${meaning[name] ? `: ${meaning[name]}` : ', or unset it for its default'}.`;
}

/**
 * Settings that let one person or a script work with a test network, and loosen a rule where money is real. The fourth,
 * `KARAT_NETWORK=localnet`, fails by itself where the node is on a public network.
 */
function settingsOfTests({ network, approvals, secondFactor, marketHours }: Partial<Config>): Finding[] {
  if (network === 'localnet') return [];
  const where = network === undefined ? 'KARAT_NETWORK does not name localnet' : `the network is ${network}`;
  const loose = [
    approvals === 1 && 'KARAT_APPROVALS=1',
    secondFactor === 'optional' && 'KARAT_SECOND_FACTOR=optional',
    marketHours === 'always' && 'KARAT_MARKET_HOURS=always',
  ].filter((each) => each !== false);
  return loose.map((setting) =>
    warning(`${setting} is for tests, and ${where}.`, `Unset ${setting.split('=')[0]}.`),
  );
}

function faultOfCalendar({ marketHours }: Partial<Config>): string | undefined {
  if (marketHours === undefined) return undefined;
  try {
    loadMarketCalendar({ marketHours });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return `${error.message}.`;
    throw error;
  }
}
