import { Group, Text } from '@mantine/core';
import { call } from '../api/client';
import { useChange } from '../api/live';
import { api, useMe } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { ActionButton, ChangeState } from '../ui/action';
import { DialogButton, FormDialog } from '../ui/form';
import { notifyDone } from '../ui/states';
import type { Case } from './redemption-parts';

const t = text.redemptions.assignment;

/** Sends who sees to a redemption from now on, in place of the operator who did so as it was shown. */
const assign = (one: Case, assignee: string | null) =>
  call(
    api.POST('/operator/v1/redemptions/{redemption_id}/assign', {
      params: { path: { redemption_id: one.redemption_id } },
      body: { assignee_id: assignee, instead_of: one.assignee_id },
    }),
  );

/** Who sees to a redemption, and how that changes; for those who may not change it, only who does, if anyone. */
export function Assignment({ one }: { one: Case }) {
  const me = useMe();
  const change = useChange(
    (to: string | null) => assign(one, to),
    (_result, to) => notifyDone(to === null ? t.released : t.taken),
  );
  const { assignee_id: assignee, assignee_name: name, assignable_to: clerks } = one;
  if (assignee === null && clerks.length === 0) return null;
  const isMine = assignee === me.operator_id;
  const others = clerks.filter(({ operator_id: id }) => id !== assignee && id !== me.operator_id);
  return (
    <section className="assignment" aria-label={text.redemptions.filters.assigned}>
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {assignee === null ? t.free : isMine ? t.mine : fill(t.theirs, { name: name ?? '' })}
        </Text>
        {clerks.length === 0 ? null : (
          <Group gap="xs">
            <ActionButton
              size="xs"
              variant="default"
              loading={change.isPending}
              onClick={() => change.mutate(isMine ? null : me.operator_id)}
            >
              {isMine ? t.release : assignee === null ? t.take : t.takeOver}
            </ActionButton>
            {others.length === 0 ? null : (
              <DialogButton label={t.hand} size="xs">
                {(close) => <Hand one={one} to={others} onClose={close} />}
              </DialogButton>
            )}
          </Group>
        )}
      </Group>
      <ChangeState error={change.error} busy={change.isPending} />
    </section>
  );
}

function Hand({ one, to, onClose }: { one: Case; to: Case['assignable_to']; onClose: () => void }) {
  return (
    <FormDialog
      title={t.handTitle}
      lead={t.handLead}
      action={t.handAction}
      done={t.handed}
      fields={[
        {
          name: 'assignee_id',
          label: t.to,
          kind: 'choice',
          options: Object.fromEntries(to.map(({ operator_id, name }) => [operator_id, name])),
        },
      ]}
      submit={({ assignee_id }) => assign(one, String(assignee_id))}
      onClose={onClose}
    />
  );
}
