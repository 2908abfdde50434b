/** The schema or the roles of the database are not as they have to be. The message is for the person who runs Karat. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** What to say of a database that was not migrated, or not far enough. */
export const missingTables =
  "The database at DATABASE_URL does not have this version's tables: run karat migrate";
