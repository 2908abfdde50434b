import { Link } from '@tanstack/react-router';
import { call } from '../api/client';
import { useLive } from '../api/live';
import { api, type Schemas } from '../api/operator';
import { text } from '../text';
import { fill } from '../text/en';
import { type Filters, ways } from './filters';
import { DialogButton, FormDialog } from './form';

const t = text.views;
type View = Schemas['SavedView'];
type Filter = Record<string, string>;

/** The lists that have views. */
const lists: Record<View['list'], true> = {
  audit: true,
  bars: true,
  'dead-letters': true,
  denominations: true,
  operators: true,
  orders: true,
  partners: true,
  redemptions: true,
  trades: true,
  users: true,
  'webhook-endpoints': true,
};
export const isViewList = (path: string): path is View['list'] => path in lists;

/** What a view keeps of an address: all but what is searched for, which may be a customer's name. */
const kept = ({ q: _, act: _act, ...filter }: Filters['values']) => filter as Filter;

const sameFilter = (one: Filter, other: Filter) => {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
};

/** The views that the operator has saved of a list, as links: each is an address, and the one that is open is marked. */
export function SavedViews({ list, filters }: { list: View['list']; filters: Filters }) {
  const { data } = useLive(['views', list], () =>
    call(api.GET('/operator/v1/views', { params: { query: { list } } })),
  );
  const views = data?.views ?? [];
  const filter = kept(filters.values);
  const all = Object.fromEntries(Object.entries(filter).filter(([name]) => ways.has(name)));
  const current = views.find((view) => sameFilter(view.filter as Filter, filter));
  const isFiltered = !sameFilter(all, filter);
  if (views.length === 0 && !isFiltered) return null;
  return (
    <nav className="chips views" aria-label={t.label}>
      {views.length === 0 ? null : (
        <Chip filter={all} isOpen={!isFiltered}>
          {text.common.all}
        </Chip>
      )}
      {views.map((view) => (
        <Chip key={view.view_id} filter={view.filter as Filter} isOpen={view === current}>
          {view.name}
        </Chip>
      ))}
      {current ? (
        <DialogButton label={t.delete} size="xs">
          {(close) => <Delete view={current} onClose={close} />}
        </DialogButton>
      ) : isFiltered && data ? (
        <DialogButton label={t.save} size="xs">
          {(close) => <Save list={list} filter={filter} onClose={close} />}
        </DialogButton>
      ) : null}
    </nav>
  );
}

function Chip({ filter, isOpen, children }: { filter: Filter; isOpen: boolean; children: string }) {
  return (
    <Link
      to="."
      search={filter}
      className="chip"
      activeOptions={{ exact: true }}
      aria-current={isOpen ? 'page' : undefined}
      data-open={isOpen || undefined}
    >
      {children}
    </Link>
  );
}

function Save({ list, filter, onClose }: { list: View['list']; filter: Filter; onClose: () => void }) {
  return (
    <FormDialog
      title={t.saveTitle}
      lead={t.saveLead}
      action={text.common.save}
      done={t.saved}
      fields={[{ name: 'name', label: t.name }]}
      submit={({ name }) =>
        call(api.POST('/operator/v1/views', { body: { list, name: String(name), filter } }))
      }
      onClose={onClose}
    />
  );
}

function Delete({ view, onClose }: { view: View; onClose: () => void }) {
  const params = { path: { view_id: view.view_id } };
  return (
    <FormDialog
      title={fill(t.deleteTitle, { name: view.name })}
      lead={t.deleteLead}
      action={t.delete}
      keep={text.common.keep}
      done={t.deleted}
      fields={[]}
      submit={() => call(api.DELETE('/operator/v1/views/{view_id}', { params }))}
      onClose={onClose}
    />
  );
}
