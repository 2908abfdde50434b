export { type Indexer, type IndexerStatus, startIndexer } from './indexer.js';
export type { Tuning } from './tuning.js';
