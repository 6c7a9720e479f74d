import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ProcessChanged } from "../history/history.ts";
import type { Recorder } from "../history/recorder.ts";

export interface OwnProcessOptions {
  /** Names it in the history, and its log file there. */
  name: string;
  /** What it does, such as `serve`. */
  doing?: string;
  /** Arguments for Node. */
  args: readonly string[];
  environment?: Record<string, string | undefined>;
  folder: string;
  recorder: Recorder;
  /** Called with every line of its stdout. */
  onLine?(line: string): void;
}

const COMPILED = join(import.meta.dirname, "../../../node_modules/.cache/test-compile-cache");
/** How long a process may take to end, in ms; Docker allows 10 s, Kubernetes 30 s. */
const KILLED_AFTER_MS = 20_000;

const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

/**
 * A Node process of a run. Its output goes to a log file, its ends and pauses into the history.
 */
export class OwnProcess {
  readonly name: string;
  /** The exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #recorder: Recorder;
  readonly #lines: string[] = [];
  readonly #watchers = new Set<(line: string | null) => void>();
  #hasEnded = false;

  constructor(options: OwnProcessOptions) {
    const { name, folder, args } = options;
    this.name = name;
    this.#recorder = options.recorder;
    const { PATH, HOME } = process.env;
    this.#child = spawn(process.execPath, args, {
      env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...options.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    living.add(this.#child);
    const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" });
    this.#child.stderr?.pipe(log, { end: false });
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      log.write(`${line}\n`);
      this.#lines.push(line);
      if (this.#lines.length > 200) this.#lines.shift();
      options.onLine?.(line);
      for (const watcher of this.#watchers) watcher(line);
    });
    this.#tell("started");
    this.ended = once(this.#child, "close").then(([code]) => {
      living.delete(this.#child);
      this.#hasEnded = true;
      const { doing } = options;
      this.#tell("ended", { code: code as number | null, ...(doing === undefined ? {} : { doing }) });
      log.end();
      for (const watcher of this.#watchers) watcher(null);
      return code as number | null;
    });
  }

  get alive(): boolean {
    return !this.#hasEnded;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * Waits for a line of its stdout. @throws Error with its last lines when it ends before, or the time is
   * over.
   */
  async says(pattern: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    for (const line of this.#lines) {
      const found = pattern.exec(line);
      if (found !== null) return found;
    }
    return await new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(tooLong);
        this.#watchers.delete(watcher);
      };
      const fail = (why: string) => {
        done();
        reject(
          new Error(`${this.name} ${why} before it said ${pattern}: ${this.#lines.slice(-5).join("\n")}`),
        );
      };
      const watcher = (line: string | null) => {
        if (line === null) return fail("ended");
        const found = pattern.exec(line);
        if (found === null) return;
        done();
        resolve(found);
      };
      const tooLong = setTimeout(() => fail(`took ${withinMs} ms`), withinMs);
      this.#watchers.add(watcher);
      if (this.#hasEnded) fail("ended");
    });
  }

  kill(): Promise<number | null> {
    if (this.alive) this.#tell("killed");
    this.#child.kill("SIGKILL");
    return this.ended;
  }

  /** SIGTERM, as a deployment sends it, then SIGKILL if that was not enough. */
  async stop(): Promise<number | null> {
    if (this.alive) this.#tell("stopping");
    this.#child.kill("SIGTERM");
    const impatient = setTimeout(() => void this.kill(), KILLED_AFTER_MS);
    const code = await this.ended;
    clearTimeout(impatient);
    return code;
  }

  pause(): void {
    this.stopsItself();
    this.#child.kill("SIGSTOP");
  }

  /**
   * The process stops itself at about this time; a signal as well could arrive too early and stop it twice.
   */
  stopsItself(): void {
    this.#tell("paused");
  }

  continue(): void {
    this.#child.kill("SIGCONT");
    this.#tell("continued");
  }

  #tell(state: ProcessChanged["state"], end: Pick<ProcessChanged, "doing" | "code"> = {}): void {
    this.#recorder.record({ what: "process", name: this.name, pid: this.pid, state, ...end });
  }
}
