import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { optionVariables, readOptions } from '../../sandbox/src/options.js';
import { readConfig as readSignerConfig } from '../../signer/src/config.js';
import { commands } from '../src/cli/catalogue.js';
import { parseCommands } from '../src/commands.js';
import { checkConfig, ownerUrlVariable, refusedBy, settingNames } from '../src/config.js';

/** What the files in deploy/ name must exist: settings, processes, files, ports. */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const deploy = join(root, 'deploy');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');
const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((path) =>
  ['Dockerfile', '.yaml', '.tpl', '.service', '.conf', '.target', '.json'].some((end) => path.endsWith(end)),
);
const kinds = ['serve-partners', 'serve-operators', 'index', 'keep', 'deliver'] as const;
type Kind = (typeof kinds)[number];

/** The settings of keys that sign, and those that are kept by people alone. */
const signing = (names: string[]) => names.filter((name) => name.endsWith('_SIGNER')).sort();
const heldByPeople = /KARAT_(GUARDIAN|ADMIN)_SIGNER|(guardian|admin)\.json/;
/** The karat-signer of each process that has keys, and the keys that it holds for it. */
const signers = [
  ['serve-partners', 'partners', ['KARAT_SERVICE_SIGNER']],
  ['serve-operators', 'operators', ['KARAT_MARKET_SIGNER', 'KARAT_OPERATIONS_SIGNER']],
  ['keep', 'keeper', ['KARAT_MARKET_SIGNER', 'KARAT_RESERVES_SIGNER']],
] as const;
/** What of the secrets that processes share each of them is given. */
const secretsOf: Record<Kind, string[]> = {
  'serve-partners': ['KARAT_KYC_KEY', 'KARAT_PICKUP_SECRET', 'KARAT_TOTP_SECRET'],
  'serve-operators': ['KARAT_KYC_KEY', 'KARAT_PICKUP_SECRET', 'KARAT_TOTP_SECRET'],
  index: [],
  keep: [],
  deliver: ['KARAT_KYC_KEY'],
};
const isShared = (name: string) => /^KARAT_(KYC_KEY|PICKUP_SECRET|TOTP_SECRET)$/.test(name);
/** Returns what a process would refuse that is started with these settings. */
const refusedOf = (kind: Kind, names: string[]) =>
  refusedBy(
    new Set([kind]),
    checkConfig(Object.fromEntries(names.map((name) => [name, 'x'.repeat(32)]))).values,
  );
const signerFaultOf = (env: Record<string, string>) => {
  const named = { KARAT_PROGRAM_ID: '11111111111111111111111111111111', ...env };
  return () => readSignerConfig(named);
};

test('the keys of guardian and admin are in no deployment', () => {
  for (const path of files) expect(read(path), path).not.toMatch(heldByPeople);
});

test('no deployment sets NODE_ENV, with which the library of Solana logs numbers in place of reasons', () => {
  for (const path of [...files, 'cluster/up', 'sandbox.Dockerfile'])
    expect(read(path), path).not.toContain('NODE_ENV');
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
  const options = commands
    .filter(({ name }) => (kinds as readonly string[]).includes(name))
    .flatMap(({ options }) => options);
  return [...settingNames, ...options.map(({ variable }) => variable), ...optionVariables, ownerUrlVariable];
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
    expect(faultsOf(env)).toEqual([]);
    const { values } = checkConfig(env);
    const ports = [values.port, values.operatorPort, values.metricsPort];
    expect(argumentsOf('EXPOSE')).toEqual([ports.join(' ')]);
    expect(argumentsOf('HEALTHCHECK').join()).toContain(`http://127.0.0.1:${values.metricsPort}/metrics`);
  });

  test('the image starts karat and karat-signer as their first lines do, as a numeric user', () => {
    const entries = argumentsOf('ENTRYPOINT').map((line) => JSON.parse(line) as string[]);
    expect(entries.map((entry) => entry.at(-1)?.split('/').at(-1))).toEqual([
      'karat-signer.mjs',
      'karat.mjs',
    ]);
    for (const entry of entries) {
      const path = entry.at(-1)?.replace('/karat/', '') ?? '';
      const [first = ''] = readFileSync(join(root, path), 'utf8').split('\n');
      expect(first).toBe(`#!/usr/bin/env ${entry.slice(0, -1).join(' ')}`);
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
      .filter((source) => source !== '.' && !/\/dist(-\w+)?$/.test(source));
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

  /** The unit of a kind; of the one that may be started several times, the first one. */
  const unitOf = (kind: Kind, instance = '1') =>
    kind === 'serve-partners' ? unit(`karat-${kind}@.service`, instance) : unit(`karat-${kind}.service`);
  const loadedBy = (settings: Map<string, string[]>) =>
    (settings.get('LoadCredential') ?? []).map((line) => `%d/${line.split(':')[0]}`).sort();

  test('the target starts every kind of process, and its signer', () => {
    const units = [
      ...signers.map(([, audience]) => `karat-sign-${audience}`),
      ...kinds.map((kind) => (kind === 'serve-partners' ? `karat-${kind}@1` : `karat-${kind}`)),
    ];
    const wanted =
      unit('karat.target')
        .get('Wants')
        ?.flatMap((line) => line.split(' ')) ?? [];
    expect(wanted.sort()).toEqual(units.map((name) => `${name}.service`).sort());
  });

  test.each(kinds)(
    'karat-%s starts that process, with the keys that it loads and the secrets of its kind',
    (kind) => {
      const settings = unitOf(kind);
      expect(settings.get('ExecStart')).toEqual([`/opt/karat/packages/service/bin/karat.mjs ${kind}`]);
      const env = environmentOf(settings);
      expect(faultsOf(env)).toEqual([]);
      const named = Object.entries(env).filter(
        ([name, place]) => /_(SIGNER|KYC_KEY)$/.test(name) && !place.startsWith('socket:'),
      );
      expect(named.map(([, path]) => path).sort()).toEqual(loadedBy(settings));
      expect(named.every(([name]) => name === 'KARAT_KYC_KEY')).toBe(true);
      const surface = kind.startsWith('serve-') ? [`/etc/karat/${kind.slice('serve-'.length)}.env`] : [];
      expect(settings.get('EnvironmentFile')).toEqual(['/etc/karat/karat.env', ...surface]);
      const fromFile = surface.length > 0 ? ['KARAT_PICKUP_SECRET', 'KARAT_TOTP_SECRET'] : [];
      const given = [...Object.keys(env), ...fromFile];
      expect(given.filter(isShared).sort()).toEqual(secretsOf[kind]);
      expect(refusedOf(kind, given)).toEqual([]);
    },
  );

  test.each(signers)(
    'karat-%s has the socket of karat-sign-%s and no key, and no other process has it',
    (kind, audience, keys) => {
      const name = `karat-sign-${audience}`;
      const socket = `/run/${name}/sign.sock`;
      const signer = unit(`${name}.service`);
      expect(signer.get('ExecStart')).toEqual([
        `/opt/karat/packages/signer/bin/karat-signer.mjs --socket ${socket}`,
      ]);
      expect(signing(Object.keys(environmentOf(signer)))).toEqual(keys);
      expect(signerFaultOf(environmentOf(signer))).not.toThrow();
      expect(Object.values(environmentOf(signer)).sort()).toEqual(loadedBy(signer));
      const serve = unitOf(kind);
      const sockets = Object.entries(environmentOf(serve)).filter(
        ([, place]) => place === `socket:${socket}`,
      );
      expect(sockets.map(([each]) => each).sort()).toEqual(keys);
      expect(signing(Object.keys(environmentOf(serve)))).toEqual(keys);
      // Another user, of whose group the socket is; nothing but the socket leads to it.
      expect(signer.get('User')).toEqual([name]);
      expect(signer.get('RuntimeDirectory')).toEqual([name]);
      const grouped = kinds.filter((each) => unitOf(each).get('SupplementaryGroups')?.includes(name));
      expect(grouped).toEqual([kind]);
      expect(serve.get('Wants')).toEqual([`${name}.service`]);
      expect(serve.get('After')).toEqual([`${name}.service`]);
    },
  );

  test('signers have settings of their own, which refuse those of the service, and no network', () => {
    const common = Object.fromEntries(unit('karat-sign-.service.d/sign.conf'));
    expect(common).toMatchObject({
      EnvironmentFile: ['/etc/karat/signer.env'],
      RuntimeDirectoryMode: ['0750'],
      PrivateNetwork: ['yes'],
      IPAddressDeny: ['any'],
      // The empty one takes back those of all processes.
      RestrictAddressFamilies: ['', 'AF_UNIX'],
    });
    expect(unit('karat-.service.d/process.conf').get('EnvironmentFile')).toBeUndefined();
    // systemd reads drop-ins by their names, in whichever folder they are: the one of signers comes last.
    expect('sign.conf' > 'process.conf').toBe(true);
  });

  test('no two units share a port, and all are in the sandbox of the drop-in', () => {
    const portsOf = (kind: Kind, instance?: string) =>
      Object.entries(environmentOf(unitOf(kind, instance))).flatMap(([name, value]) =>
        name.endsWith('_PORT') ? [value] : [],
      );
    const ports = [
      ...kinds.flatMap((kind) => portsOf(kind)),
      ...portsOf('serve-partners', '2'),
      ...portsOf('serve-partners', '9'),
    ];
    // Each kind has metrics, and both surfaces a port of their own.
    expect(ports).toHaveLength(kinds.length + 2 + 2 * 2);
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
    group_add?: string[];
    networks?: string[];
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

  const environmentOf = (name: string) => compose.services[name]?.environment ?? {};

  test.each(kinds)('compose.yaml gives %s the secrets of its kind', (kind) => {
    const names = Object.keys(environmentOf(kind));
    expect(names.filter(isShared).sort()).toEqual(secretsOf[kind]);
    expect(refusedOf(kind, names)).toEqual([]);
  });

  test('compose.yaml derives the apps of members from another secret than those of operators', () => {
    const [ofPartners, ofOperators] = ['serve-partners', 'serve-operators'].map(
      (name) => environmentOf(name).KARAT_TOTP_SECRET,
    );
    expect(ofPartners).not.toBe(ofOperators);
  });

  test.each(signers)(
    '%s has the socket of sign-%s and no key that signs, by a group of its own',
    (kind, audience, keys) => {
      const [signer, process] = [compose.services[`sign-${audience}`], compose.services[kind]];
      const keysOf = (part: Part | undefined) =>
        Object.fromEntries(
          Object.entries(part?.environment ?? {}).filter(([name]) => name.endsWith('_SIGNER')),
        ) as Record<string, string>;
      expect(signer?.image).toBe('karat-signer');
      expect(signing(Object.keys(keysOf(signer)))).toEqual(keys);
      expect(signerFaultOf(keysOf(signer))).not.toThrow();
      expect(Object.values(keysOf(signer)).sort()).toEqual(
        (signer?.secrets ?? []).map((name) => `/run/secrets/${name}`).sort(),
      );
      const [path = ''] = signer?.command?.slice(1) ?? [];
      expect(signer?.command).toEqual(['--socket', path]);
      expect(Object.keys(keysOf(process)).sort()).toEqual(keys);
      expect(new Set(Object.values(keysOf(process)))).toEqual(new Set([`socket:${path}`]));
      // Another user than that of the image, and the group of the caller, which is in no other one; no network leads to it.
      const [user, group = ''] = signer?.user?.split(':') ?? [];
      expect([user, signer?.network_mode, signer?.group_add]).toEqual(['65531', 'none', ['65532']]);
      const inGroup = own.filter(([, { group_add }]) => group_add?.includes(group)).map(([name]) => name);
      expect(inGroup).toEqual([kind]);
      for (const part of [process, signer])
        expect(part?.volumes).toEqual([`sign-${audience}:${dirname(path)}`]);
      expect(compose.volumes[`sign-${audience}`]).toMatchObject({
        driver_opts: { o: `uid=65531,gid=${group},mode=0750` },
      });
      expect(Object.keys(process?.depends_on ?? {})).toContain(`sign-${audience}`);
    },
  );

  test('compose.yaml has partners served in a network without any process of operators', () => {
    const inNetwork = Object.entries(compose.services).filter(([, part]) =>
      part.networks?.includes('partners'),
    );
    expect(compose.services['serve-partners']?.networks).toEqual(['partners']);
    expect(inNetwork.map(([name]) => name).sort()).toEqual([
      'jaeger',
      'pgbouncer',
      'postgres',
      'prometheus',
      'serve-partners',
    ]);
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
  interface Signer {
    keys: Record<string, string>;
  }
  interface Process {
    replicas: number;
    keys: Record<string, string>;
    secretSettings: Record<string, { secret: string; key: string }>;
    signer?: Signer;
  }
  type Values = Record<string, unknown> & {
    settings: Record<string, string>;
    secretSettings: Process['secretSettings'];
    processes: Record<Kind, Process>;
  };
  const values = parse(read(`${chart}/values.yaml`)) as Values;
  const everything = parse(read(`${chart}/ci/everything-values.yaml`)) as Record<string, unknown>;
  const schema = JSON.parse(read(`${chart}/values.schema.json`));
  const takes = new Ajv({ strict: false }).compile(schema);
  const templates = readdirSync(join(deploy, chart, 'templates')).map((name) =>
    read(`${chart}/templates/${name}`),
  );
  const program = { settings: { KARAT_PROGRAM_ID: '11111111111111111111111111111111' } };

  /** Values as helm merges them: objects by their fields, all else as a whole. */
  function merged(base: unknown, over: unknown): unknown {
    const isObject = (value: unknown): value is Record<string, unknown> =>
      typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject(base) || !isObject(over)) return over === undefined ? base : over;
    const names = [...new Set([...Object.keys(base), ...Object.keys(over)])];
    return Object.fromEntries(names.map((name) => [name, merged(base[name], over[name])]));
  }

  test('the schema takes the values of the chart, and those that use all of it', () => {
    for (const each of [program, everything]) {
      expect(takes(merged(values, each)), JSON.stringify(takes.errors)).toBe(true);
    }
    // The latter differ from the former in everything that may be left empty.
    const empty = [
      'imagePullSecrets',
      'databaseCa',
      'sanctionsList',
      'pods',
      'ingress',
      'monitoring',
      'services',
    ];
    expect(Object.keys(everything)).toEqual(expect.arrayContaining(empty));
  });

  test.each<[string, unknown]>([
    ['a setting', { settings: { KARAT_PROT: '1' } }],
    ['a setting that the chart sets', { settings: { KARAT_PORT: '1' } }],
    ['a key that is none of its own', { settings: { KARAT_SERVICE_SIGNER: 'service.json' } }],
    ['a secret by its value', { settings: { DATABASE_URL: 'postgres://karat:secret@database/karat' } }],
    ['a reference', { secretSettings: { KARAT_WS_URLS: { secret: 'karat', key: 'x' } } }],
    ['a field of a reference', { secretSettings: { KARAT_WS_URL: { secret: 'karat', name: 'x' } } }],
    ['a kind of process', { processes: { serve: { replicas: 2 } } }],
    ['a signer where nothing signs', { processes: { index: values.processes.keep } }],
    [
      'a key for another caller',
      { processes: { 'serve-partners': { signer: { keys: { KARAT_MARKET_SIGNER: 'm' } } } } },
    ],
    ['a limit', { signer: { settings: { KARAT_SIGN_MAX_USCD: '1' } } }],
    ['a selector', { pods: { nodeSelectors: {} } }],
    ['an HSM', { processes: { keep: { signer: { hsm: { module: '/x' } } } } }],
    ['an Ingress', { ingress: { partner: {} } }],
    ['a monitor', { monitoring: { serviceMonitor: { enable: true } } }],
    ['a field of all', { imagePullSecret: [] }],
  ])('the schema refuses %s that is misspelt or out of place', (_, wrong) => {
    expect(takes(merged(merged(values, program), wrong))).toBe(false);
  });

  test('the schema knows the settings of the service, and karat-signer takes those of its signers', () => {
    const ofSchema: string[] = schema.definitions.secretSettings.propertyNames.anyOf[0].enum;
    const fixed = /^KARAT_((OPERATOR_|METRICS_)?(HOST|PORT)|\w+_SIGNER|(OTHER_)?KYC_KEY)$|^OTEL_/;
    expect([...ofSchema].sort()).toEqual(settingNames.filter((name) => !fixed.test(name)).sort());
    const plain: string[] = schema.definitions.settings.propertyNames.anyOf[0].enum;
    const secret = ofSchema.filter((name) => !plain.includes(name));
    expect(secret.sort()).toEqual([
      'DATABASE_URL',
      'KARAT_DATABASE_DIRECT_URL',
      'KARAT_DATABASE_REPLICA_URL',
      'KARAT_OIDC_CLIENT_SECRET',
      'KARAT_PICKUP_SECRET',
      'KARAT_TOTP_SECRET',
    ]);
    const limits: string[] = schema.properties.signer.properties.settings.propertyNames.anyOf[0].enum;
    expect(signerFaultOf(Object.fromEntries(limits.map((name) => [name, ''])))).not.toThrow();
  });

  /** Returns the paths of a value's leaves; what is ranged over, or handed on as a whole, is one. */
  function leavesOf(value: unknown, path: string): string[] {
    const isWhole =
      /^\.(processes|settings|secretSettings|ingress)$|\.(settings|resources|annotations|labels)$/;
    const isLeaf = typeof value !== 'object' || value === null || Array.isArray(value);
    if (isLeaf || isWhole.test(path)) return [path];
    const leaves = Object.entries(value).flatMap(([key, each]) => leavesOf(each, `${path}.${key}`));
    return leaves.length === 0 ? [path] : leaves;
  }

  test('every value is used, and every value that is used has a default', () => {
    const used = templates.flatMap((text) =>
      [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) =>
        path.replace(/^(\.processes|\.settings|\.secretSettings|\.ingress).*/, '$1'),
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

  test.each(kinds)('the chart gives %s the secrets of its kind', (kind) => {
    const { keys, secretSettings, signer } = values.processes[kind];
    const names = [keys, secretSettings, signer?.keys ?? {}].flatMap((each) => Object.keys(each));
    expect(names.filter(isShared).sort()).toEqual(secretsOf[kind]);
    expect(refusedOf(kind, names)).toEqual([]);
  });

  test('the chart derives the apps of members from another secret than those of operators', () => {
    const [ofPartners, ofOperators] = (['serve-partners', 'serve-operators'] as const).map(
      (kind) => values.processes[kind].secretSettings.KARAT_TOTP_SECRET?.secret,
    );
    expect(ofPartners).not.toBe(ofOperators);
  });

  test('a karat-signer beside each process that has keys holds them, and the process has its socket', () => {
    const signed = kinds.filter((kind) => values.processes[kind].signer);
    expect(signed.sort()).toEqual(signers.map(([kind]) => kind).sort());
    for (const [kind, , keys] of signers) {
      const held = values.processes[kind].signer?.keys ?? {};
      expect(signing(Object.keys(held))).toEqual(keys);
      expect(signerFaultOf(held)).not.toThrow();
    }
    const helpers = read(`${chart}/templates/_helpers.tpl`);
    const [, sidecar = ''] = /define "karat.signer" -\}\}(.*?)\{\{- end \}\}\n\n/s.exec(helpers) ?? [];
    // Kubernetes starts it before the process and keeps it: an init container that restarts.
    expect(sidecar).toContain('restartPolicy: Always');
    expect(sidecar).toContain('args: [--socket, /signer/sign.sock]');
    expect(sidecar).toContain('- { name: signing-keys, mountPath: /keys, readOnly: true }');
    // Another user than that of the process, of its group.
    expect(sidecar).toContain('runAsUser: 65531');
    const text = read(`${chart}/templates/processes.yaml`);
    expect(text).toContain('value: socket:/signer/sign.sock');
    expect(text).not.toMatch(/signing-keys|name: (hsm|pin),/);
  });

  test('the rules of the chart are those of the documentation', () => {
    expect(read(`${chart}/files/alerts.yml`)).toBe(
      readFileSync(join(root, 'docs/operations/alerts.yml'), 'utf8'),
    );
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
    const [, probes = ''] = /\$probe := (.+)\}\}/.exec(text) ?? [];
    const probed = [...probes.matchAll(/path: (\S+), port: (\S+) \}/g)].map(([, path, port]) => [path, port]);
    // Of the surface that is served: its port is named so.
    expect(probed).toEqual([
      ['/health', '%s'],
      ['/metrics', 'metrics'],
    ]);
    expect(Object.keys(paths)).toContain('/health');
    const ports = [...text.matchAll(/name: (\w+), containerPort: (\d+)/g)].map(([, name, port]) => [
      name,
      port,
    ]);
    expect(ports.map(([name]) => name)).toEqual(['metrics', 'partners', 'operators']);
    const [, exposed = ''] = /^EXPOSE (.+)$/m.exec(read('Dockerfile')) ?? [];
    expect(ports.map(([, port]) => port).sort()).toEqual(exposed.split(' ').sort());
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
