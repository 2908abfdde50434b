import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import type { Context } from '../../context.js';
import { countDeadLetters } from '../../db/indexing/dead-letters.js';
import { findIndexingState, findProgress } from '../../db/indexing/indexer-progress.js';
import { toInteger } from '../../domain/integer.js';
import { Nullable } from '../../views/schemas.js';
import { tagRoutes } from '../openapi/conventions.js';
import { read } from './shapes.js';
import { statusField as field } from './status-fields.js';

const schema = {
  operationId: 'getIndexer',
  summary: 'Get the progress of the indexer',
  description: 'Returns how far the chain is recorded in the database, whichever process does the indexing.',
  response: {
    200: Type.Object({
      slot: Nullable(Type.Integer(), field.recordedSlot),
      complete_slot: Nullable(Type.Integer(), field.completeSlot),
      missing: Nullable(Type.String(), field.missing),
      missing_seconds: Nullable(Type.Number(), field.missingSeconds),
      lag_seconds: Nullable(Type.Number(), field.lagSeconds),
      last_seen_at: Nullable(Type.String(), field.lastSeenAt),
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
      const [progress, { led, lastRoundAgeMs, missing }, deadLetters] = await Promise.all([
        findProgress(ctx.db),
        findIndexingState(ctx.db),
        countDeadLetters(ctx.db),
      ]);
      const seenAt = lastRoundAgeMs === undefined ? undefined : new Date(ctx.clock.now() - lastRoundAgeMs);
      return {
        slot: slotOf(progress?.slot),
        complete_slot: slotOf(progress?.completeSlot),
        missing: missing?.text ?? null,
        missing_seconds: missing ? Math.round(missing.ageMs) / 1_000 : null,
        lag_seconds: lastRoundAgeMs === undefined ? null : Math.max(0, Math.round(lastRoundAgeMs)) / 1_000,
        last_seen_at: seenAt?.toISOString() ?? null,
        led,
        dead_letters: deadLetters,
      };
    });
  };
}

/** Returns a slot as a number; null before the first. */
function slotOf(slot: bigint | undefined): number | null {
  return slot === undefined || slot < 0n ? null : toInteger(slot);
}
