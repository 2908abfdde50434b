/**
 * Sessions of the database that outlive the processes of a run. A session that PostgreSQL has to begin reads its catalogue again,
 * which takes longer than all that a process does with it; so those that are over are reset and lent again.
 */
import { AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { Duplex } from 'node:stream';
import { actors } from './virtual-time.js';

/** Counts whole messages of PostgreSQL's protocol in what arrives in parts: a letter, and a length that counts itself. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  readonly #see: (letter: string, message: Buffer) => void;

  constructor(see: (letter: string, message: Buffer) => void) {
    this.#see = see;
  }

  add(bytes: Buffer): void {
    let rest = this.#rest.length ? Buffer.concat([this.#rest, bytes]) : bytes;
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const length = rest.readUInt32BE(1) + 1;
      this.#see(String.fromCharCode(rest[0] ?? 0), rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.#rest = rest;
  }
}

const messageOf = (letter: string, content: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(letter), length, content]);
};
const queryOf = (text: string) => messageOf('Q', Buffer.from(`${text}\0`));
const authenticated = messageOf('R', Buffer.alloc(4));
const ready = messageOf('Z', Buffer.from('I'));
/** What a session that ends leaves behind goes; the second cannot be done in a transaction. */
const reset = Buffer.concat([queryOf('rollback'), queryOf('discard all')]);
/** The letters of what a client learns of a session at its beginning: settings, and the key to cancel with. */
const begins = 'SK';

/** A session that there is, lent to one client after the other. */
class Session {
  readonly socket: net.Socket;
  /** What the server sent its first client. */
  readonly beginning: Buffer[] = [authenticated];
  /** Responses that are still to come. */
  outstanding = 1;
  onBytes: (bytes: Buffer) => void = () => {};
  onReady: () => void = () => {};
  onClose: () => void = () => {};
  readonly sent = new Messages((letter) => {
    // Of a query, and of what is prepared, up to where both sides meet again.
    if (letter === 'Q' || letter === 'S') this.outstanding += 1;
  });

  constructor(socket: net.Socket) {
    this.socket = socket;
    let isNew = true;
    const received = new Messages((letter, message) => {
      if (isNew && begins.includes(letter)) this.beginning.push(Buffer.from(message));
      if (letter !== 'Z') return;
      isNew = false;
      this.outstanding -= 1;
      this.onReady();
    });
    socket.on('data', (bytes) => {
      received.add(bytes);
      this.onBytes(bytes);
    });
    socket.on('error', () => {});
    socket.on('close', () => this.onClose());
  }
}

/** Lends sessions. */
export class Sessions {
  /** By what clients want of one: database, user, settings. */
  readonly #idle = new Map<string, Session[]>();
  readonly #resetting = new Set<Promise<unknown>>();

  /** Has every client that is made within an actor share sessions. Once in a process. */
  install(): void {
    net.Socket = new Proxy(net.Socket, {
      construct: (target, args, made) =>
        actors.getStore() ? new SharedSocket(this) : Reflect.construct(target, args, made),
    });
    syncBuiltinESMExports();
  }

  take(wants: string): Session | undefined {
    return this.#idle.get(wants)?.pop();
  }

  /** Takes a session back that no query runs in. */
  giveBack(wants: string, session: Session): void {
    session.onBytes = () => {};
    session.outstanding = 2;
    const over = new Promise<void>((resolve) => {
      session.onClose = resolve;
      session.onReady = () => {
        if (session.outstanding > 0) return;
        session.onReady = () => {};
        const idle = this.#idle.get(wants) ?? [];
        this.#idle.set(wants, idle);
        idle.push(session);
        resolve();
      };
    });
    session.socket.write(reset);
    this.#resetting.add(over);
    void over.then(() => this.#resetting.delete(over));
  }

  /** Whether a session still has something of its last client. */
  get isBusy(): boolean {
    return this.#resetting.size > 0;
  }

  /** Resolves when none has. */
  async settled(): Promise<void> {
    await Promise.all(this.#resetting);
  }

  async end(): Promise<void> {
    await this.settled();
    for (const session of [...this.#idle.values()].flat()) session.socket.destroy();
    this.#idle.clear();
  }
}

/** What a client has for a socket: its session is one of those that there are, if one is free. */
export class SharedSocket extends Duplex {
  readonly #sessions: Sessions;
  readonly #maker = new AsyncResource('SharedSocket');
  #to: { port: number; host: string } | undefined;
  #wants: string | undefined;
  #session: Session | undefined;

  constructor(sessions: Sessions) {
    super();
    this.#sessions = sessions;
  }

  connect(port: number, host: string): this {
    this.#to = { port, host };
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  /** Whether nothing is under way, so that its session can be lent to another. */
  get isIdle(): boolean {
    return this.#session?.outstanding === 0;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const session = this.#session;
    if (!session) this.#begin(bytes).then(() => done(), done);
    else if (bytes[0] === 'X'.charCodeAt(0)) done();
    else {
      session.sent.add(bytes);
      session.socket.write(bytes, done);
    }
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', done);
  }

  override _final(done: (error?: Error | null) => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const session = this.#session;
    this.#session = undefined;
    if (session?.outstanding === 0 && this.#wants !== undefined)
      this.#sessions.giveBack(this.#wants, session);
    else session?.socket.destroy();
    done(error);
  }

  /** The first bytes are what a client wants of a session. */
  async #begin(bytes: Buffer): Promise<void> {
    this.#wants = bytes.toString('latin1');
    const known = this.#sessions.take(this.#wants);
    if (known) {
      this.#lend(known);
      this.#give(Buffer.concat([...known.beginning, ready]));
      return;
    }
    await actors.exit(async () => {
      const { port = 0, host = '' } = this.#to ?? {};
      const socket = net.connect(port, host);
      await once(socket, 'connect');
      this.#lend(new Session(socket));
      socket.write(bytes);
    });
  }

  #lend(session: Session): void {
    this.#session = session;
    session.onBytes = (bytes) => this.#give(bytes);
    session.onClose = () => this.destroy();
  }

  #give(bytes: Buffer): void {
    this.#maker.runInAsyncScope(() => this.push(bytes));
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
