import { type ChainRecord, emptyRecord } from '../../actions/trades/record-trade.js';

/**
 * Writes a batch at once with `writeAll`. If the database rejects the content of a record (not: if it is down), the
 * records are written one by one with `writeSome`, and each that is refused by itself becomes the dead letter
 * `record_refused`, so that one of them cannot stop those behind it; the last write brings the cursors.
 */
export async function applyBatch(
  records: ChainRecord[],
  writeAll: (records: ChainRecord[]) => Promise<void>,
  writeSome: (records: ChainRecord[]) => Promise<void>,
): Promise<void> {
  try {
    await writeAll(records);
    return;
  } catch (error) {
    if (!isRefusedData(error)) throw error;
  }
  const taken: ChainRecord[] = [];
  for (const record of records) {
    try {
      await writeSome([record]);
    } catch (error) {
      if (!isRefusedData(error)) throw error;
      taken.push(refused(record, error));
    }
  }
  await writeAll(taken);
}

/** SQLSTATE classes 22 (data exception) and 23 (constraint): the fault lies in what is written. */
function isRefusedData(error: unknown): boolean {
  return sqlStateOf(error) !== undefined;
}

function sqlStateOf(error: unknown): string | undefined {
  for (let e = error, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth += 1) {
    const code = 'code' in e ? e.code : undefined;
    if (e.name === 'PostgresError' && typeof code === 'string') return /^2[23]/.test(code) ? code : undefined;
  }
  return undefined;
}

function refused(record: ChainRecord, error: unknown): ChainRecord {
  const { signature, slot } = record;
  const detail = {
    sqlstate: sqlStateOf(error),
    trade_id: record.trade?.id ?? null,
    redemption_id: record.redemption?.id ?? null,
    // They wait for as long as it is unknown what was executed.
    ...(record.orders.length > 0 ? { unread_orders: ordersOf(record) } : {}),
  };
  const deadLetters = [...record.deadLetters, { signature, slot, reason: 'record_refused' as const, detail }];
  return { ...emptyRecord(signature, slot), serviceSigners: record.serviceSigners, deadLetters };
}

function ordersOf({ orders }: ChainRecord): string[] {
  return orders.flatMap(({ order }) => order.orderId ?? []);
}
