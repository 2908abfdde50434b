import { SegmentedControl } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { LocalContext, localOf, useLocal } from '../text/counter';
import { chooseLanguage, type Language, languages } from '../text/language.js';

const names = Object.entries(languages).map(([value, { name }]) => ({ value, label: name }));

/** Returns the language of this device, at first that of its browser, and how to choose another. */
export function useLanguage(): [Language, (language: Language) => void] {
  const [language, setLanguage] = useLocalStorage<string>({
    key: 'karat-language',
    defaultValue: chooseLanguage(navigator.languages),
    getInitialValueInEffect: false,
  });
  return [chooseLanguage([language]), setLanguage];
}

export function LanguageChoice({ choose }: { choose: (language: Language) => void }) {
  const { t, language } = useLocal();
  return (
    <SegmentedControl
      aria-label={t.language}
      data={names}
      value={language}
      onChange={(value) => choose(value as Language)}
    />
  );
}

/** Shows what is inside in a language, in its direction. */
export function Localized({
  language,
  className,
  children,
}: {
  language: Language;
  className?: string;
  children: ReactNode;
}) {
  const local = localOf(language);
  return (
    <LocalContext value={local}>
      <div lang={language} dir={local.dir} className={className}>
        {children}
      </div>
    </LocalContext>
  );
}
