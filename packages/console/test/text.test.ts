import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseLanguage, formatsOf, languages, plainDigits } from '../src/text/language.js';

type Catalogue = { [name: string]: string | Catalogue };

const root = join(import.meta.dirname, '../../..');

/** Folders of catalogues: one file for each language, English being the reference. */
const folders = ['packages/console/src/text/counter', 'examples/shop/page/text'].filter((folder) =>
  existsSync(join(root, folder)),
);

/** The texts of a catalogue by their paths, each with the places that it fills in. */
function textsOf(catalogue: Catalogue, path: string[] = []): [path: string, places: string][] {
  return Object.entries(catalogue).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[[...path, name].join('.'), (value.match(/\{\w+\}/g) ?? []).sort().join(' ')] as [string, string]]
      : textsOf(value, [...path, name]),
  );
}

const read = (folder: string, language: string): Catalogue =>
  JSON.parse(readFileSync(join(root, folder, `${language}.json`), 'utf8'));

test.each(folders)(
  'every language in %s has every text of English with the same places, and no other',
  (folder) => {
    expect(readdirSync(join(root, folder)).sort()).toEqual(
      Object.keys(languages)
        .map((each) => `${each}.json`)
        .sort(),
    );
    const english = textsOf(read(folder, 'en')).sort();
    for (const language of Object.keys(languages)) {
      const catalogue = read(folder, language);
      expect(textsOf(catalogue).sort(), language).toEqual(english);
      expect(JSON.stringify(catalogue), language).not.toContain('""');
    }
  },
);

test('a language writes numbers and times with its own digits, and reads them as those of the API', () => {
  const at = '2026-03-01T12:05:00.000Z';
  const [ar, ur, en] = [formatsOf('ar'), formatsOf('ur'), formatsOf('en')];
  expect(ar.number(11.6638038)).toBe('١١٫٦٦٣٨٠٣٨');
  expect(ur.number(11.6638038)).toContain('۱۱');
  expect(en.time(at, 'Asia/Dubai')).toBe('1 March 2026 at 16:05 GMT+4');
  for (const one of [ar, ur]) {
    expect(plainDigits(one.time(at, 'Asia/Dubai'))).toMatch(/2026/);
    expect(plainDigits(one.number(12_345_678))).toMatch(/^12\D345\D678$/);
  }
  expect(plainDigits('٠١٢٣٤٥٦٧٨٩ ۰۱۲۳۴۵۶۷۸۹ 7')).toBe('0123456789 0123456789 7');
  expect([chooseLanguage(['fr', 'ur-PK']), chooseLanguage(['fr'])]).toEqual(['ur', 'en']);
});
