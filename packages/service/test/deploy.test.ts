import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { optionVariables, readOptions } from '../../sandbox/src/options.js';
import { readConfig as readSignerConfig } from '../../signer/src/config.js';
import { commands } from '../src/cli/catalogue.js';
import { parseCommands } from '../src/commands.js';
import { checkConfig, ownerUrlVariable } from '../src/config.js';

/** What the files in deploy/ name must exist: settings, processes, files, ports. */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const deploy = join(root, 'deploy');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((path) =>
  ['Dockerfile', '.yaml', '.tpl', '.service', '.conf', '.target', '.json'].some((end) => path.endsWith(end)),
);
const kinds = ['serve', 'index', 'keep', 'deliver'];

/** The settings of keys that sign, and those that are kept by people alone. */
const signing = (names: string[]) => names.filter((name) => name.endsWith('_SIGNER')).sort();
const heldByPeople = /KARAT_(GUARDIAN|ADMIN)_SIGNER|(guardian|admin)\.json/;
/** What karat-signer holds for a process that serves. */
const servingKeys = ['KARAT_MARKET_SIGNER', 'KARAT_OPERATIONS_SIGNER', 'KARAT_SERVICE_SIGNER'];
const signerFaultOf = (env: Record<string, string>) => {
  const named = { KARAT_PROGRAM_ID: '11111111111111111111111111111111', ...env };
  return () => readSignerConfig(named);
};

test('the keys of guardian and admin are in no deployment', () => {
  for (const path of files) expect(read(path), path).not.toMatch(heldByPeople);
});

test('images that others publish are named by their digest', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { image?: string }>;
  };
  const images = [
    ...Object.values(compose.services).flatMap(({ image = 'karat' }) => image),
    ...[...read('compose.yaml').matchAll(/^ +FROM (\S+)$/gm)].map(([, image = '']) => image),
    ...[...read('Dockerfile').matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)].map(([, image = '']) => image),
  ].filter((image) => !/^karat(-\w+)?$/.test(image));
  expect(images).toHaveLength(8);
  for (const image of images) expect(image).toMatch(/^[a-z0-9./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  // Nothing but a stage or one of these is built upon.
  const froms = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, from = '']) =>
    from.replace(/[${}]/g, ''),
  );
  expect(froms).toEqual(['NODE_IMAGE', 'NODE_IMAGE', 'RUNTIME_IMAGE', 'runtime', 'runtime']);
});

/** The settings of the service, the variables of its processes' and the sandbox's command lines, and the address that migrates. */
function knownVariables(): string[] {
  const [unknown] = checkConfig({ KARAT_NO_SETTING: '1' }).faults;
  const settings = /known ones are (.+)$/.exec(unknown?.message ?? '')?.[1]?.split(', ') ?? [];
  const options = commands.filter(({ name }) => kinds.includes(name)).flatMap(({ options }) => options);
  return [...settings, ...options.map(({ variable }) => variable), ...optionVariables, ownerUrlVariable];
}

/** Returns the faults of an environment, apart from settings that it leaves out. */
const faultsOf = (env: Record<string, string>) =>
  checkConfig(env).faults.filter(({ message }) => !message.endsWith(' is not set'));

test.each(files)('%s names settings that exist', (path) => {
  const named = new Set([...read(path).matchAll(/\bKARAT_[A-Z_]*[A-Z]\b/g)].map(([name]) => name));
  const known = knownVariables();
  for (const name of named) expect(known).toContain(name);
});

describe('the image', () => {
  const lines = read('Dockerfile')
    .replace(/ *\\\n */g, ' ')
    .split('\n');
  const argumentsOf = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));

  test('the image has settings that the service takes', () => {
    const env = Object.fromEntries(
      argumentsOf('ENV').flatMap((line) =>
        line.split(' ').map((pair) => pair.split('=') as [string, string]),
      ),
    );
    expect(env.NODE_ENV).toBe('production');
    expect(faultsOf(env)).toEqual([]);
    const { values } = checkConfig(env);
    const ports = [values.port, values.operatorPort, values.metricsPort];
    expect(argumentsOf('EXPOSE')).toEqual([ports.join(' ')]);
    expect(argumentsOf('HEALTHCHECK').join()).toContain(`http://127.0.0.1:${values.metricsPort}/metrics`);
  });

  test('the image starts karat and karat-signer with the options of their first lines, as a numeric user', () => {
    const entries = argumentsOf('ENTRYPOINT').map((line) => JSON.parse(line) as string[]);
    expect(entries.map((entry) => entry.at(-1)?.split('/').at(-1))).toEqual([
      'karat-signer.mjs',
      'karat.mjs',
    ]);
    for (const entry of entries) {
      const path = entry.at(-1)?.replace('/karat/', '') ?? '';
      const [first = ''] = readFileSync(join(root, path), 'utf8').split('\n');
      expect(first.replace('env -S ', 'env ')).toBe(`#!/usr/bin/env ${entry.slice(0, -1).join(' ')}`);
    }
    expect(argumentsOf('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  });

  test('the image of karat-signer has no setting of the service', () => {
    const stages = lines.join('\n').split(/^FROM /m);
    const beforeLast = stages.slice(0, -1).join('\n');
    expect(beforeLast).toContain('karat-signer.mjs"]');
    expect(beforeLast).not.toMatch(/^ENV .*KARAT_/m);
  });

  test('the image runs one version of Node everywhere, one that the package supports', () => {
    const [image = ''] = argumentsOf('ARG').filter((line) => line.startsWith('NODE_IMAGE='));
    expect(Number(/^NODE_IMAGE=node:(\d+)\.\d+\.\d+-/.exec(image)?.[1])).toBeGreaterThan(20);
  });

  test('the image is built from files that exist and are not left out of its context', () => {
    const kept = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const sources = argumentsOf('COPY')
      .filter((copy) => !copy.startsWith('--from=production'))
      .flatMap((copy) => copy.replace('--from=build /karat/', '').split(' ').slice(0, -1))
      .filter((source) => source !== '.' && !source.endsWith('/dist'));
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(kept).toContain(`!${source.split('/')[0]}`);
    }
  });
});

describe('the image of the sandbox', () => {
  const text = read('sandbox.Dockerfile').replace(/ *\\\n */g, ' ');
  const settings = Object.fromEntries(
    [...text.matchAll(/\b(KARAT_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
  type Service = { ports: string[]; environment: Record<string, string>; healthcheck: { test: string[] } };
  const compose = parse(read('sandbox.compose.yaml')) as { services: { karat: Service } };
  const { karat } = compose.services;

  test('the image of the sandbox is built on the same images as that of the service', () => {
    const basesOf = (file: string) => file.match(/^ARG \w+_IMAGE=.+$/gm);
    expect(basesOf(text)).toEqual(basesOf(read('Dockerfile')));
  });

  test('the image of the sandbox has settings that exist, and shows and publishes its usual ports', () => {
    const service = Object.entries(settings).filter(([name]) => !optionVariables.includes(name));
    expect(faultsOf(Object.fromEntries(service))).toEqual([]);
    const options = readOptions([], settings);
    if (options === 'help') throw new Error('no options');
    const { port, operatorPort, rpcPort } = options;
    const ports = [8070, port, operatorPort, rpcPort, rpcPort + 1];
    expect(/^EXPOSE (.+)$/m.exec(text)?.[1]).toBe(ports.join(' '));
    const published = karat.ports.flatMap((line) => line.replace(/^127\.0\.0\.1:(\S+):\1$/, '$1').split('-'));
    expect(published.map(Number)).toEqual(ports);
    expect(optionVariables).toEqual(expect.arrayContaining(Object.keys(karat.environment)));
  });

  test('the image of the sandbox starts scripts of its bundle, and contains files that exist', () => {
    const bundled = readFileSync(join(root, 'scripts/start-bundle.mjs'), 'utf8');
    const [health, entry] = [...text.matchAll(/(?:CMD|ENTRYPOINT) \["node", "(\w+)\.mjs"\]/g)].map(
      ([, name]) => name,
    );
    expect([health, entry]).toEqual(['healthy', 'main']);
    for (const name of ['healthy', 'karat', 'main'])
      expect(bundled).toMatch(new RegExp(`^  ${name}: '`, 'm'));
    expect(karat.healthcheck.test).toEqual(['CMD', 'node', `${health}.mjs`]);
    const kept = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = [...text.matchAll(/^COPY (?!--from|\. )(.+) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied.length).toBeGreaterThan(10);
    for (const source of copied) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(
        kept.some((line) => line === `!${source}` || line === `!${source.split('/')[0]}`),
        source,
      ).toBe(true);
    }
  });
});

describe('systemd', () => {
  /** Returns the values of each key, which may be given several times, in an instance of a template. */
  function unit(path: string, instance = ''): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const line of read(`systemd/${path}`).replaceAll('%i', instance).split('\n')) {
      if (line === '' || line.startsWith('#') || /^\[(Unit|Service|Install)\]$/.test(line)) continue;
      const [, key = '', value = ''] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
      expect(key, `${path}: ${line}`).not.toBe('');
      found.set(key, [...(found.get(key) ?? []), value]);
    }
    return found;
  }
  const environmentOf = (settings: Map<string, string[]>) =>
    Object.fromEntries(
      (settings.get('Environment') ?? []).flatMap((line) =>
        line.split(' ').map((pair) => pair.split('=') as [string, string]),
      ),
    );

  test('the target starts every kind of process', () => {
    const [serve, ...others] = kinds.map((kind) => `karat-${kind}`);
    const units = ['karat-signer', `${serve}@1`, ...others].map((name) => `${name}.service`);
    expect(unit('karat.target').get('Wants')).toEqual([units.join(' ')]);
  });

  const socket = 'socket:/run/karat-signer/sign.sock';
  /** The unit of a kind; of `serve`, which may be started several times, the first one. */
  const unitOf = (kind: string, instance = '1') =>
    kind === 'serve' ? unit('karat-serve@.service', instance) : unit(`karat-${kind}.service`);

  test.each(kinds)('karat-%s starts that process, with keys that it loads', (kind) => {
    const settings = unitOf(kind);
    expect(settings.get('ExecStart')).toEqual([`/opt/karat/packages/service/bin/karat.mjs ${kind}`]);
    const env = environmentOf(settings);
    expect(faultsOf(env)).toEqual([]);
    const named = Object.entries(env).filter(
      ([name, place]) => /_(SIGNER|KYC_KEY)$/.test(name) && place !== socket,
    );
    const loaded = (settings.get('LoadCredential') ?? []).map((line) => `%d/${line.split(':')[0]}`);
    expect(named.map(([, path]) => path).sort()).toEqual(loaded.sort());
  });

  test('karat-signer holds the keys of serve, which has its socket and no key that signs', () => {
    const signer = unit('karat-signer.service');
    expect(signer.get('ExecStart')).toEqual([
      `/opt/karat/packages/signer/bin/karat-signer.mjs --socket ${socket.slice('socket:'.length)}`,
    ]);
    const env = environmentOf(signer);
    const { NODE_ENV, ...keys } = env;
    expect([NODE_ENV, signing(Object.keys(keys))]).toEqual(['production', servingKeys]);
    expect(signerFaultOf(keys)).not.toThrow();
    const loaded = (signer.get('LoadCredential') ?? []).map((line) => `%d/${line.split(':')[0]}`);
    expect(Object.values(keys).sort()).toEqual(loaded.sort());
    const serve = unitOf('serve');
    const sockets = Object.entries(environmentOf(serve)).filter(([, place]) => place === socket);
    expect(sockets.map(([name]) => name).sort()).toEqual(servingKeys);
    expect(serve.get('LoadCredential')).toEqual(['kyc.key:/etc/karat/keys/kyc.key']);
    // Another user, of whose group the socket is, with settings of its own; nothing but the socket leads to it.
    expect(signer.get('User')).toEqual(['karat-signer']);
    expect(serve.get('SupplementaryGroups')).toEqual(['karat-signer']);
    expect(signer.get('EnvironmentFile')).toEqual(['/etc/karat/signer.env']);
    expect(signer.get('PrivateNetwork')).toEqual(['yes']);
    expect(serve.get('Wants')).toEqual(['karat-signer.service']);
    expect(serve.get('After')).toEqual(['karat-signer.service']);
    // The settings of the service are for the four kinds alone: karat-signer refuses them.
    expect(unit('karat-.service.d/process.conf').get('EnvironmentFile')).toBeUndefined();
    for (const kind of kinds) expect(unitOf(kind).get('EnvironmentFile')).toEqual(['/etc/karat/karat.env']);
  });

  test('no two units share a port, and all are in the sandbox of the drop-in', () => {
    const portsOf = (kind: string, instance?: string) =>
      Object.entries(environmentOf(unitOf(kind, instance))).flatMap(([name, value]) =>
        name.endsWith('_PORT') ? [value] : [],
      );
    const ports = [
      ...kinds.flatMap((kind) => portsOf(kind)),
      ...portsOf('serve', '2'),
      ...portsOf('serve', '9'),
    ];
    expect(ports).toHaveLength(3 * 3 + 3);
    expect(new Set(ports).size).toBe(ports.length);
    const common = unit('karat-.service.d/process.conf');
    const sandbox = { DynamicUser: ['yes'], NoNewPrivileges: ['yes'], ProtectSystem: ['strict'] };
    expect(Object.fromEntries(common)).toMatchObject(sandbox);
    // An orderly stop takes up to 10 s.
    expect(Number(common.get('TimeoutStopSec')?.join())).toBeGreaterThan(10);
  });
});

describe('compose.yaml', () => {
  interface Part {
    image?: string;
    command?: string[];
    environment?: Record<string, string | number>;
    secrets?: string[];
    configs?: { source: string }[];
    volumes?: string[];
    user?: string;
    network_mode?: string;
    deploy?: { replicas: number };
    depends_on?: Record<string, unknown>;
  }
  const compose = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Part>;
    secrets: Record<string, unknown>;
    configs: Record<string, { content: string }>;
    volumes: Record<string, unknown>;
  };
  const own = Object.entries(compose.services).filter(([, { image }]) => image === 'karat');

  test('compose.yaml runs two of every kind of process, after the migration', () => {
    expect(own.map(([name]) => name).sort()).toEqual([...kinds, 'migrate'].sort());
    for (const [name, { command, deploy, depends_on }] of own) {
      expect(command).toEqual([name]);
      if (name === 'migrate') continue;
      expect(parseCommands(command ?? [])).toBeDefined();
      expect(deploy).toEqual({ replicas: 2 });
      expect(Object.keys(depends_on ?? {})).toEqual(expect.arrayContaining(['migrate', 'pgbouncer']));
    }
  });

  test.each(kinds)('compose.yaml gives %s settings that it takes, and the keys that they name', (kind) => {
    const { environment = {}, secrets = [] } = compose.services[kind] ?? {};
    const literal = Object.entries(environment).filter(([, value]) => !String(value).includes('${'));
    expect(faultsOf(Object.fromEntries(literal.map(([name, value]) => [name, String(value)])))).toEqual([]);
    const keys = Object.values(environment).filter((value) => String(value).startsWith('/run/secrets/'));
    expect(keys.sort()).toEqual(secrets.map((name) => `/run/secrets/${name}`).sort());
  });

  test('karat-signer holds the keys of serve, which has its socket and no key that signs', () => {
    const { serve, signer } = compose.services;
    const keysOf = (part: Part | undefined) =>
      Object.fromEntries(
        Object.entries(part?.environment ?? {}).filter(([name]) => name.endsWith('_SIGNER')),
      ) as Record<string, string>;
    expect(signer?.image).toBe('karat-signer');
    expect(signing(Object.keys(keysOf(signer)))).toEqual(servingKeys);
    expect(signerFaultOf(keysOf(signer))).not.toThrow();
    expect(Object.values(keysOf(signer)).sort()).toEqual(
      (signer?.secrets ?? []).map((name) => `/run/secrets/${name}`).sort(),
    );
    const [path = ''] = signer?.command?.slice(1) ?? [];
    expect(signer?.command).toEqual(['--socket', path]);
    expect(Object.keys(keysOf(serve)).sort()).toEqual(servingKeys);
    expect(new Set(Object.values(keysOf(serve)))).toEqual(new Set([`socket:${path}`]));
    expect(serve?.secrets).toEqual(['kyc.key']);
    // Another user than that of the image, of its group; no network leads to it.
    expect([signer?.user, signer?.network_mode]).toEqual(['65531:65532', 'none']);
    for (const part of [serve, signer]) expect(part?.volumes).toEqual([`signer:${dirname(path)}`]);
    expect(Object.keys(serve?.depends_on ?? {})).toContain('signer');
  });

  test('defines every secret, configuration and volume that it mounts, and mounts files that exist', () => {
    const parts = Object.values(compose.services);
    const secrets = parts.flatMap(({ secrets = [] }) => secrets);
    expect([...new Set(secrets)].sort()).toEqual(Object.keys(compose.secrets).sort());
    const configs = parts.flatMap(({ configs = [] }) => configs.map(({ source }) => source));
    expect([...new Set(configs)].sort()).toEqual(Object.keys(compose.configs).sort());
    const mounts = parts.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''));
    for (const mount of mounts) {
      const exists = mount.startsWith('.') ? existsSync(join(deploy, mount)) : mount in compose.volumes;
      expect(exists, mount).toBe(true);
    }
  });

  test('compose.yaml goes through PgBouncer as the cluster does, with an address without it for sessions', () => {
    const { DATABASE_URL: pooled = '', KARAT_DATABASE_DIRECT_URL: direct } =
      compose.services.index?.environment ?? {};
    expect(direct).toBe(String(pooled).replace('@pgbouncer:6432', '@postgres'));
    const ini = compose.configs.pgbouncer?.content ?? '';
    const cluster = read('cluster/up');
    const [limits = ''] = /connect_query=.+/.exec(ini) ?? [];
    expect(limits).toContain('statement_timeout');
    const shared = ['pool_mode', 'auth_type', 'max_client_conn', 'default_pool_size', 'server_'];
    const lines = ini.split('\n').filter((line) => shared.some((name) => line.startsWith(name)));
    expect(lines).toHaveLength(shared.length + 1);
    for (const line of [limits, ...lines]) expect(cluster).toContain(line);
    expect(ini).toContain('listen_port = 6432');
    expect(compose.configs['pgbouncer-users']?.content).toMatch(/^"karat" "\$\{DATABASE_PASSWORD:\?\}"\n$/);
  });

  /** The lines of pgBackRest's configuration that both have, whatever lies where. */
  const backupRules = [
    'repo1-cipher-type=',
    'repo1-retention-full=',
    'repo1-bundle=',
    'compress-type=',
    'start-fast=',
  ];

  test('compose.yaml archives and backs up as the cluster does: encrypted, with retention, by the same scripts', () => {
    const cluster = read('cluster/up');
    const lines = (compose.configs.pgbackrest?.content ?? '').split('\n');
    for (const rule of backupRules) {
      const line = lines.find((each) => each.startsWith(rule));
      expect(line, rule).toBeDefined();
      expect(cluster).toContain(`\n${line}\n`);
    }
    for (const text of [lines.join('\n'), cluster]) expect(text).toMatch(/\nrepo1-cipher-pass=\$/);
    const { postgres, backups } = compose.services;
    expect(postgres?.command?.at(-1)).toBe(
      'archive_command=/usr/local/bin/karat-archive /etc/pgbackrest.conf %p',
    );
    expect(postgres?.volumes).toContain('./archive:/usr/local/bin/karat-archive:ro');
    expect(backups?.command?.[0]).toBe('/usr/local/bin/karat-backups');
    expect(backups?.volumes).toContain('./backups:/usr/local/bin/karat-backups:ro');
    // Patroni runs it without a shell.
    expect(cluster).toMatch(/archive_command: \$home\/deploy\/archive \S+ %p\n/);
  });

  test('no line of a database trusts a caller without a password', () => {
    const cluster = read('cluster/up');
    const methods = [...cluster.matchAll(/^ +- (?:local|host) .* (\S+)$/gm)].map(([, method]) => method);
    expect(methods.length).toBeGreaterThan(2);
    expect(new Set(methods)).toEqual(new Set(['scram-sha-256']));
    for (const option of ['auth-host', 'auth-local']) {
      expect(cluster).toContain(`- ${option}: scram-sha-256`);
      expect(compose.services.postgres?.environment?.POSTGRES_INITDB_ARGS).toContain(
        `--${option}=scram-sha-256`,
      );
    }
  });

  test('Prometheus scrapes the metrics of every process, as the job that the alerts name', () => {
    const { scrape_configs } = parse(compose.configs.prometheus?.content ?? '') as {
      scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    const [job, machine] = scrape_configs;
    expect([job?.job_name, machine?.job_name]).toEqual(['karat', 'machine']);
    expect(job?.dns_sd_configs.map(({ names, port }) => ({ names, port }))).toEqual([
      { names: kinds, port: 9091 },
    ]);
  });
});

describe('the chart', () => {
  const chart = 'helm/karat';
  const values = parse(read(`${chart}/values.yaml`)) as Record<string, unknown> & {
    settings: Record<string, string>;
    processes: Record<string, { replicas: number; keys: Record<string, string> }>;
    signer: { keys: Record<string, string> };
  };
  const templates = readdirSync(join(deploy, chart, 'templates')).map((name) =>
    read(`${chart}/templates/${name}`),
  );

  /** Returns the paths of a value's leaves; processes and settings are ranged over. */
  function leavesOf(value: unknown, path: string): string[] {
    const isRanged = [
      '.processes',
      '.settings',
      '.signer.keys',
      '.signer.settings',
      '.signer.resources',
    ].includes(path);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isRanged) return [path];
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, `${path}.${key}`));
  }

  test('every value is used, and every value that is used has a default', () => {
    const used = templates.flatMap((text) =>
      [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) =>
        path.replace(/^(\.processes|\.settings).*/, '$1'),
      ),
    );
    // A helper is given an object as a whole.
    const valueAt = (path: string) =>
      path
        .slice(1)
        .split('.')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], values);
    const leaves = used.flatMap((path) => leavesOf(valueAt(path), path));
    expect([...new Set(leaves)].sort()).toEqual(leavesOf(values, '').sort());
  });

  test('the chart runs at least two of every kind of process, with settings that it takes', () => {
    expect(Object.keys(values.processes).sort()).toEqual([...kinds].sort());
    for (const { replicas, keys } of Object.values(values.processes)) {
      expect(replicas).toBeGreaterThan(1);
      expect(faultsOf({ ...values.settings, ...keys })).toEqual([]);
    }
  });

  test('karat-signer beside serve holds its keys, which has its socket and no key that signs', () => {
    expect(signing(Object.keys(values.signer.keys))).toEqual(servingKeys);
    expect(signerFaultOf(values.signer.keys)).not.toThrow();
    expect(values.processes.serve?.keys).toEqual({ KARAT_KYC_KEY: 'kyc.key' });
    const text = read(`${chart}/templates/processes.yaml`);
    const [, sidecar = '', rest = ''] = /initContainers:\n(.*?)\n {6}containers:(.*)$/s.exec(text) ?? [];
    // Kubernetes starts it before the process and keeps it: an init container that restarts.
    expect(sidecar).toContain('restartPolicy: Always');
    expect(sidecar).toContain('args: [--socket, /signer/sign.sock]');
    expect(sidecar).toContain('- { name: signing-keys, mountPath: /keys, readOnly: true }');
    expect(rest).toContain('value: socket:/signer/sign.sock');
    expect(rest).not.toMatch(/name: signing-keys, mountPath/);
    // Another user than that of the process, of its group.
    expect(sidecar).toContain('runAsUser: 65531');
  });

  test('the chart has the version of the service', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'packages/service/package.json'), 'utf8'));
    const { appVersion } = parse(read(`${chart}/Chart.yaml`)) as { appVersion: string };
    const { image } = values as unknown as { image: { tag: string } };
    expect([appVersion, image.tag]).toEqual([version, version]);
  });

  test('probes paths that are served, on ports that the image listens on', () => {
    const { paths } = JSON.parse(readFileSync(join(root, 'openapi/partner.json'), 'utf8'));
    const text = templates.join('\n');
    const probed = [...text.matchAll(/\{ path: (\S+), port: (\w+) \}/g)].map(([, path, port]) => [
      port,
      path,
    ]);
    expect(probed).toEqual([
      ['partner', '/health'],
      ['metrics', '/metrics'],
    ]);
    expect(Object.keys(paths)).toContain('/health');
    const ports = [...text.matchAll(/containerPort: (\d+)/g)].map(([, port]) => port);
    const [, exposed = ''] = /^EXPOSE (.+)$/m.exec(read('Dockerfile')) ?? [];
    expect(ports.sort()).toEqual(exposed.split(' ').sort());
  });

  test('the chart has every process start without the variables of Services, which are unknown settings', () => {
    expect(faultsOf({ KARAT_PARTNER_SERVICE_HOST: '10.0.0.1' })).toHaveLength(1);
    const pods = templates.filter((text) => text.includes('containers:'));
    expect(pods.length).toBe(2);
    for (const pod of pods) expect(pod).toContain('enableServiceLinks: false');
  });
});

test('the guide names every folder and file of deploy/', () => {
  const guide = readFileSync(join(root, 'docs/operations/deploy.md'), 'utf8');
  for (const name of readdirSync(deploy)) expect(guide).toContain(`deploy/${name}`);
  expect(dirname(files.find((path) => path.endsWith('Chart.yaml')) ?? '')).toBe('helm/karat');
});
