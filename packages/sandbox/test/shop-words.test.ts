import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './harness.js';

/** What a customer must never read: names of an API's fields, words of programs, and instructions to programmers. */
const forbidden = /_|`|[Tt]ransaction|simulation|blockhash|API|docs\b|\b4\d\d\b|slippage/;

const { text } = await import(join(root, 'examples/shop/page/text.js'));
const { components } = JSON.parse(readFileSync(join(root, 'openapi/partner.json'), 'utf8'));

function namesIn(schema: object, key: string): string[] {
  const found = JSON.stringify(schema).matchAll(new RegExp(`"${key}":\\{[^{}]*?"enum":(\\[[^\\]]*\\])`, 'g'));
  return [...new Set([...found].flatMap(([, list = '[]']) => JSON.parse(list) as string[]))];
}

test.each(['reason', 'error'])('every %s of the API becomes words that a customer understands', (key) => {
  const names = namesIn(components, key);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const words = text.problem(key === 'reason' ? { reason: name } : { code: name });
    expect(words, name).not.toMatch(forbidden);
    expect(words, name).toMatch(/\.$/);
  }
});
