import samples from 'virtual:samples';
import { Button, CopyButton, Group, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { text } from '../text';
import { home } from '../text/portal/home';
import { fillSample, type Lang, type Own } from './fill-sample';

type Name = keyof typeof samples;

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
