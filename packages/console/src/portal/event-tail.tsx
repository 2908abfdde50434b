import { Alert, Button, Group, Select, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { fill } from '../text/en';
import { webhookTools } from '../text/portal/webhook-tools';
import { Panel, Time } from '../ui/parts';
import { readableJson, TextBlock } from '../ui/text-block';
import type { Schemas } from './api';
import { eventTypes } from './endpoint-form';

type Event = Schemas['Event'];
const t = webhookTools.tail;
const maxShown = 100;

/** Events as they happen. */
export function EventTail() {
  const [following, setFollowing] = useState(false);
  const [type, setType] = useState<string | null>(null);
  const [events, setEvents] = useState<Event[]>([]);
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (!following) return;
    const query = type === null ? '' : `?types=${encodeURIComponent(type)}`;
    const source = new EventSource(`/v1/events/stream${query}`);
    source.onopen = () => setLost(false);
    // The browser opens it again by itself, behind the last event.
    source.onerror = () => setLost(true);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      setEvents((before) => [JSON.parse(data) as Event, ...before].slice(0, maxShown));
    };
    return () => source.close();
  }, [following, type]);
  return (
    <Panel
      title={t.title}
      actions={
        <Group gap="xs">
          {events.length > 0 ? (
            <Button variant="subtle" onClick={() => setEvents([])}>
              {t.clear}
            </Button>
          ) : null}
          <Button variant="default" aria-pressed={following} onClick={() => setFollowing(!following)}>
            {following ? t.stop : t.start}
          </Button>
        </Group>
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {t.lead}
      </Text>
      <Select
        label={t.type}
        placeholder={t.everything}
        clearable
        searchable
        data={eventTypes}
        value={type}
        onChange={setType}
        mb="md"
      />
      {following && lost ? (
        <Alert color="yellow" variant="light" role="status" mb="md">
          {t.lost}
        </Alert>
      ) : null}
      <Feed events={events} following={following} />
    </Panel>
  );
}

function Feed({ events, following }: { events: Event[]; following: boolean }) {
  if (events.length === 0)
    return (
      <Text c="dimmed" role="status">
        {following ? t.waiting : t.idle}
      </Text>
    );
  return (
    <>
      <ol className="plain" aria-live="polite" aria-label={t.title}>
        {events.map((event) => (
          <li key={event.id}>
            <details className="event">
              <summary>
                <strong>{event.type}</strong> <Time at={event.created_at} />
              </summary>
              <TextBlock
                label={fill(t.show, { type: event.type })}
                value={readableJson(JSON.stringify(event))}
              />
            </details>
          </li>
        ))}
      </ol>
      {events.length === maxShown ? (
        <Text size="sm" c="dimmed" mt="sm">
          {fill(t.more, { count: maxShown })}
        </Text>
      ) : null}
    </>
  );
}
