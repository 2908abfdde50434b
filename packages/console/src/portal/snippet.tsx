import samples from 'virtual:samples';
import { Button, CopyButton, Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { text } from '../text';
import { home } from '../text/portal/home';

type Name = keyof typeof samples;
type Lang = (typeof samples)[Name][number]['lang'];

/** What stands in a sample in place of what its program has; what is undefined stays a variable. */
export interface Own {
  baseUrl: string;
  partnerId: string;
  wallet: string | undefined;
  userId: string | undefined;
}

const webhookUrl = 'https://example.com/karat';

/** How a language declares a text, the names that its program gives to our values, and where it reads the key. */
const languages: Record<
  Lang,
  {
    declare: (name: string, value: string) => string;
    names: Record<'baseUrl' | 'partnerId' | 'userId' | 'url', string>;
    replace: (own: Own) => [RegExp, string | undefined][];
  }
> = {
  typescript: {
    declare: (name, value) => `const ${name} = ${value};`,
    names: { baseUrl: 'baseUrl', partnerId: 'partnerId', userId: 'service_user_id', url: 'url' },
    replace: ({ wallet }) => [
      [/\{ apiKey, baseUrl \}/, '{ apiKey: process.env.KARAT_API_KEY, baseUrl }'],
      [/partner\.address/, wallet && `'${wallet}'`],
    ],
  },
  python: {
    declare: (name, value) => `${name} = ${value}`,
    names: { baseUrl: 'base_url', partnerId: 'partner_id', userId: 'service_user_id', url: 'url' },
    replace: ({ wallet }) => [
      [/minted\.api_key/, 'os.environ["KARAT_API_KEY"]'],
      [/str\(partner\.pubkey\(\)\)/, wallet && `"${wallet}"`],
    ],
  },
  go: {
    declare: (name, value) => `${name} := ${value}`,
    names: { baseUrl: 'baseURL', partnerId: 'partnerID', userId: 'userID', url: 'url' },
    replace: ({ userId }) => [
      [/minted\.APIKey/, 'os.Getenv("KARAT_API_KEY")'],
      [/user\.ServiceUserID/g, userId && 'userID'],
      [/fmt\.Sprintf\("[^"]*", listener\.Addr\(\)\)/, 'url'],
    ],
  },
};

/** Returns a sample with the partner's own ids, declared behind its imports where it names them. */
function fillSample(lang: Lang, source: string, own: Own): string {
  const { declare, names, replace } = languages[lang];
  const quote = lang === 'typescript' ? (value: string) => `'${value}'` : JSON.stringify;
  const code = replace(own).reduce(
    (filled, [place, value]) => (value === undefined ? filled : filled.replace(place, value)),
    source,
  );
  const values = { ...own, url: webhookUrl };
  const declared = (Object.keys(names) as (keyof typeof names)[]).flatMap((kind) => {
    const [name, value] = [names[kind], values[kind]];
    const isUsed = new RegExp(`\\b${name}\\b`).test(code);
    const isMade = new RegExp(`\\b${name}( \\}|)? :?= `).test(code);
    return isUsed && !isMade && value !== undefined ? [declare(name, quote(value))] : [];
  });
  const imports = lang === 'python' && code.includes('os.environ') ? 'import os\n\n' : '';
  const end = code.indexOf('\n\n');
  return `${imports}${code.slice(0, end)}\n\n${declared.join('\n')}${declared.length > 0 ? '\n' : ''}${code.slice(end + 2)}`;
}

/** A sample in the language that the reader chooses, to copy. */
export default function Snippet({ name, own }: { name: Name; own: Own }) {
  const [lang, choose] = useState<Lang>('typescript');
  const sample = samples[name].find((one) => one.lang === lang);
  if (!sample) return null;
  const code = fillSample(lang, sample.source, own);
  return (
    <div className="snippet">
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={home.language}
          value={lang}
          onChange={(value) => choose(value as Lang)}
          data={samples[name].map(({ lang: value, label }) => ({ value, label }))}
        />
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? text.common.copied : text.common.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is scrolled by keyboard, too. */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
