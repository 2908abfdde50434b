import { Checkbox, Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client';
import { useChange } from '../api/live';
import { api, type Schemas, useMay } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton } from '../ui/action';
import { TextFilter, useFilters } from '../ui/filters';
import { DialogButton, FormDialog, reasonField } from '../ui/form';
import { humanize } from '../ui/format';
import { Listing } from '../ui/list';
import { Badge, ChainId, Facts, PageHead, Time } from '../ui/parts';
import { notifyDone, notifyFailure } from '../ui/states';

const t = text.deadLetters;
type DeadLetter = Schemas['DeadLetter'];

export function DeadLetters() {
  const filters = useFilters();
  const administers = useMay('administer');
  const { open = 'true', reason, signature } = filters.values;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          administers && chosen.size > 0 ? (
            <DialogButton label={fill(t.resolveMany, { count: chosen.size })} primary>
              {(close) => (
                <FormDialog
                  title={fill(t.resolveMany, { count: chosen.size })}
                  lead={t.resolveLead}
                  action={t.resolve}
                  done={t.resolved}
                  fields={[reasonField]}
                  submit={({ reason: why }) =>
                    call(
                      api.POST('/operator/v1/dead-letters/resolve', {
                        body: { dead_letter_ids: [...chosen], reason: String(why) },
                      }),
                    )
                  }
                  onDone={() => setChosen(new Set())}
                  onClose={close}
                />
              )}
            </DialogButton>
          ) : null
        }
      />
      <SegmentedControl
        mb="lg"
        value={open}
        onChange={(value) => filters.set({ open: value === 'true' ? undefined : value })}
        data={[
          { value: 'true', label: t.open },
          { value: 'false', label: t.closed },
        ]}
      />
      <Listing
        filters={filters}
        path="dead-letters"
        query={{ open: open as 'true', reason, signature }}
        read={(query) => call(api.GET('/operator/v1/dead-letters', { params: { query } }))}
        rows={(page) => page.dead_letters}
        show={(letters) =>
          letters.map((letter) => (
            <Letter
              key={letter.dead_letter_id}
              letter={letter}
              chosen={chosen.has(letter.dead_letter_id)}
              choose={administers && letter.resolved_at === null ? choose : undefined}
            />
          ))
        }
        empty={{ title: open === 'true' ? t.none : t.noneClosed, body: t.noneBody }}
      >
        <TextFilter filters={filters} name="reason" label={t.reason} />
        <TextFilter filters={filters} name="signature" label={t.transaction} width={260} />
      </Listing>
    </>
  );
}

function Letter({
  letter,
  chosen,
  choose,
}: {
  letter: DeadLetter;
  chosen: boolean;
  choose: ((id: string, on: boolean) => void) | undefined;
}) {
  const id = letter.dead_letter_id;
  const retry = useChange(
    () => call(api.POST('/operator/v1/dead-letters/{id}/retry', { params: { path: { id } }, body: {} })),
    () => notifyDone(t.retried),
  );
  return (
    <article className="panel approval">
      <Group justify="space-between">
        <Group gap="sm">
          {choose ? (
            <Checkbox
              aria-label={fill(t.choose, { reason: humanize(letter.reason) })}
              checked={chosen}
              onChange={({ currentTarget: { checked } }) => choose(id, checked)}
            />
          ) : null}
          <Title order={2}>{humanize(letter.reason)}</Title>
        </Group>
        <Badge tone={letter.resolved_at ? 'quiet' : 'warn'}>{letter.resolved_at ? t.closed : t.open}</Badge>
      </Group>
      <Text my="sm">{t.what[letter.reason] ?? t.whatOther}</Text>
      <Facts
        rows={[
          [t.transaction, <ChainId key="t" kind="tx" value={letter.signature} />],
          [t.created, <Time key="c" at={letter.created_at} />],
          ...Object.entries(letter.detail).map(([name, value]): [string, string] => [
            humanize(name),
            typeof value === 'object' ? JSON.stringify(value) : String(value),
          ]),
          ...(letter.resolution ? [[t.resolution, letter.resolution] as [string, string]] : []),
        ]}
      />
      {choose ? (
        <Group mt="md" gap="sm">
          <ActionButton
            variant="default"
            loading={retry.isPending}
            onClick={() => retry.mutate(undefined, { onError: notifyFailure })}
          >
            {t.retry}
          </ActionButton>
          <DialogButton label={t.resolve}>
            {(close) => (
              <FormDialog
                title={t.resolveTitle}
                lead={t.resolveLead}
                action={t.resolve}
                done={t.resolved}
                fields={[reasonField]}
                submit={({ reason }) =>
                  call(
                    api.POST('/operator/v1/dead-letters/{id}/resolve', {
                      params: { path: { id } },
                      body: { reason: String(reason) },
                    }),
                  )
                }
                onClose={close}
              />
            )}
          </DialogButton>
          {letter.retry_requested_at ? (
            <Text size="sm" c="dimmed">
              {t.retrying} <Time at={letter.retry_requested_at} />
            </Text>
          ) : null}
        </Group>
      ) : null}
    </article>
  );
}
