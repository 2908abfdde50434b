import { Button, TextInput } from '@mantine/core';
import { type PointerEvent, useRef } from 'react';
import { useLocal } from '../text/counter';

const width = 600;
const height = 150;

/** How a customer signed: the path of what was drawn, or the name that was typed. Kept nowhere but on this page. */
export interface Signature {
  path: string;
  name: string;
}

export const unsigned: Signature = { path: '', name: '' };
const hasDigits = (name: string) => /\p{Nd}/u.test(name);

/** A name has no digits: a code that a scanner typed into its field is none. */
export const isSigned = ({ path, name }: Signature) =>
  !hasDigits(name) && (path.includes('L') || name.trim().length > 1);

/** A field to sign in with a finger, a pen or a mouse, and one for the keyboard. */
export function SignatureField({ value, set }: { value: Signature; set: (signature: Signature) => void }) {
  const { t } = useLocal();
  const path = useRef(value.path);
  const draw = (command: 'M' | 'L', { currentTarget, clientX, clientY }: PointerEvent<SVGSVGElement>) => {
    const box = currentTarget.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * width;
    const y = ((clientY - box.top) / box.height) * height;
    path.current += `${command}${x.toFixed(1)} ${y.toFixed(1)}`;
    set({ ...value, path: path.current });
  };
  return (
    <>
      <div className="signature">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={t.signature.draw}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            draw('M', event);
          }}
          onPointerMove={(event) => {
            if (event.buttons > 0) draw('L', event);
          }}
        >
          <path d={value.path} />
        </svg>
        {value.path === '' ? <span aria-hidden="true">{t.signature.draw}</span> : null}
        <Button
          size="md"
          variant="default"
          disabled={value.path === ''}
          onClick={() => {
            path.current = '';
            set({ ...value, path: '' });
          }}
        >
          {t.signature.clear}
        </Button>
      </div>
      <TextInput
        size="lg"
        label={t.signature.type}
        value={value.name}
        maxLength={100}
        autoComplete="off"
        error={hasDigits(value.name) ? t.signature.digits : undefined}
        data-scan
        onChange={({ currentTarget: { value: name } }) => set({ ...value, name })}
        // What cannot be undone is not at the end of every scan: Enter leads to the button, which a second one presses.
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (hasDigits(value.name)) event.currentTarget.select();
          else event.currentTarget.form?.querySelector<HTMLElement>('[type=submit]')?.focus();
        }}
      />
    </>
  );
}

/** A signature as it stands on the receipt. */
export function Signed({ of }: { of: Signature }) {
  return of.path === '' ? (
    <em className="signed">{of.name}</em>
  ) : (
    <svg viewBox={`0 0 ${width} ${height}`} className="signed" aria-hidden="true">
      <path d={of.path} />
    </svg>
  );
}
