import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { countDeadLetters } from '../../db/indexing/dead-letters.js';
import { findCursors } from '../../db/indexing/indexer-cursors.js';
import { findIndexingState, findSeenChain } from '../../db/indexing/indexer-rounds.js';
import { toInteger } from '../../domain/integer.js';
import { tagRoutes } from '../openapi/conventions.js';
import { Nullable } from '../server/schemas.js';
import { read } from './shapes.js';
import { statusField as field } from './status-fields.js';

const schema = {
  operationId: 'getIndexer',
  summary: 'Get the progress of the indexer',
  description: 'Returns how far the chain is recorded in the database, whichever process does the indexing.',
  response: {
    200: Type.Object({
      cursor: Nullable(
        Type.Object({ signature: Type.String(field.cursorSignature), slot: Type.Integer(field.slot) }),
        field.cursor,
      ),
      lag_seconds: Nullable(Type.Number(), field.lagSeconds),
      last_seen_at: Nullable(Type.String(), field.lastSeenAt),
      seen_slot: Nullable(Type.Integer(), field.seenSlot),
      led: Type.Boolean(field.led),
      dead_letters: Type.Integer(field.deadLetters),
    }),
  },
};

/** Route of the progress of the indexer. */
export function indexerRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Operation');
    app.get('/indexer', { config: read, schema }, async () => {
      const [cursors, { led, lastRoundAgeMs }, seen, deadLetters] = await Promise.all([
        findCursors(ctx.db),
        findIndexingState(ctx.db),
        findSeenChain(ctx.db),
        countDeadLetters(ctx.db),
      ]);
      const cursor = cursors.find(({ address }) => address === ctx.chain.programAddress);
      const seenAt = lastRoundAgeMs === undefined ? undefined : new Date(ctx.clock.now() - lastRoundAgeMs);
      return {
        cursor: cursor ? { signature: cursor.signature, slot: toInteger(cursor.slot) } : null,
        lag_seconds: lastRoundAgeMs === undefined ? null : Math.max(0, Math.round(lastRoundAgeMs)) / 1_000,
        last_seen_at: seenAt?.toISOString() ?? null,
        seen_slot: seen ? toInteger(seen.slot) : null,
        led,
        dead_letters: deadLetters,
      };
    });
  };
}
