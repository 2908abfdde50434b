export type FaultMode = 'error' | 'hang' | 'close';

export interface Fault {
  mode: FaultMode;
  /** Only calls whose parameters, as JSON, contain this text fail; every call when it is empty. */
  about: string;
  code: number;
  message: string;
}

/** Failures that tests request: the next calls of a method fail in a given way. */
export class Faults {
  readonly #byMethod = new Map<string, { fault: Fault; left: number }>();

  inject(method: string, fault: Fault, times: number): void {
    this.#byMethod.set(method, { fault, left: times });
  }

  clear(): void {
    this.#byMethod.clear();
  }

  /** Returns the fault that this call of a method has to fail with; counts it as used. */
  take(method: string, params: unknown): Fault | undefined {
    const planned = this.#byMethod.get(method);
    if (!planned || !JSON.stringify(params ?? null).includes(planned.fault.about)) return undefined;
    planned.left -= 1;
    if (planned.left <= 0) this.#byMethod.delete(method);
    return planned.fault;
  }
}
