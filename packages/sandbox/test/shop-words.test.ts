import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainDigits } from '../../console/src/text/language.js';
import { root } from './harness.js';

/** What a customer must never read: names of an API's fields, words of programs, and instructions to programmers. */
const forbidden = /_|`|[Tt]ransaction|simulation|blockhash|API|docs\b|\b4\d\d\b|slippage/;

const { makeText } = await import(join(root, 'examples/shop/page/text.js'));
const languages = ['en', 'ar', 'ur'];
const speak = (language: string) =>
  makeText(
    language,
    JSON.parse(readFileSync(join(root, `examples/shop/page/text/${language}.json`), 'utf8')),
  );
const { components } = JSON.parse(readFileSync(join(root, 'openapi/partner.json'), 'utf8'));

function namesIn(schema: object, key: string): string[] {
  const found = JSON.stringify(schema).matchAll(new RegExp(`"${key}":\\{[^{}]*?"enum":(\\[[^\\]]*\\])`, 'g'));
  return [...new Set([...found].flatMap(([, list = '[]']) => JSON.parse(list) as string[]))];
}

const sides = ['reason', 'error'].flatMap((key) => languages.map((language) => [key, language] as const));
test.each(sides)('every %s of the API becomes words that a customer understands (%s)', (key, language) => {
  const { text } = speak(language);
  const names = namesIn(components, key);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    const words = text.problem(key === 'reason' ? { reason: name } : { code: name });
    expect(words, name).not.toMatch(forbidden);
    expect(words, name).toMatch(/[.۔]$/);
  }
});

/** What is shown without the marks that keep numbers and words of other scripts in their direction. */
const bare = (shown: string) => shown.replace(/[\u061c\u200e\u200f\u2066-\u2069]/g, '');

test('each language of the shop has its own digits and units, and reads its own digits', () => {
  const shown = languages.map((language) => {
    const { format, text } = speak(language);
    const { dollars, weights, gold, country } = format;
    const short = text.problem({ code: 'insufficient_gold', have: 1.5, need: 2 }, 'redeem');
    return [dollars(4_100.5), weights(1), gold(0.05), country('PK'), text.holds(42), short].map(bare);
  });
  expect(shown).toEqual([
    [
      '$4,100.50',
      '31.1 g · 2.67 tola',
      '0.05 oz',
      'Pakistan',
      'This price holds for 42 s, then you see a new one.',
      'This bar takes 2 oz, and you have 1.5 oz. Choose a smaller one, or buy gold first.',
    ],
    [
      '٤٬١٠٠٫٥٠ دولار',
      '٣١٫١ غرام · ٢٫٦٧ تولة',
      '٠٫٠٥ أونصة',
      'باكستان',
      'هذا السعر ثابت لمدة ٤٢ ثانية، ثم يظهر سعر جديد.',
      'تحتاج هذه السبيكة إلى ٢ أونصة ولديك ١٫٥ أونصة. اختر سبيكة أصغر، أو اشترِ ذهباً أولاً.',
    ],
    [
      '۴٬۱۰۰٫۵۰ ڈالر',
      '۳۱٫۱ گرام · ۲٫۶۷ تولہ',
      '۰٫۰۵ اونس',
      'پاکستان',
      'یہ قیمت ۴۲ سیکنڈ تک قائم ہے، پھر نئی قیمت آئے گی۔',
      'اس بار کے لیے ۲ اونس چاہیے، اور آپ کے پاس ۱٫۵ اونس ہے۔ چھوٹی بار چنیں، یا پہلے سونا خریدیں۔',
    ],
  ]);
  const typed = ['0.05', '٠٫٠٥', '۰٫۰۵', '۰.۰۵'];
  for (const language of languages) {
    const { format, chartFormat } = speak(language);
    expect(typed.map(format.read)).toEqual([0.05, 0.05, 0.05, 0.05]);
    // Versions of Node and browsers differ in order and spaces, not in digits.
    expect(plainDigits(format.date('2026-03-01T12:05:00Z'))).toMatch(/2026\D+\d\d:05/);
    expect(plainDigits(bare(chartFormat.percent(-0.0007)))).toMatch(/[-−]0\D07/);
  }
});
