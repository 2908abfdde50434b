import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox';
import { removeView, saveView } from '../../actions/operators/save-view.js';
import type { Context } from '../../context.js';
import { findViews, type SavedView } from '../../db/operators/saved-views.js';
import { filterNamePattern, maxViewsOfList, viewLists } from '../../domain/saved-view.js';
import { about } from '../../views/fields.js';
import { choice, closed, freeObject, Name, titled } from '../../views/schemas.js';
import { viewOf } from '../../views/view.js';
import { codes, tagRoutes } from '../openapi/conventions.js';
import { route } from '../server/route.js';
import { field as common } from './fields.js';
import { actOnce } from './operations.js';
import { read, readAndKeep } from './shapes.js';

const field = {
  viewId: about('Id of the view.', '019ca945-0a00-7c3e-9d61-4b8f2a7e5c10'),
  list: about('The list that it is of: the path of the list.', 'redemptions'),
  name: about(
    'What you call it; saving another filter under the same name replaces the first.',
    'Mine in Karachi',
  ),
  filter: about('Values of the filters of the list, by their names.', { assigned_to: 'me', city: 'Karachi' }),
};

const SavedViewView = titled('SavedView', {
  view_id: Type.String(field.viewId),
  list: choice(viewLists, field.list),
  name: Type.String(field.name),
  filter: freeObject(field.filter),
  created_at: Type.String(common.createdAt),
});

const listRoute = route(read, {
  operationId: 'listViews',
  summary: 'List your saved views',
  description:
    'Filters of lists that you have saved with a name, in the order in which they were saved. No other operator sees them.',
  querystring: Type.Partial(
    Type.Object({ list: choice(viewLists, { ...field.list, description: 'Only those of this list.' }) }),
  ),
  response: { 200: Type.Object({ views: Type.Array(SavedViewView) }) },
});

const saveRoute = route(readAndKeep, {
  operationId: 'saveView',
  summary: 'Save a view',
  description: `Saves the filter of a list with a name, for you alone, and at most ${maxViewsOfList} for each list. What is searched for (\`q\`) cannot be part of it, because it may be a customer's name.`,
  errors: codes('transition_not_allowed'),
  body: closed({
    list: choice(viewLists, field.list),
    name: Name(100, field.name),
    filter: Type.Unsafe<Record<string, string>>({
      ...field.filter,
      type: 'object',
      propertyNames: { pattern: filterNamePattern },
      additionalProperties: { type: 'string' },
    }),
  }),
  response: { 200: SavedViewView },
});

const deleteRoute = route(readAndKeep, {
  operationId: 'deleteView',
  summary: 'Delete a view',
  description: 'Deletes one of your own saved views, and returns it.',
  errors: codes('not_found'),
  params: Type.Object({ view_id: Type.String(field.viewId) }),
  response: { 200: SavedViewView },
});

/** Filters of lists that operators have saved, each for the operator alone. */
export function viewRoutes(ctx: Context): FastifyPluginAsyncTypebox {
  return async (app) => {
    tagRoutes(app, 'Overview');
    app.get('/views', listRoute, async ({ query, operator }) => ({
      views: (await findViews(ctx.db, operator.personId, query.list)).map(toView),
    }));

    app.post('/views', saveRoute, async (request, reply) => {
      const { personId: operatorId } = request.operator;
      return actOnce(ctx, reply, saveView, { operatorId, ...request.body }, toView);
    });

    app.delete('/views/:view_id', deleteRoute, async (request, reply) => {
      const input = { operatorId: request.operator.personId, viewId: request.params.view_id };
      return actOnce(ctx, reply, removeView, input, toView);
    });
  };
}

const savedViewView = viewOf(SavedViewView);
const toView = (view: SavedView) => savedViewView({ ...view, viewId: view.id });
