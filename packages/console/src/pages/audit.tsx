import { Alert, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { Diff } from '../ui/diff';
import { Choice, useFilters } from '../ui/filters';
import { actionName, humanize, shorten } from '../ui/format';
import { Listing } from '../ui/list';
import { OperatorFilter, useOperatorNames } from '../ui/names';
import { Id, PageHead, TextLink, Time } from '../ui/parts';
import { explain } from '../ui/states';

const t = text.audit;

export function Audit() {
  const filters = useFilters();
  const { object_type, object_id, operator_id, action } = filters.values;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={<Verify />} />
      <Listing
        filters={filters}
        path="audit"
        query={{ object_type, object_id, operator_id, action }}
        read={(query) => call(api.GET('/operator/v1/audit', { params: { query } }))}
        rows={({ entries }) => entries}
        show={(entries) => (
          <div className="entries">
            {entries.map((entry) => (
              <Entry key={entry.seq} entry={entry} />
            ))}
          </div>
        )}
        empty={{ title: t.none, body: t.noneBody }}
      >
        <OperatorFilter filters={filters} />
        <Choice filters={filters} name="action" label={t.action} options={text.actions} />
        <Choice filters={filters} name="object_type" label={t.objectType} options={t.objects} />
      </Listing>
    </>
  );
}

function Entry({ entry }: { entry: Schemas['AuditEntry'] }) {
  const operators = useOperatorNames();
  /** A state with the name of the operator that it assigns something to. */
  const named = (state: Schemas['AuditEntry']['before']) => {
    const { assignee_id: id, ...rest } = state ?? {};
    return typeof id === 'string' ? { assignee: operators?.[id] ?? id, ...rest } : state;
  };
  return (
    <details className="entry">
      <summary>
        <span className="seq">{entry.seq}</span>
        <strong>{actionName(entry.action)}</strong>
        <span>{entry.operator_name ?? entry.member_name ?? t.noOperator}</span>
        <Time at={entry.at} />
      </summary>
      <div>
        <Text size="sm">
          {t.objects[entry.object_type] ?? humanize(entry.object_type)} <ObjectId entry={entry} />
        </Text>
        {entry.reason ? (
          <Text size="sm" mt={4}>
            {text.common.reason}: {entry.reason}
          </Text>
        ) : null}
        <Diff before={named(entry.before)} after={named(entry.after)} />
        <Text size="xs" c="dimmed" mt="sm" className="mono">
          {t.hash} {entry.hash}
        </Text>
      </div>
    </details>
  );
}

const pageOf: Record<string, string> = {
  partner: '/partners/',
  redemption: '/redemptions/',
  user: '/users/',
  webhook_endpoint: '/webhooks/',
};

/** What an entry is about: by name and as a link, where it has those. */
function ObjectId({
  entry: { object_type: type, object_id: id, object_name: name },
}: {
  entry: Schemas['AuditEntry'];
}) {
  const to = pageOf[type];
  const shown = name ?? shorten(id, 16);
  return (
    <Id
      value={id}
      head={16}
      link={to ? <TextLink to={to + id}>{shown}</TextLink> : <span title={id}>{shown}</span>}
    />
  );
}

/** Walks the chain of hashes of the whole log. */
function Verify() {
  const verify = useMutation({ mutationFn: () => call(api.GET('/operator/v1/audit/verify')) });
  const { data, error } = verify;
  return (
    <>
      {data ? (
        <Alert color={data.ok ? 'teal' : 'red'} variant="light" role="status" py={6}>
          {data.ok ? fill(t.intact, { rows: data.rows }) : fill(t.broken, { seq: data.first_bad ?? 0 })}
        </Alert>
      ) : null}
      {error ? (
        <Alert color="red" variant="light" role="alert" py={6}>
          {explain(error)}
        </Alert>
      ) : null}
      <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
        {t.verify}
      </Button>
    </>
  );
}
