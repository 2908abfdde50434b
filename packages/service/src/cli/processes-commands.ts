import type { Command } from './command.js';

const processCommand = (name: string, summary: string): Command => ({
  name,
  summary,
  details: ['Several can run in one process: karat serve,index,keep,deliver'],
  options: [],
  takesWords: true,
  isEndless: true,
  run: async (call) => (await import('./processes.js')).start(call),
});

export const processesCommands: Command[] = [
  processCommand('serve', 'serve the APIs, all of the two below'),
  processCommand('serve-partners', 'serve the APIs of partners alone, without the keys of operators'),
  processCommand('serve-operators', 'serve the API of operators alone, without the key that signs quotes'),
  processCommand('index', 'read the chain and write the records; of several processes, one leads'),
  processCommand('keep', 'set the state of the market and watch the books; of several processes, one leads'),
  processCommand('deliver', 'send webhooks; several processes share the work'),
];
