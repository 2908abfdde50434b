import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../src/http/app.js';
import { type Harness, harness } from '../../harness.js';

const accept = { accept: 'text/html,application/xhtml+xml' };
const page =
  '<!doctype html><meta name="karat-explorer" content="__EXPLORER_URL__"><script nonce="__CSP_NONCE__"></script>';

let h: Harness;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'karat-portal-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'portal.html'), page);
  writeFileSync(join(folder, 'assets/main.js'), '1');
  h = await harness();
});
afterAll(async () => {
  await h.close();
  rmSync(folder, { recursive: true });
});

test('the portal has its page at every path below /portal, with another nonce in each response', async () => {
  const app = await buildApp(h.ctx, { portal: folder, site: () => undefined });
  const paths = ['/portal', '/portal/', '/portal/trades/trd_1?status=failed', '/portal/invitation'];
  const pages = await Promise.all(paths.map((url) => app.inject({ url, headers: accept })));
  const nonces = pages.map(({ statusCode, headers, body }) => {
    const policy = String(headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    expect([statusCode, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(policy).not.toContain('unsafe');
    expect(body).toContain(`nonce="${nonce}"`);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    return nonce;
  });
  expect(new Set(nonces).size).toBe(paths.length);
  const file = await app.inject({ url: '/portal/assets/main.js' });
  expect(file.headers).toMatchObject({
    'cache-control': expect.stringContaining('immutable'),
    'content-type': expect.stringContaining('javascript'),
  });
  await app.close();
});

test('missing files, programs and other paths of the port get no page of the portal', async () => {
  const app = await buildApp(h.ctx, { portal: folder });
  for (const url of ['/portal/assets/gone.js', '/v1/nothing', '/portals']) {
    expect((await app.inject({ url, headers: accept })).json().error, url).toBe('not_found');
  }
  expect((await app.inject({ url: '/portal/trades' })).json().error).toBe('not_found');
  await app.close();
});

test('the port of partners reports how to build the portal where it is not built', async () => {
  const { body, statusCode } = await h.app.inject({ url: '/portal', headers: accept });
  expect([statusCode, body]).toEqual([200, expect.stringContaining('npm run build:console')]);
  expect(body).toContain('href="/docs"');
});
