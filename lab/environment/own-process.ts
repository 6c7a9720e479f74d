import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Happening } from "../history/history.ts";
import type { Recorder } from "../history/recorder.ts";
import { until } from "./until.ts";

interface OwnProcessOptions {
  /** Names it in the history, and its log file there. */
  name: string;
  /** What it does, such as `serve`. */
  doing: string;
  /** Arguments for Node. */
  args: readonly string[];
  environment: Record<string, string>;
  folder: string;
  recorder: Recorder;
  /** Called with every line of its stdout. */
  onLine(line: string): void;
}

const COMPILED = join(import.meta.dirname, "../../node_modules/.cache/test-compile-cache");
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
      options.onLine(line);
    });
    this.#tell("started");
    this.ended = once(this.#child, "close").then(([code]) => {
      living.delete(this.#child);
      this.#hasEnded = true;
      this.#tell("ended", { code: code as number | null, doing: options.doing });
      log.end();
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
    const find = () => this.#lines.map((line) => pattern.exec(line)).find((found) => found !== null);
    await until(async () => !this.alive || find() !== undefined, { withinMs, everyMs: 10 });
    const found = find();
    if (found === undefined || found === null)
      throw new Error(`${this.name} did not say ${pattern}, but: ${this.#lines.slice(-5).join("\n")}`);
    return found;
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
    const timeout = setTimeout(() => void this.kill(), KILLED_AFTER_MS);
    const code = await this.ended;
    clearTimeout(timeout);
    return code;
  }

  pause(): void {
    this.stopsItself();
    this.#child.kill("SIGSTOP");
  }

  /** It stops itself at about this time; a signal as well could arrive too early and stop it twice. */
  stopsItself(): void {
    this.#tell("paused");
  }

  continue(): void {
    this.#child.kill("SIGCONT");
    this.#tell("continued");
  }

  #tell(state: Happening<"process">["state"], end: Pick<Happening<"process">, "doing" | "code"> = {}): void {
    this.#recorder.record({ what: "process", name: this.name, pid: this.pid, state, ...end });
  }
}
