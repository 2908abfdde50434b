import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/client.js';
import { toInteger } from '../../src/domain/integer.js';
import { makeCertificate } from '../certificate.js';
import { type EmbeddedServer, startEmbeddedPostgres } from '../embedded-postgres.js';

const folder = mkdtempSync(join(tmpdir(), 'karat-tls-'));
const path = (name: string) => join(folder, name);
let server: EmbeddedServer;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  const { certificate, key } = makeCertificate('localhost');
  writeFileSync(path('server.pem'), certificate);
  writeFileSync(path('other.pem'), makeCertificate('localhost').certificate);
  writeFileSync(path('server.key'), key, { mode: 0o600 });
  if (process.getuid?.() === 0) {
    // The user as whom PostgreSQL runs, who takes only a key of its own.
    const start = await startEmbeddedPostgres({ database: 'made' });
    await start.remove();
    chownSync(
      path('server.key'),
      toInteger(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).trim()),
      0,
    );
  }
  server = await startEmbeddedPostgres({
    database: 'karat',
    settings: ['ssl=on', `ssl_cert_file=${path('server.pem')}`, `ssl_key_file=${path('server.key')}`],
  });
}, 120_000);
afterAll(async () => {
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function isEncrypted(host: string, query: string): Promise<unknown> {
  const url = `${server.url.replace('127.0.0.1', host)}/karat?${query}`;
  const { pool, close } = openDatabase(url, { poolSize: 1 });
  try {
    const ofSession = { text: 'select ssl from pg_stat_ssl where pid = pg_backend_pid()' };
    const [row] = (await pool.query(ofSession, [])) as { ssl: boolean }[];
    return row?.ssl;
  } finally {
    await close();
  }
}

test('sslmode=verify-full encrypts, with the server that the certificate names', async () => {
  expect(await isEncrypted('localhost', `sslmode=verify-full&sslrootcert=${path('server.pem')}`)).toBe(true);
  expect(await isEncrypted('localhost', 'sslmode=disable')).toBe(false);
});

test.each<[string, string, () => string, RegExp]>([
  ['a server that nothing vouches for', 'localhost', () => '', /self-signed certificate/],
  ['another server', 'localhost', () => `&sslrootcert=${path('other.pem')}`, /self-signed|signature/],
  ['another name', '127.0.0.1', () => `&sslrootcert=${path('server.pem')}`, /does not match certificate/],
])('sslmode=verify-full refuses %s', async (_what, host, root, message) => {
  await expect(isEncrypted(host, `sslmode=verify-full${root()}`)).rejects.toThrow(message);
});
