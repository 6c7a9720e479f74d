import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Milliseconds of the machine's monotonic clock: the same in every process, so that times may be compared. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Functions that a process of the bench offers its parent, by name. */
export type Calls = Record<string, (argument: never) => unknown>;

type Argument<Call> = Call extends () => unknown
  ? []
  : Call extends (argument: infer A) => unknown
    ? [A]
    : [];
type Result<Call> = Call extends (...given: never) => infer R ? Awaited<R> : never;

/** A running file of `bench/processes`, seen from the parent. */
export interface Child<C extends Calls> {
  readonly pid: number;
  /** @throws Error with the child's own words, or because it ended. */
  call<Name extends keyof C & string>(name: Name, ...argument: Argument<C[Name]>): Promise<Result<C[Name]>>;
  /** Calls its `stop`, if it has one; resolves when the process is gone. */
  end(): Promise<void>;
  /** Ends it at once. */
  kill(): Promise<void>;
}

interface Request {
  number: number;
  name: string;
  argument: unknown;
}

interface Response {
  number: number;
  result?: unknown;
  error?: string;
}

const ENDS_WITHIN_MS = 5_000;

/** Starts `bench/processes/<name>.ts` with garbage collection at hand; its output goes to our stderr. */
export function startChild<C extends Calls>(name: string): Child<C> {
  const child = fork(join(import.meta.dirname, "../processes", `${name}.ts`), [], {
    serialization: "advanced",
    execArgv: ["--expose-gc"],
    stdio: ["ignore", 2, 2, "ipc"],
    env: { ...process.env, AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench" },
  });
  const waiting = new Map<number, (response: Response) => void>();
  const ended = once(child, "exit").then(([code]) => {
    for (const [number, settle] of waiting) settle({ number, error: `it ended with ${code}` });
  });
  // Reported by `exit`, or to the caller.
  child.on("error", () => undefined);
  child.on("message", (response: Response) => {
    waiting.get(response.number)?.(response);
    waiting.delete(response.number);
  });
  let calls = 0;
  const call = (wanted: string, argument?: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      if (!child.connected) return reject(new Error(`${name} has ended`));
      calls += 1;
      waiting.set(calls, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(`${name}: ${error}`)),
      );
      child.send({ number: calls, name: wanted, argument }, (error) => error && reject(error));
    });
  const kill = async () => {
    if (child.connected) child.disconnect();
    const slow = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN_MS);
    await ended;
    clearTimeout(slow);
  };
  return {
    pid: child.pid ?? 0,
    call: (wanted, ...[argument]) => call(wanted, argument) as Promise<never>,
    end: () => call("stop").then(kill),
    kill,
  };
}

/**
 * The child's side: answers the parent's calls, and ends when the parent does, however that ends. Ctrl-C is
 * left to the parent, which stops its children in order.
 */
export function answerParent(calls: Calls): void {
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit());
  process.on("message", async ({ number, name, argument }: Request) => {
    const response: Response = { number };
    try {
      response.result = await calls[name]?.(argument as never);
    } catch (error) {
      response.error = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    // The parent may have gone meanwhile; "disconnect" then ends this process.
    if (process.connected) process.send?.(response, undefined, undefined, () => undefined);
  });
}
