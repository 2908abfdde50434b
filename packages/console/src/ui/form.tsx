import {
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError } from '../api/client';
import { useChange } from '../api/live';
import { text } from '../text';
import { ActionButton, ChangeState } from './action';
import { useDialog } from './dialog-host';
import { useAct } from './filters';
import { notifyOutcome } from './outcome';
import { OrWaits, type WaitsFor } from './waiting';

export interface Field {
  /** The field of the API, so that its refusals are shown where they belong. */
  name: string;
  label: string;
  kind?: 'text' | 'number' | 'choice' | 'check' | 'long' | 'password' | 'hash';
  hint?: string | undefined;
  optional?: boolean;
  initial?: string | number | boolean | undefined;
  options?: Record<string, string>;
  /** Shown below the field as it is typed. */
  preview?: (values: Values) => ReactNode;
}

export type Values = Record<string, string | number | boolean>;

interface Props {
  title: string;
  lead?: ReactNode;
  action: string;
  fields: Field[];
  danger?: boolean;
  /** What leaves everything as it is, where “Cancel” could be taken for the action itself. */
  keep?: string | undefined;
  /**
   * Sends what was entered; texts are trimmed. An edit sends `changed` alone: fields left at their initial values were not
   * chosen by this person and may have changed since.
   */
  submit: (values: Values, changed: Partial<Values>) => Promise<object>;
  done: string;
  /** Called with the response, instead of only closing. */
  onDone?: (result: object) => void;
  onClose: () => void;
}

/** A dialog that asks for fields, and shows a refusal next to the field that it is about. */
export function FormDialog({
  title,
  lead,
  action,
  fields,
  danger,
  keep,
  submit,
  done,
  onDone,
  onClose,
}: Props) {
  const [initial] = useState<Values>(() =>
    Object.fromEntries(
      fields.map((field) => [field.name, field.initial ?? (field.kind === 'check' ? false : '')]),
    ),
  );
  const [values, setValues] = useState(initial);
  const change = useChange(
    (entered: Values) => submit(entered, changedIn(entered, initial)),
    (result) => {
      onClose();
      notifyOutcome(result, done);
      onDone?.(result);
    },
  );
  const failure = change.error;
  const faulty = failure instanceof ApiError ? failure.field : undefined;
  const errorOf = (name: string) => (faulty === name && failure ? failure.message : undefined);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const entries = Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && fields.find((field) => field.name === name)?.kind !== 'password'
        ? value.trim()
        : value,
    ]);
    change.mutate(Object.fromEntries(entries) as Values);
  };
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': text.common.close }}>
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          {lead ? <Text>{lead}</Text> : null}
          {fields.map((field) => (
            <div key={field.name}>
              <Input
                field={field}
                value={values[field.name] ?? ''}
                error={errorOf(field.name)}
                set={(value) => setValues({ ...values, [field.name]: value })}
              />
              {field.preview?.(values)}
            </div>
          ))}
          <ChangeState
            error={fields.some(({ name }) => name === faulty) ? undefined : failure}
            busy={change.isPending}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {keep ?? text.common.cancel}
            </Button>
            <ActionButton type="submit" loading={change.isPending} color={danger ? 'red.9' : undefined}>
              {action}
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The fields that are not what they were; a number may have become its text. */
const changedIn = (values: Values, initial: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => String(value) !== String(initial[name])),
  );

function Input({
  field,
  value,
  error,
  set,
}: {
  field: Field;
  value: string | number | boolean;
  error: string | undefined;
  set: (value: string | number | boolean) => void;
}) {
  const { label, hint, optional, kind = 'text', options = {} } = field;
  const common = { label, description: hint, error, required: !optional, withAsterisk: false };
  switch (kind) {
    case 'check':
      return (
        <Checkbox
          label={label}
          description={hint}
          error={error}
          checked={value === true}
          onChange={({ currentTarget: { checked } }) => set(checked)}
        />
      );
    case 'hash':
      return (
        <TextInput
          {...common}
          type="file"
          onChange={({ currentTarget: { files } }) => void hashOf(files?.[0]).then(set)}
        />
      );
    case 'number':
      return (
        <NumberInput
          {...common}
          hideControls
          value={value as number | string}
          onChange={(next) => set(next)}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          value={value as string}
          data={Object.entries(options).map(([key, shown]) => ({ value: key, label: shown }))}
          allowDeselect={optional === true}
          searchable={Object.keys(options).length > 8}
          onChange={(next) => set(next ?? '')}
        />
      );
    case 'long':
      return (
        <Textarea
          {...common}
          autosize
          minRows={2}
          value={value as string}
          onChange={({ currentTarget: { value: next } }) => set(next)}
        />
      );
    default:
      return (
        <TextInput
          {...common}
          type={kind}
          autoComplete={kind === 'password' ? 'new-password' : 'off'}
          value={value as string}
          onChange={({ currentTarget: { value: next } }) => set(next)}
        />
      );
  }
}

/** SHA-256 of a file, hexadecimal; empty without one. The file itself is sent nowhere. */
async function hashOf(file: File | undefined): Promise<string> {
  if (!file) return '';
  const hash = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The reason that some changes need. */
export const reasonField: Field = {
  name: 'reason',
  label: text.common.reason,
  hint: text.common.reasonHint,
  kind: 'long',
};

/**
 * A button that opens a dialog, which is about what was shown when it was opened: what has changed since is neither taken
 * for what the person saw, nor does it turn the dialog into another one.
 */
export function DialogButton({
  label,
  primary,
  size = 'sm',
  act,
  waits,
  children,
}: {
  label: string;
  primary?: boolean;
  /** Has an address open it, as its `act`. */
  act?: string;
  size?: 'xs' | 'sm';
  /** The requests that stand in its place while they wait for a second person. */
  waits?: WaitsFor;
  children: (close: () => void) => ReactNode;
}) {
  const { open, dialog } = useDialog();
  useAct(act, () => open(children));
  return (
    <>
      <OrWaits for={waits}>
        <ActionButton size={size} variant={primary ? 'filled' : 'default'} onClick={() => open(children)}>
          {label}
        </ActionButton>
      </OrWaits>
      {dialog}
    </>
  );
}
