import { Alert, Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, call, type Schemas } from '../api/client';
import { text } from '../text';
import { fill } from '../text/en';
import { Diff } from '../ui/diff';
import { TextFilter, useFilters } from '../ui/filters';
import { actionName } from '../ui/format';
import { Listing } from '../ui/list';
import { Id, PageHead, Time } from '../ui/parts';
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
        <TextFilter filters={filters} name="action" label={t.action} />
        <TextFilter filters={filters} name="object_type" label={t.objectType} />
        <TextFilter filters={filters} name="object_id" label={t.objectId} />
        <TextFilter filters={filters} name="operator_id" label={t.operator} />
      </Listing>
    </>
  );
}

function Entry({ entry }: { entry: Schemas['AuditEntry'] }) {
  return (
    <details className="entry">
      <summary>
        <span className="seq">{entry.seq}</span>
        <strong>{actionName(entry.action)}</strong>
        <span>{entry.operator_name ?? t.noOperator}</span>
        <Time at={entry.at} />
      </summary>
      <div>
        <Text size="sm">
          {entry.object_type} <Id value={entry.object_id} head={16} />
        </Text>
        {entry.reason ? (
          <Text size="sm" mt={4}>
            {text.common.reason}: {entry.reason}
          </Text>
        ) : null}
        <Diff before={entry.before} after={entry.after} />
        <Text size="xs" c="dimmed" mt="sm" className="mono">
          {t.hash} {entry.hash}
        </Text>
      </div>
    </details>
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
