import { Button, CopyButton, Group } from '@mantine/core';
import { text } from '../text';

/** Text that is copied or compared letter by letter, such as a body or a secret. */
export function TextBlock({ label, value, copy }: { label: string; value: string; copy?: string }) {
  return (
    <div className="text-block">
      <section aria-label={label}>
        {/* Long ones scroll, which the keyboard must be able to do. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <pre tabIndex={0}>{value}</pre>
      </section>
      <Group justify="flex-end">
        <CopyButton value={value}>
          {({ copied, copy: copyNow }) => (
            <Button size="xs" variant="default" onClick={copyNow}>
              {copied ? text.common.copied : (copy ?? text.common.copy)}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  );
}

/** JSON with a line for each field; what is none stays as it is. */
export function readableJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
