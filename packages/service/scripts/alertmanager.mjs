// Has a real Alertmanager route what a fault raises by docs/operations/alertmanager.yml, to a receiver of this script: one
// message for people, without what follows from the cause, with the section of the guide; and the dead man's switch.
// Debian: apt-get install prometheus-alertmanager
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';

const operations = join(import.meta.dirname, '../../../docs/operations');
const read = (name) => readFileSync(join(operations, name), 'utf8');
const rules = parse(read('alerts.yml')).groups.flatMap((group) => group.rules);

/** What a database that is gone raises within minutes, with the part that each is of. */
const fault = [
  ['KaratDatabaseDown', { job: 'karat', instance: 'serve1' }],
  ['KaratDatabaseDown', { job: 'karat', instance: 'serve2' }],
  ['KaratDatabasePoolExhausted', { job: 'karat', instance: 'serve1' }],
  ['KaratPartDown', { job: 'patroni', instance: 'patroni1' }],
  ['KaratServersRefused', { job: 'haproxy', proxy: 'primary' }],
  ['KaratStandbyMissing', {}],
  ['KaratUnavailable', {}],
  ['KaratQuotesSlow', {}],
  ['KaratIndexerStopped', {}],
  ['KaratIndexerLags', {}],
  ['KaratKeeperStopped', {}],
  ['KaratKeeperStale', {}],
  ['KaratReconciliationStopped', {}],
  ['KaratWebhooksLag', {}],
  ['KaratBackingUnknown', {}],
  ['KaratBudgetBurnsFast', { slo: 'quotes-answered' }],
];
/** Those that people read of it. */
const causes = ['KaratDatabaseDown', 'KaratPartDown', 'KaratServersRefused', 'KaratStandbyMissing'];

function alertOf([alertname, labels]) {
  const rule = rules.find(({ alert }) => alert === alertname);
  if (!rule) throw new Error(`there is no alert ${alertname}`);
  return { labels: { alertname, ...rule.labels, ...labels }, annotations: rule.annotations };
}

const folder = mkdtempSync(join(tmpdir(), 'karat-alertmanager-'));
const received = [];
const receiver = createServer(async (request, response) => {
  const chunks = await request.toArray();
  received.push({ path: request.url, message: JSON.parse(Buffer.concat(chunks).toString()) });
  response.end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const config = join(folder, 'alertmanager.yml');
writeFileSync(
  config,
  read('alertmanager.yml')
    .replaceAll('http://alert-receiver/', `http://127.0.0.1:${receiver.address().port}/`)
    .replace('group_wait: 30s', 'group_wait: 2s'),
);
if (spawnSync('amtool', ['check-config', config], { stdio: 'inherit' }).status !== 0) process.exit(1);
const port = receiver.address().port + 1;
const alertmanager = spawn(
  'prometheus-alertmanager',
  [
    ...['--config.file', config, '--storage.path', join(folder, 'data'), '--cluster.listen-address='],
    ...['--web.listen-address', `127.0.0.1:${port}`, '--log.level', 'warn'],
  ],
  { stdio: 'inherit' },
);
try {
  const url = `http://127.0.0.1:${port}/api/v2/alerts`;
  const post = (alerts) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(alerts),
    });
  for (let tries = 0; !(await fetch(url).catch(() => undefined))?.ok; tries += 1) {
    if (tries > 100) throw new Error('Alertmanager does not start');
    await pause(100);
  }
  await post([alertOf(['KaratWatching', {}]), ...fault.map(alertOf)]);
  for (let tries = 0; received.length < 2 && tries < 100; tries += 1) await pause(100);
  // Whatever else would come of the same fault.
  await pause(3_000);
  check();
  console.log(`${fault.length} alerts of one fault reached people as 1 message with ${causes.length} causes`);
} finally {
  const ended = once(alertmanager, 'exit');
  alertmanager.kill();
  await ended;
  receiver.close();
  receiver.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}

function check() {
  const people = received.filter(({ path }) => path === '/');
  const [{ message } = {}] = people;
  const named = [...new Set(message?.alerts.map(({ labels }) => labels.alertname))].sort();
  const faults = [
    people.length !== 1 && `people received ${people.length} messages`,
    String(named) !== String([...causes].sort()) && `the message names ${named.join(', ')}`,
    message?.alerts.some(({ annotations }) => !annotations.runbook_url) && 'an alert has no runbook_url',
    !received.some(({ path }) => path === '/watching') && "the dead man's switch received nothing",
  ].filter(Boolean);
  if (faults.length > 0) throw new Error(faults.join('; '));
}
