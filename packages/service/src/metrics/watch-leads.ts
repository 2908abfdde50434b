import type { Context } from '../context.js';
import { toInteger } from '../domain/integer.js';

interface Lead {
  status(): { role: string };
}

interface LeadingIndexer {
  status(): { role: string; slot: bigint; waiting: number };
}

/** Measures what the indexer and the keeper of this process do, if it runs them. */
export function watchLeads(
  { metrics }: Context,
  { indexer, keeper }: { indexer?: LeadingIndexer | undefined; keeper?: Lead | undefined },
): void {
  const leads = metrics.gauge('karat_leads', 'Whether this process leads, for each role that it can lead', [
    'role',
  ]);
  const slot = metrics.gauge('karat_indexer_slot', 'Newest slot that the indexer has recorded');
  const waiting = metrics.gauge(
    'karat_indexer_waiting_transactions',
    'Transactions that are listed and that the node does not give yet',
  );
  metrics.addReader(() => {
    const indexing = indexer?.status();
    if (indexing) leads.set({ role: 'indexer' }, indexing.role === 'leader' ? 1 : 0);
    if (keeper) leads.set({ role: 'keeper' }, keeper.status().role === 'leader' ? 1 : 0);
    if (indexing?.role !== 'leader') return;
    slot.set(toInteger(indexing.slot));
    waiting.set(indexing.waiting);
  });
}
