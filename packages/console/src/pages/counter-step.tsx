import { Button } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
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

/**
 * One step: what to do, one field or button that has the focus, and the way back. A step whose button is off and which
 * wants no keyboard on the screen has its heading in focus.
 */
export function Step({ at, title, lead, action, disabled, busy, onSubmit, onBack, children }: Props) {
  const { t } = useLocal();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const find = (selector: string) => form.current?.querySelector<HTMLElement>(selector);
    (find('[data-first]') ?? find('[type=submit]:enabled') ?? find('h1'))?.focus();
  }, []);
  // Wherever the focus is: after a finger has signed, it is nowhere.
  useWindowEvent('keydown', ({ key }) => {
    if (key === 'Escape' && !busy) onBack?.();
  });
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
      >
        <h1 tabIndex={-1}>{title}</h1>
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

/**
 * Leads what a scanner types to the field of the step, wherever the focus is. Where there is no field, the Enter that ends a
 * scan presses nothing, or a code that is read twice would confirm what the clerk has not looked at; nor does an Enter that
 * is held down. Returns whether the last scan was dropped so.
 */
export function useScanner(): boolean {
  const [isDropped, setIsDropped] = useState(false);
  useEffect(() => {
    let isStray = false;
    const listen = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (key === 'Enter') {
        if (isStray || event.repeat) event.preventDefault();
        setIsDropped(isStray);
        isStray = false;
      }
      if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return;
      const field = document.querySelector<HTMLElement>('[data-scan]');
      const isTyped = target instanceof HTMLElement && target.closest(typing) !== null;
      if (!isTyped) field?.focus();
      isStray = !isTyped && field === null;
    };
    // Not before the finger is lifted: the button would move away under it.
    const clear = () => setIsDropped(false);
    document.addEventListener('keydown', listen);
    document.addEventListener('click', clear);
    return () => {
      document.removeEventListener('keydown', listen);
      document.removeEventListener('click', clear);
    };
  }, []);
  return isDropped;
}
