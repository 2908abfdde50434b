import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { helpText, readOptions } from '../src/options.js';
import { serviceConfig } from '../src/service-config.js';

test('the documented defaults hold when no option is given', () => {
  expect(readOptions([], {})).toEqual({
    stateDir: resolve('.karat'),
    reset: false,
    marketHours: false,
    host: '127.0.0.1',
    advertisedHost: undefined,
    webhooks: 'local',
    port: 8080,
    operatorPort: 8090,
    rpcPort: 8899,
    shopPort: undefined,
    databaseUrl: undefined,
    rpcUrl: undefined,
  });
});

test('every option can come from the environment, and the command line wins', () => {
  const env = {
    KARAT_STATE_DIR: '/tmp/one',
    KARAT_PORT: '1111',
    KARAT_OPERATOR_PORT: '1112',
    KARAT_RPC_PORT: '0',
    KARAT_SHOP_PORT: '1113',
    KARAT_HOST: '0.0.0.0',
    KARAT_ADVERTISED_HOST: 'karat',
    KARAT_WEBHOOKS: 'private',
    DATABASE_URL: 'postgres://me@db/karat',
    KARAT_RPC_URL: 'https://node.test',
  };
  expect(readOptions([], env)).toEqual({
    stateDir: '/tmp/one',
    reset: false,
    marketHours: false,
    host: '0.0.0.0',
    advertisedHost: 'karat',
    webhooks: 'private',
    port: 1111,
    operatorPort: 1112,
    rpcPort: 0,
    shopPort: 1113,
    databaseUrl: 'postgres://me@db/karat',
    rpcUrl: 'https://node.test',
  });
  expect(readOptions(['--port', '2222', '--state-dir=/tmp/two', '--reset'], env)).toMatchObject({
    stateDir: '/tmp/two',
    port: 2222,
    reset: true,
  });
});

test.each([
  [['--port', 'http'], {}, '--port must be a port from 0 to 65535, not "http"'],
  [['--port', '65536'], {}, '--port must be a port from 0 to 65535, not "65536"'],
  [['--operator-port', 'x'], {}, '--operator-port must be a port from 0 to 65535, not "x"'],
  [[], { KARAT_OPERATOR_PORT: '65536' }, 'KARAT_OPERATOR_PORT must be a port from 0 to 65535'],
  [['--shop-port', 'x'], {}, '--shop-port must be a port from 0 to 65535, not "x"'],
  [['--port='], {}, '--port must be a port from 0 to 65535, not ""'],
  [['--rpc-port', '65535'], {}, '--rpc-port must be a port from 0 to 65534, not "65535"'],
  [[], { KARAT_PORT: '-1' }, 'KARAT_PORT must be a port from 0 to 65535, not "-1"'],
  [['--host', 'http://x'], {}, '--host must be a host name or an IP address'],
  [[], { KARAT_ADVERTISED_HOST: 'a b' }, 'KARAT_ADVERTISED_HOST must be a host name or an IP address'],
  [[], { KARAT_WEBHOOKS: 'true' }, 'KARAT_WEBHOOKS must be local or private'],
  [['--state-dir='], {}, '--state-dir must name a folder'],
  [['--database-url', 'mysql://x'], {}, '--database-url must be a URL that starts with postgres://'],
  [[], { DATABASE_URL: 'nonsense' }, 'DATABASE_URL must be a URL that starts with postgres://'],
  [['--rpc-url', 'localhost:8899'], {}, '--rpc-url must be a URL that starts with http://'],
  [['--prot', '1'], {}, "Unknown option '--prot': did you mean --port? See --help"],
  [['--fly'], {}, "Unknown option '--fly'. See --help"],
  [['start'], {}, "Unexpected argument 'start'. See --help"],
])('%j with %j is refused in one line', (argv, env, message) => {
  const refusal = { name: 'UserError', message: expect.stringMatching(/^[^\n]+$/) };
  expect(() => readOptions(argv, env)).toThrow(message);
  expect(() => readOptions(argv, env)).toThrow(expect.objectContaining(refusal));
});

test('help names every option with its variable and default', () => {
  expect(readOptions(['--help'], { KARAT_PORT: 'x' })).toBe('help');
  const text = helpText((_, part) => part);
  for (const word of [
    '--state-dir DIR',
    'KARAT_STATE_DIR',
    '[.karat]',
    '--reset',
    '--operator-port N',
    'operator API, this machine only (0: any free port) [8090]',
    '--rpc-port N',
    '[8899]',
    '--shop-port N',
    '--market-hours',
    'KARAT_MARKET_HOURS',
  ]) {
    expect(text).toContain(word);
  }
});

test('the market is open at all hours, unless option or environment request those of New York', () => {
  const hours = (argv: string[], env: Record<string, string>) => {
    const options = readOptions(argv, env);
    const marketHours = options !== 'help' && options.marketHours;
    const ports = { host: '127.0.0.1', port: 0, operatorPort: 0, wsUrl: undefined };
    const keys = {
      pickupSecret: '',
      totpSecret: '',
      kycKeyUrl: 'any',
      serviceSignerUrl: 'any',
      adminSignerUrl: 'any',
      operationsSignerUrl: 'any',
      guardianSignerUrl: 'any',
      marketSignerUrl: 'any',
      reservesSignerUrl: 'any',
      programId: 'any',
    };
    const urls = { databaseUrl: 'postgres://127.0.0.1/any', rpcUrl: 'http://localhost' };
    return serviceConfig({ ...ports, ...keys, ...urls, marketHours, webhooks: 'local' }, env).marketHours;
  };
  expect(hours([], {})).toBe('always');
  expect(hours([], { KARAT_MARKET_HOURS: 'calendar' })).toBe('calendar');
  expect(hours(['--market-hours'], {})).toBe('calendar');
  expect(hours(['--market-hours'], { KARAT_MARKET_HOURS: 'always' })).toBe('calendar');
  expect(() => hours([], { KARAT_MARKET_HOURS: 'weekdays' })).toThrow('must be calendar, always, or');
});
