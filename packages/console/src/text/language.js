/**
 * The languages of pages for clerks and customers, and how each writes numbers and dates. Plain JavaScript, because the shop
 * of the sandbox imports it too, and nothing builds that page.
 */
export const languages = {
  en: { name: 'English', dir: 'ltr', locale: 'en-GB' },
  // Gregorian dates: bills of gold in Riyadh carry them too. Without a numbering system, browsers choose Latin digits.
  ar: { name: 'العربية', dir: 'rtl', locale: 'ar-AE-u-ca-gregory-nu-arab' },
  ur: { name: 'اردو', dir: 'rtl', locale: 'ur-PK-u-ca-gregory-nu-arabext' },
};

/** Grams of a tola, exactly. */
export const gramsPerTola = 11.6638038;

/** Returns the first of the wanted languages (`ar-SA`, `ur`) that there is, and English where there is none. */
export function chooseLanguage(wanted) {
  return wanted.map((tag) => tag.slice(0, 2)).find((tag) => Object.hasOwn(languages, tag)) ?? 'en';
}

/** Returns a text with its places filled in: `{name}`. */
export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/** The same for a language of either direction: what is filled in does not turn what is around it, nor is it turned. */
export function fillIn(language, template, values) {
  if (languages[language].dir === 'ltr') return fill(template, values);
  const isolated = Object.entries(values).map(([name, value]) => [name, `\u2068${value}\u2069`]);
  return fill(template, Object.fromEntries(isolated));
}

const zeros = [0x0660, 0x06f0];

/** Returns a text with its Arabic and Urdu digits as those that the API takes. */
export function plainDigits(text) {
  return text.replace(/[٠-٩۰-۹]/g, (digit) => {
    const code = digit.charCodeAt(0);
    return String(code - (zeros.find((zero) => code >= zero && code < zero + 10) ?? code));
  });
}

/** How a language writes numbers, dollars and times; times have the year and the offset from GMT. */
export function formatsOf(language) {
  const { locale } = languages[language];
  const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'code' };
  const moment = {
    ...{ day: 'numeric', month: 'long', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'shortOffset' },
  };
  return {
    number: (value, digits = 7) =>
      new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value),
    usd: (value) => new Intl.NumberFormat(locale, dollars).format(value),
    time: (at, timeZone) => new Intl.DateTimeFormat(locale, { ...moment, timeZone }).format(new Date(at)),
    country: (code) => new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code,
  };
}
