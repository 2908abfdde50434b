import { Button, TextInput } from '@mantine/core';
import { type PointerEvent, useRef } from 'react';
import { useLocal } from '../text/counter';

const width = 600;
const height = 180;

/** How a customer signed: the path of what was drawn, or the name that was typed. Kept nowhere but on this page. */
export interface Signature {
  path: string;
  name: string;
}

export const unsigned: Signature = { path: '', name: '' };
export const isSigned = ({ path, name }: Signature) => path.includes('L') || name.trim().length > 1;

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
          size="xs"
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
        data-first
        onChange={({ currentTarget: { value: name } }) => set({ ...value, name })}
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
