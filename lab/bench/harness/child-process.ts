import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { AnswerMessage, Calls } from "./answer-parent.ts";

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
  /** Resolves when it is gone. */
  end(): Promise<void>;
}

const ENDS_WITHIN_MS = 5_000;

/** Starts `bench/processes/<name>.ts` with garbage collection at hand; what it prints goes to our stderr. */
export function startChild<C extends Calls>(name: string): Child<C> {
  const file = join(import.meta.dirname, "../processes", `${name}.ts`);
  const child = fork(file, [], {
    serialization: "advanced",
    execArgv: ["--expose-gc"],
    stdio: ["ignore", 2, 2, "ipc"],
    env: { ...process.env, AWS_ACCESS_KEY_ID: "bench", AWS_SECRET_ACCESS_KEY: "bench" },
  });
  const waiting = new Map<number, (answer: AnswerMessage) => void>();
  const ended = once(child, "exit").then(([code]) => {
    for (const [number, tell] of waiting) tell({ number, error: `${name} ended with ${code}` });
  });
  // Told by `exit`, or to whoever calls.
  child.on("error", () => undefined);
  child.on("message", (answer: AnswerMessage) => {
    waiting.get(answer.number)?.(answer);
    waiting.delete(answer.number);
  });
  let calls = 0;
  return {
    pid: child.pid ?? 0,
    call: (call, ...[argument]) =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null || !child.connected) return reject(new Error(`${name} has ended`));
        calls += 1;
        waiting.set(calls, ({ result, error }) =>
          error === undefined ? resolve(result as never) : reject(new Error(`${name}: ${error}`)),
        );
        child.send({ number: calls, name: call, argument }, (error) => {
          if (error !== null) reject(new Error(`${name} has ended: ${error.message}`));
        });
      }),
    end: () => end(child, ended),
  };
}

async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.connected) child.disconnect();
  const slow = setTimeout(() => child.kill("SIGKILL"), ENDS_WITHIN_MS);
  await ended;
  clearTimeout(slow);
}
