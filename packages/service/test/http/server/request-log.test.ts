import { expect, test } from 'vitest';
import type { Uuid } from '../../../src/domain/ids.js';
import { ServerLog } from '../../../src/http/server/request-log.js';
import { createLogger } from '../../../src/log.js';

function requestLog(level = 'info'): { lines: string[]; log: ServerLog } {
  const lines: string[] = [];
  const log = createLogger(level, { write: (line: string) => void lines.push(line) });
  return { lines, log: new ServerLog(log).child({ request_id: 'a "b" \\ c' }) };
}

const facts = { method: 'GET', route: '/v1/buy', status: 200, ms: 1, remote_address: '::1' };

test('the line of a response has the request, its caller and the facts, in this order', () => {
  const { lines, log } = requestLog();
  const before = Date.now();
  log.note({ partner_id: null, key_id: 'k' as Uuid });
  log.response(facts);
  const { time } = JSON.parse(lines[0] ?? '');
  expect(lines).toEqual([
    `{"level":"info","time":"${time}","request_id":"a \\"b\\" \\\\ c","partner_id":null,"key_id":"k","method":"GET"` +
      `,"route":"/v1/buy","status":200,"ms":1,"remote_address":"::1","msg":"answered"}\n`,
  ]);
  expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
});

test('the line of a response to an unknown caller leaves out what is not known', () => {
  const { lines, log } = requestLog();
  log.response({ ...facts, route: null, remote_address: undefined });
  const { level, time, ...known } = JSON.parse(lines[0] ?? '');
  expect(known).toEqual({
    request_id: 'a "b" \\ c',
    method: 'GET',
    route: null,
    status: 200,
    ms: 1,
    msg: 'answered',
  });
});

test('the line of a response hides what looks like a secret', () => {
  const { lines, log } = requestLog();
  log.response({ ...facts, remote_address: `service_partner_${'ab'.repeat(32)}` });
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ remote_address: '[hidden]' });
});

test('the line of a response is not written above the level of the log', () => {
  const { lines, log } = requestLog('warn');
  log.response(facts);
  expect(lines).toEqual([]);
});
