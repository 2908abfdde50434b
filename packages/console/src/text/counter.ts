import { createContext, useContext } from 'react';
import ar from './counter/ar.json';
import en from './counter/en.json';
import ur from './counter/ur.json';
import { type Formats, fillIn, formatsOf, type Language, languages } from './language.js';

/** The texts of the counter and of receipts, which are shown to customers. English is the reference. */
export type CounterTexts = typeof en;

const catalogues: Record<Language, CounterTexts> = { en, ar, ur };

export interface Local {
  language: Language;
  dir: 'ltr' | 'rtl';
  t: CounterTexts;
  formats: Formats;
  fill(template: string, values: Record<string, string | number>): string;
}

export const localOf = (language: Language): Local => ({
  language,
  dir: languages[language].dir,
  t: catalogues[language],
  formats: formatsOf(language),
  fill: (template, values) => fillIn(language, template, values),
});

export const LocalContext = createContext(localOf('en'));
export const useLocal = () => useContext(LocalContext);

/** What the history says of a signature on the screen: colleagues read it, in the language of the console. */
export const signedNote = en.note;
