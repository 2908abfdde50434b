import { useChange } from '../api/live';
import { Confirm } from '../ui/confirm';
import { DialogButton } from '../ui/form';
import { notifyDone } from '../ui/states';

interface Props {
  words: { action: string; title: string; body: string; done: string };
  danger?: boolean;
  size?: 'xs' | 'sm';
  act: () => Promise<object>;
  onDone?: () => void;
}

/** A button that asks before it does something, and says what that is. */
export function AskButton(props: Props) {
  return (
    <DialogButton label={props.words.action} size={props.size ?? 'sm'}>
      {(close) => <AskDialog {...props} close={close} />}
    </DialogButton>
  );
}

function AskDialog({ words, danger, act, onDone, close }: Props & { close: () => void }) {
  const change = useChange(act, () => {
    close();
    notifyDone(words.done);
    onDone?.();
  });
  return (
    <Confirm
      opened
      question={words.title}
      body={words.body}
      action={words.action}
      danger={danger}
      busy={change.isPending}
      error={change.error}
      onClose={close}
      onConfirm={() => change.mutate()}
    />
  );
}
