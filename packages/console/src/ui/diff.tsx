import { text } from '../text';
import { humanize } from './format';

const t = text.approvals;

type Fields = Record<string, unknown>;

/** A value of the API as text: lists line by line, objects as their fields. */
function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return t.nothing;
  if (typeof value === 'boolean') return value ? text.common.yes : text.common.no;
  if (Array.isArray(value)) return value.length === 0 ? t.nothing : value.map(show).join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${humanize(name)}: ${show(inner)}`)
    .join('\n');
}

/** What a change replaces and what it leaves, side by side; fields that stay as they are are set back. */
export function Diff({
  before,
  after,
}: {
  before: Fields | null | undefined;
  after: Fields | null | undefined;
}) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return null;
  return (
    <table className="diff">
      <thead>
        <tr>
          <th scope="col">{t.field}</th>
          {before ? <th scope="col">{t.before}</th> : null}
          <th scope="col">{t.after}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const [old, now] = [show(before?.[name]), show(after?.[name])];
          return (
            <tr key={name} className={before && old !== now ? 'changed' : undefined}>
              <th scope="row">{humanize(name)}</th>
              {before ? <td>{old}</td> : null}
              <td>{now}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
