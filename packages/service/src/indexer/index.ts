export { type Indexer, startIndexer } from './indexer.js';
