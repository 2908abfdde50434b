/** Measures pages of lists. Arguments: address of the database, its number of trades. Sends what it measured. */
import { measureCases } from '../groups/lists.js';

const [url = '', rows = '0'] = process.argv.slice(2);
process.send?.(await measureCases(url, Number.parseInt(rows, 10)), () => process.exit());
