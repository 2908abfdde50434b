import { describe, expect, test } from 'vitest';
import { checkConfig, findOwnerUrl, readConfig, readDatabaseUrl, sessionUrlOf } from '../src/config.js';

const needed = {
  DATABASE_URL: 'postgres://localhost/any',
  KARAT_PROGRAM_ID: 'any',
  KARAT_SERVICE_SIGNER: 'any',
};
const read = (env: Record<string, string>) => readConfig({ ...needed, ...env });

test('several nodes are named in order, each with a WebSocket of its own', () => {
  const { rpcUrls, wsUrls } = read({ KARAT_RPC_URL: 'https://one.test/key, http://127.0.0.1:8899' });
  expect(rpcUrls).toEqual(['https://one.test/key', 'http://127.0.0.1:8899']);
  expect(wsUrls).toEqual(['wss://one.test/key', 'ws://127.0.0.1:8900']);
  const named = read({ KARAT_RPC_URL: 'https://one.test,https://two.test', KARAT_WS_URL: 'wss://two.test/' });
  expect(named.wsUrls).toEqual(['wss://two.test/']);
});

test.each([
  ['', 'KARAT_RPC_URL is not set'],
  [',', 'KARAT_RPC_URL is not set'],
  ['https://one.test,one.test', 'KARAT_RPC_URL must be a URL that starts with http:// or https://'],
  // One node that says a thing twice is not two that agree.
  ['https://one.test,https://ONE.test/', 'KARAT_RPC_URL names the same node twice'],
])('%j names no nodes', (value, message) => {
  expect(() => read({ KARAT_RPC_URL: value })).toThrow(message);
});

test.each([
  ['openRateLimitPerMinute', 'KARAT_OPEN_RATE_LIMIT', 60],
  ['callerRpcRateLimitPerSecond', 'KARAT_CALLER_RPC_RATE_LIMIT', 40],
] as const)('%s is the default unless %s is set', (setting, variable, usual) => {
  const node = { KARAT_RPC_URL: 'http://127.0.0.1:1' };
  expect(read(node)[setting]).toBe(usual);
  expect(read({ ...node, [variable]: '17' })[setting]).toBe(17);
});

test('the issuer of receipts has a name, an address and a number', () => {
  const issuer = (value: string) =>
    read({ KARAT_RPC_URL: 'http://127.0.0.1:1', KARAT_RECEIPT_ISSUER: value }).receiptIssuer;
  expect(issuer('')).toBeUndefined();
  const named = { name: 'Karat DMCC', address: 'Almas Tower, Dubai', registrationNumber: 'DMCC-1' };
  expect(issuer(' Karat DMCC; Almas Tower, Dubai; DMCC-1')).toEqual(named);
  for (const wrong of ['Karat DMCC', 'Karat DMCC; Dubai;', 'Karat; Dubai; 1; 2']) {
    expect(() => issuer(wrong)).toThrow('KARAT_RECEIPT_ISSUER must be');
  }
});

test('the calls to the nodes for callers are enough for any request', () => {
  const few = { KARAT_RPC_URL: 'http://127.0.0.1:1', KARAT_CALLER_RPC_RATE_LIMIT: '9' };
  expect(() => read(few)).toThrow('KARAT_CALLER_RPC_RATE_LIMIT must be a whole number from 16 to 1000000');
});

test('addresses that lack TLS are called only on this machine, unless that is allowed', () => {
  const plain = 'points to another machine without TLS';
  const faultsOf = (env: Record<string, string>) =>
    checkConfig({ ...needed, ...env }).faults.map(({ names, message }) => [
      names[0],
      message.includes(plain),
    ]);
  const [rpc, ws] = [
    ['KARAT_RPC_URL', true],
    ['KARAT_WS_URL', true],
  ];
  expect(faultsOf({ KARAT_RPC_URL: 'https://one.test,http://10.0.0.7:8899' })).toEqual([rpc]);
  expect(faultsOf({ KARAT_RPC_URL: 'http://127.0.0.1.evil.test' })).toEqual([rpc]);
  expect(faultsOf({ KARAT_RPC_URL: 'https://one.test', KARAT_WS_URL: 'ws://one.test' })).toEqual([ws]);
  for (const host of ['127.0.0.1:8899', 'localhost', '[::1]:8899']) {
    expect(faultsOf({ KARAT_RPC_URL: `http://${host}` })).toEqual([]);
  }
  const allowed = { KARAT_RPC_URL: 'http://node.internal:8899', KARAT_ALLOW_PLAIN_RPC: 'true' };
  expect(read(allowed)).toMatchObject({ rpcUrls: ['http://node.internal:8899'], allowPlainRpc: true });
  expect(() => read({ ...allowed, KARAT_ALLOW_PLAIN_RPC: 'yes' })).toThrow(
    'KARAT_ALLOW_PLAIN_RPC must be true or false',
  );
});

describe('the address of a database', () => {
  const node = { KARAT_RPC_URL: 'https://one.test' };
  const faultOf = (url: string) => {
    const [fault] = checkConfig({ ...needed, ...node, DATABASE_URL: url }).faults;
    return fault?.message;
  };

  test.each([
    'postgres://karat:secret@db.test/karat',
    'postgres://karat:secret@127.0.0.1.evil.test/karat',
    'postgres://karat:secret@127.0.0.1/karat?host=db.test',
    'postgres://karat:secret@db.test/karat?sslmode=require',
    'postgres://karat:secret@db.test/karat?sslmode=prefer',
    'postgres://karat:secret@db.test/karat?sslmode=no-verify',
    'postgres://karat:secret@db.test/karat?ssl=true',
    'postgres://karat:secret@db.test/karat?sslmode=disable&sslmode=verify-full',
    'postgres://karat:secret@127.0.0.1/karat?host=/tmp&host=db.test',
    'postgres://karat:secret@127.0.0.1/karat?host=/tmp,db.test',
    'postgres:///karat?user=karat&password=secret',
  ])('the address of a database states how another machine is known: %s', (url) => {
    const message = faultOf(url);
    expect(message).toContain('DATABASE_URL names another machine and must set sslmode=verify-full');
    expect(message).not.toContain('secret');
    expect(() => findOwnerUrl({ KARAT_OWNER_DATABASE_URL: url })).toThrow(
      'KARAT_OWNER_DATABASE_URL names another machine',
    );
  });

  test.each([
    'postgres://karat:secret@db.test/karat?sslmode=verify-full',
    'postgres://karat:secret@db.test/karat?sslmode=verify-full&sslrootcert=/etc/ssl/db.pem',
    'postgres://karat:secret@db.test/karat?sslmode=disable',
    'postgres://karat:secret@localhost:5432/karat',
    'postgres://karat:secret@[::1]/karat',
    'postgres:///karat?host=/var/run/postgresql&user=karat',
  ])('the address of a database is taken: %s', (url) => {
    expect(faultOf(url)).toBeUndefined();
  });
});

test('sessions are opened without the pooler where there is one', () => {
  const node = { KARAT_RPC_URL: 'https://one.test' };
  expect(sessionUrlOf(read(node))).toBe(needed.DATABASE_URL);
  const direct = 'postgres://localhost:5433/any';
  const env = { ...node, KARAT_DATABASE_DIRECT_URL: direct };
  expect(sessionUrlOf(read(env))).toBe(direct);
  expect(readDatabaseUrl({ ...needed, ...env }).reveal()).toBe(direct);
  expect(() => read({ ...node, KARAT_DATABASE_REPLICA_URL: 'postgres://db.test/any' })).toThrow(
    'KARAT_DATABASE_REPLICA_URL names another machine',
  );
});

describe('single sign-on', () => {
  const oidc = {
    KARAT_OIDC_ISSUER: 'https://login.test',
    KARAT_OIDC_CLIENT_ID: 'karat',
    KARAT_OIDC_CLIENT_SECRET: 'secret',
    KARAT_OIDC_ROLES: 'vault=fulfilment; CN=Admins,OU=Karat = admin',
  };
  const node = { KARAT_RPC_URL: 'http://127.0.0.1:1' };

  test('groups have the role behind the last equals sign, in the order of the list', () => {
    const config = read({ ...node, ...oidc, KARAT_OIDC_SECOND_FACTOR: 'acr=phr, amr=mfa' });
    expect(config.oidcRoles).toEqual([
      { group: 'vault', role: 'fulfilment' },
      { group: 'CN=Admins,OU=Karat', role: 'admin' },
    ]);
    expect(config.oidcSecondFactor).toEqual([
      { claim: 'acr', value: 'phr' },
      { claim: 'amr', value: 'mfa' },
    ]);
    expect(config.operatorPasswords).toBe('allowed');
    expect(String(config.oidcClientSecret)).toBe('[hidden]');
  });

  test.each([
    ['KARAT_OIDC_ROLES', 'vault=clerk', /must be "<group>=<role>; .* viewer, fulfilment, compliance, admin/],
    ['KARAT_OIDC_ROLES', '=admin', /must be "<group>=<role>/],
    ['KARAT_OIDC_ROLES', 'vault=viewer; vault=admin', /names a group twice/],
    ['KARAT_OIDC_ROLES', '', /KARAT_OIDC_ROLES is not set, which KARAT_OIDC_ISSUER needs/],
    ['KARAT_OIDC_CLIENT_ID', '', /KARAT_OIDC_CLIENT_ID is not set, which KARAT_OIDC_ISSUER needs/],
    ['KARAT_OIDC_CLIENT_SECRET', '', /KARAT_OIDC_CLIENT_SECRET is not set/],
    ['KARAT_OIDC_SECOND_FACTOR', 'mfa', /must be values such as acr=phr or amr=mfa/],
    ['KARAT_OIDC_ISSUER', 'http://login.test', /must start with https:\/\//],
    ['KARAT_OIDC_ISSUER', '', /KARAT_OIDC_ISSUER is not set, which KARAT_OIDC_CLIENT_ID and .* needs/],
  ])('%s refuses %j', (name, value, message) => {
    expect(() => read({ ...node, ...oidc, [name]: value })).toThrow(message);
  });

  test('passwords are not switched off without single sign-on', () => {
    expect(() => read({ ...node, KARAT_OPERATOR_PASSWORDS: 'refused' })).toThrow(
      'KARAT_OIDC_ISSUER is not set, which KARAT_OPERATOR_PASSWORDS needs',
    );
    expect(read({ ...node, ...oidc, KARAT_OPERATOR_PASSWORDS: 'refused' }).operatorPasswords).toBe('refused');
  });
});
