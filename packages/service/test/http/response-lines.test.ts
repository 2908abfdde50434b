import fc from 'fast-check';
import type { Logger } from 'pino';
import { expect, test } from 'vitest';
import { newUuid } from '../../src/domain/ids.js';
import { ResponseLines } from '../../src/http/server/request-log.js';
import { createLogger } from '../../src/log.js';

function logger(bindings?: Record<string, unknown>, level = 'info'): { lines: string[]; log: Logger } {
  const lines: string[] = [];
  const log = createLogger(level, { write: (line: string) => void lines.push(line) });
  return { lines, log: bindings ? log.child(bindings) : log };
}

const withoutTime = (line: string | undefined) => line?.replace(/"time":"[^"]+"/, '"time":""');

test('the line of a response is the very text that pino writes', () => {
  const anyText = fc.oneof(
    fc.string(),
    fc.constantFrom('a "b" \\ c', '\u2028', `service_partner_${'ab'.repeat(32)}`),
  );
  const caller = fc.record(
    {
      partner_id: fc.constantFrom(null, newUuid()),
      key_id: fc.constantFrom(newUuid()),
      operator_id: fc.constantFrom(newUuid()),
    },
    { requiredKeys: [] },
  );
  const facts = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    route: fc.constantFrom(null, '/v1/buy', '/v1/users/:id'),
    status: fc.constantFrom(200, 503),
    ms: fc.nat(),
    remote_address: fc.option(anyText, { nil: undefined }),
  });
  const bindings = fc.constantFrom(undefined, { worker: 3 }, { name: 'a "b"' });
  fc.assert(
    fc.property(bindings, anyText, caller, facts, (bound, id, who, what) => {
      const { lines, log } = logger(bound);
      new ResponseLines(log).write(id, who, what);
      log.info({ request_id: id, ...who, ...what }, 'answered');
      expect(lines).toHaveLength(2);
      expect(withoutTime(lines[0])).toBe(withoutTime(lines[1]));
    }),
  );
});

test('the time of a line is now, to the millisecond', () => {
  const { lines, log } = logger();
  const before = Date.now();
  new ResponseLines(log).write(
    'a',
    {},
    { method: 'GET', route: null, status: 200, ms: 1, remote_address: '::1' },
  );
  const { time } = JSON.parse(lines[0] ?? '');
  expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
  expect(time).toBe(new Date(Date.parse(time)).toISOString());
});

test('nothing is written above the level of the log', () => {
  const { lines, log } = logger(undefined, 'warn');
  new ResponseLines(log).write(
    'a',
    {},
    { method: 'GET', route: null, status: 200, ms: 1, remote_address: '::1' },
  );
  expect(lines).toEqual([]);
});
