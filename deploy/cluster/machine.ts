/** The cluster that `up` has started, as the game day breaks it. */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from './until.js';

const exec = promisify(execFile);

/** The numbers of the servers of the database, and of the machines of Karat's processes. */
const servers = [1, 2, 3];
const machines = [1, 2];

export class Machine {
  readonly folder: string;
  readonly ports: Record<string, number>;
  readonly env: Record<string, string>;
  readonly passwords: Record<string, string>;

  constructor(folder: string) {
    this.folder = folder;
    this.ports = mapOf(this.#assignments(join(import.meta.dirname, 'ports')), (text) =>
      Number.parseInt(text, 10),
    );
    this.env = this.#assignments(join(folder, 'etc/commands.env'));
    this.passwords = this.#assignments(join(folder, 'etc/passwords'));
  }

  #assignments(file: string): Record<string, string> {
    const lines = readFileSync(file, 'utf8').matchAll(/^(\w+)='?([^'\n]*)'?$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  }

  port(kind: string, n = 0): number {
    const port = this.ports[kind];
    if (port === undefined) throw new Error(`no port ${kind}`);
    return port + n;
  }

  /** Runs a command to its end and returns what it printed. */
  async run(command: string, ...args: string[]): Promise<string> {
    const { stdout } = await exec(command, args, { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }

  /** Runs a command of Karat as the owner of the tables; `main` is the program, of whatever version. */
  async karat(main: string, ...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.env };
    return (await exec(process.execPath, [main, ...args], { env })).stdout;
  }

  sv(command: string, name: string): Promise<string> {
    return this.run('sv', '-w', '30', command, join(this.folder, 'service', name));
  }

  pid(name: string): number {
    return Number.parseInt(readFileSync(join(this.folder, 'service', name, 'supervise/pid'), 'utf8'), 10);
  }

  kill(name: string, signal: NodeJS.Signals = 'SIGKILL'): void {
    process.kill(this.pid(name), signal);
  }

  postmaster(n: number): number {
    return Number.parseInt(readFileSync(join(this.folder, `pg${n}/data/postmaster.pid`), 'utf8'), 10);
  }

  /** Every process on the machine of a server: Patroni, etcd, PostgreSQL with its sessions. */
  processesOf(n: number): number[] {
    const postmaster = this.postmaster(n);
    return [this.pid(`patroni${n}`), this.pid(`etcd${n}`), postmaster, ...childrenOf(postmaster)];
  }

  /** A process that runit keeps running, with those that it has started. */
  familyOf(name: string): number[] {
    const pid = this.pid(name);
    return [pid, ...childrenOf(pid)];
  }

  async #responds(port: number, path: string): Promise<boolean> {
    const signal = AbortSignal.timeout(1_000);
    return fetch(`http://127.0.0.1:${port}${path}`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Returns the number of the primary; waits until there is one. */
  primary(): Promise<number> {
    return until('a server was primary', async () => {
      for (const n of servers) if (await this.#responds(this.port('patroni', n), '/primary')) return n;
      return undefined;
    });
  }

  /** Returns the number of a synchronous standby; waits until there is one. */
  standby(): Promise<number> {
    return until('a standby was synchronous', async () => {
      for (const n of servers) if (await this.#responds(this.port('patroni', n), '/sync')) return n;
      return undefined;
    });
  }

  /** Returns the number of the HAProxy that has the address of partners. */
  haproxy(): number {
    const log = readFileSync(join(this.folder, 'log/address/current'), 'utf8');
    return Number.parseInt(/.*HAProxy (\d) has the address/s.exec(log)?.[1] ?? '1', 10);
  }

  /** Returns which of the two processes of a kind leads. */
  leader(kind: 'index' | 'keep', role: string): Promise<number> {
    return until(`a process led as ${role}`, async () => {
      for (const n of machines) {
        const url = `http://127.0.0.1:${this.port(kind, 10 * n + 2)}/metrics`;
        const text = await fetch(url).then(
          (response) => response.text(),
          () => '',
        );
        if (text.includes(`karat_leads{role="${role}"} 1`)) return n;
      }
      return undefined;
    });
  }

  /** Runs a command as the user of the servers. */
  asServer(...command: string[]): Promise<string> {
    const [first = '', ...rest] =
      process.getuid?.() === 0 ? ['chpst', '-u', 'postgres', ...command] : command;
    return this.run(first, ...rest);
  }

  /** Runs pgBackRest on the cluster's repository. */
  pgbackrest(...args: string[]): Promise<string> {
    const how = [
      `--config=${join(this.folder, 'etc/pgbackrest.conf')}`,
      '--stanza=karat',
      '--log-level-console=off',
    ];
    return this.asServer('pgbackrest', ...how, ...args);
  }

  patronictl(...args: string[]): Promise<string> {
    const configuration = join(this.folder, 'etc/patroni1.yml');
    return this.run(join(this.folder, 'patroni/bin/patronictl'), '-c', configuration, ...args);
  }

  /** Waits until everything is as `up` leaves it. */
  async whole(withinMs = 180_000): Promise<void> {
    await until(
      'the cluster was whole again',
      async () => {
        const paths: [port: number, path: string][] = [
          ...servers.map((n): [number, string] => [this.port('etcd', n), '/health']),
          ...machines.map((n): [number, string] => [this.port('serve', 10 * n), '/ready']),
          ...machines.map((n): [number, string] => [this.port('haproxy', 10 * n), '/ready']),
          [this.port('partners'), '/ready'],
          [this.port('operators'), '/health'],
        ];
        const responses = await Promise.all(paths.map(([port, path]) => this.#responds(port, path)));
        if (!responses.every(Boolean)) return false;
        const standbys = await this.sql<{ how: string }>(
          `select sync_state as how from pg_stat_replication where state = 'streaming' and application_name like 'pg_' order by 1`,
        );
        return standbys.map(({ how }) => how).join() === 'sync,sync';
      },
      withinMs,
    );
  }

  /** Returns how many servers are up and no standby. */
  async primaries(): Promise<number> {
    const text = 'select not pg_is_in_recovery() as up';
    const writable = await Promise.all(
      servers.map((n) =>
        this.sql<{ up: boolean }>(text, this.port('postgres', n)).then(
          ([row]) => row?.up === true,
          () => false,
        ),
      ),
    );
    return writable.filter(Boolean).length;
  }

  /** Returns which roles get in with a password, by each path to a database: sockets, servers, HAProxy and PgBouncer. */
  async opensTo(password: string): Promise<string[]> {
    const host = '127.0.0.1';
    const paths = [
      { host, port: this.port('direct') },
      ...servers.flatMap((n) => [
        { host, port: this.port('postgres', n) },
        { host: join(this.folder, 'run'), port: this.port('postgres', n) },
      ]),
      ...machines.flatMap((n) => [
        { host, port: this.port('haproxy', 10 * n + 2) },
        { host, port: this.port('haproxy', 10 * n + 3) },
        { host, port: this.port('pgbouncer', n) },
      ]),
    ];
    const opened: string[] = [];
    for (const { host, port } of paths) {
      for (const user of ['postgres', 'replicator', 'karat_owner', 'karat']) {
        for (const database of ['postgres', 'karat']) {
          const client = new pg.Client({
            host,
            port,
            user,
            password,
            database,
            connectionTimeoutMillis: 5_000,
          });
          client.on('error', () => {});
          const isIn = await client.connect().then(
            () => true,
            () => false,
          );
          if (isIn) opened.push(`${database} to ${user} at ${host}:${port}`);
          await client.end().catch(() => {});
        }
      }
    }
    return opened;
  }

  /** Runs SQL as the administrator, at the primary or at `port`. */
  async sql<Row extends pg.QueryResultRow>(text: string, port = this.port('direct')): Promise<Row[]> {
    const { superuser_password: password } = this.passwords;
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      password,
      database: 'karat',
      connectionTimeoutMillis: 10_000,
      query_timeout: 600_000,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Has a provider's node misbehave. */
  async mode(n: number, mode: 'truth' | 'lag' | 'lie'): Promise<void> {
    await fetch(`http://127.0.0.1:${this.port('provider', n)}/mode`, { method: 'PUT', body: mode });
  }
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => (line.trim() ? [Number.parseInt(line, 10)] : []));
}

function mapOf<From, To>(values: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
