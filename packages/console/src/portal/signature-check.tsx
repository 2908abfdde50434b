import { Alert, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client';
import { fill } from '../text/en';
import { webhookTools } from '../text/portal/webhook-tools';
import { formatSeconds } from '../ui/format';
import { Panel } from '../ui/parts';
import { api } from './api';
import { checkSignature, type Finding, type Pasted } from './check-signature';

const t = webhookTools.check;
const empty: Pasted = { secret: '', id: '', timestamp: '', signature: '', body: '' };

/** Says whether a signature that a server received is right, and if not, what is wrong with it. */
export function SignatureCheck() {
  const [pasted, setPasted] = useState(empty);
  const [finding, setFinding] = useState<Finding>();
  const field = (name: keyof Pasted) => ({
    label: t[name],
    required: true,
    withAsterisk: false,
    autoComplete: 'off',
    spellCheck: false,
    value: pasted[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      setPasted((before) => ({ ...before, [name]: value }));
      setFinding(undefined);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void checkSignature(pasted, Date.now(), readSent).then(setFinding);
  };
  return (
    <Panel title={t.title}>
      <Text size="sm" c="dimmed" mb="md">
        {t.lead}
      </Text>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput {...field('secret')} placeholder="whsec_…" />
          <TextInput {...field('id')} placeholder="evt_…" />
          <TextInput {...field('timestamp')} />
          <TextInput {...field('signature')} placeholder="v1,…" />
          <Textarea {...field('body')} className="pasted" autosize minRows={3} maxRows={10} />
          <Group justify="flex-end">
            <Button type="submit" variant="default">
              {t.action}
            </Button>
          </Group>
          {finding ? (
            <Alert color={colors[finding.result] ?? 'red'} variant="light" role="status">
              {wordsOf(finding)}
            </Alert>
          ) : null}
        </Stack>
      </form>
    </Panel>
  );
}

const colors: Partial<Record<Finding['result'], string>> = { valid: 'teal', old: 'yellow', future: 'yellow' };

function wordsOf(finding: Finding): string {
  const words = t.results[finding.result];
  if ('seconds' in finding) return fill(words, { age: formatSeconds(finding.seconds) });
  if ('id' in finding) return fill(words, { id: finding.id });
  if ('at' in finding) {
    const { at, sent, pasted } = finding;
    return fill(words, { at, sent: JSON.stringify(sent), pasted: JSON.stringify(pasted) });
  }
  return words;
}

/** Returns the body that was sent for an event; undefined where that is not known, or holds what is not shown. */
async function readSent(id: string): Promise<string | undefined> {
  try {
    const page = await call(api.GET('/v1/webhook-endpoints', { params: { query: {} } }));
    for (const { endpoint_id } of page.webhook_endpoints) {
      const path = { endpoint_id };
      const found = await call(
        api.GET('/v1/webhook-endpoints/{endpoint_id}/deliveries', {
          params: { path, query: { event_id: id } },
        }),
      );
      const [delivery] = found.deliveries;
      if (!delivery) continue;
      const { body } = await call(
        api.GET('/v1/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}', {
          params: { path: { endpoint_id, delivery_id: delivery.delivery_id } },
        }),
      );
      return body === null || body.includes('"[redacted]"') ? undefined : body;
    }
  } catch {
    // The check goes on without it.
  }
  return undefined;
}
