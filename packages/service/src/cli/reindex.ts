import { recordReindex } from '../actions/indexing/record-reindex.js';
import { commandLine } from '../domain/audit.js';
import { toInteger } from '../domain/integer.js';
import { reindex as reread } from '../indexer/reindex.js';
import { type Call, CommandError, done, type Outcome } from './command.js';
import { mustBe } from './texts.js';
import { withContext } from './with-database.js';

export async function reindex(call: Call): Promise<Outcome> {
  const fromSlot = readSlot(call);
  const transactions = await withContext(call, async (ctx) => {
    await ctx.chain.start();
    const fault = ctx.chain.program.fault();
    if (fault !== undefined) throw new CommandError(`${fault} karat doctor shows what to do.`);
    const slot = await ctx.chain.rpc.getSlot({ commitment: 'confirmed' }).send();
    if (fromSlot > slot) {
      throw new CommandError(
        `The chain is at slot ${slot}, so there is nothing from slot ${fromSlot} on yet`,
      );
    }
    const first = await ctx.chain.rpc.getFirstAvailableBlock().send();
    if (first > fromSlot) {
      throw new CommandError(
        `The node keeps the chain back to slot ${first} only, not to ${fromSlot}; use one that does.`,
      );
    }
    await recordReindex(ctx, commandLine, fromSlot);
    return reread(ctx, fromSlot, new AbortController().signal);
  });
  return done({
    from_slot: toInteger(fromSlot),
    transactions: transactions.read,
    unread: transactions.unread,
  });
}

function readSlot(call: Call): bigint {
  const text = call.get('from-slot');
  if (/^\d{1,15}$/.test(text)) return BigInt(text);
  throw mustBe(call, 'from-slot', 'a slot, a whole number');
}
