import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { type CounterTexts, useLocal } from '../text/counter';
import { StepList } from '../ui/parts';

export type StepName = keyof CounterTexts['steps'];

const order: StepName[] = ['customer', 'identity', 'bar', 'weight', 'signature', 'receipt'];

/** How far the hand-over has come. */
export function Progress({ at }: { at: StepName }) {
  const { t } = useLocal();
  return (
    <div className="no-print">
      <StepList names={order.map((step) => t.steps[step])} reached={order.indexOf(at)} label={t.progress} />
    </div>
  );
}

interface Props {
  at: StepName;
  title: string;
  lead: string;
  /** What goes on; Enter does the same. */
  action: string;
  disabled?: boolean;
  busy?: boolean;
  onSubmit: () => void;
  /** To the step before, which Escape does too; without it, the step is the first one. */
  onBack?: () => void;
  children?: ReactNode;
}

/** One step: what to do, one field or button that has the focus, and the way back. */
export function Step({ at, title, lead, action, disabled, busy, onSubmit, onBack, children }: Props) {
  const { t } = useLocal();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>('[data-first], [type=submit]');
    first?.focus();
  }, []);
  return (
    <>
      <Progress at={at} />
      <form
        ref={form}
        className="counter-step"
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabled && !busy) onSubmit();
        }}
        onKeyDown={({ key }) => {
          if (key === 'Escape' && !busy) onBack?.();
        }}
      >
        <h1>{title}</h1>
        <p className="lead">{lead}</p>
        {children}
        <div className="counter-actions">
          <Button size="xl" type="submit" disabled={disabled} loading={busy}>
            {action}
          </Button>
          {onBack ? (
            <Button size="xl" variant="default" disabled={busy} onClick={onBack}>
              {t.back}
            </Button>
          ) : null}
        </div>
      </form>
    </>
  );
}

/** Where text is typed; the choices of a city and of a language are fields too. */
const typing = 'input:not([readonly], [type=radio]), textarea, [role=dialog]';

/** Leads what a scanner types to the field of the step, wherever the focus is. */
export function useScanner() {
  useEffect(() => {
    const listen = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return;
      if (target instanceof HTMLElement && target.closest(typing)) return;
      document.querySelector<HTMLElement>('[data-scan]')?.focus();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
