import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TcpProxy } from "../../test/support/tcp-proxy.ts";
import type { Happening, Recorder } from "../checker/history.ts";
import { until } from "./run-lab.ts";

const MAIN = join(import.meta.dirname, "../../src/interfaces/cli/main.ts");
const COMPILED = join(import.meta.dirname, "../../node_modules/.cache/test-compile-cache");

/** How long a process may take to end, in ms; Docker allows 10 s, Kubernetes 30 s. */
const KILLED_AFTER_MS = 20_000;

const living = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

/** The program as a process. Its output goes to a log file; alarms in it, its ends and pauses into the history. */
class RelayProcess {
  /** The exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #recorder: Recorder;
  readonly #lines: string[] = [];
  #hasEnded = false;

  constructor(
    { name, folder, recorder }: RelayOptions,
    words: readonly string[],
    start: Required<StartOptions>,
  ) {
    this.#name = name;
    this.#recorder = recorder;
    const { PATH, HOME } = process.env;
    this.#child = spawn(process.execPath, [...start.nodeArgs, MAIN, ...words], {
      env: { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...start.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    living.add(this.#child);
    const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" });
    this.#child.stderr?.pipe(log, { end: false });
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      log.write(`${line}\n`);
      this.#lines.push(line);
      if (this.#lines.length > 200) this.#lines.shift();
      if (line.includes('"alarm')) this.#recordAlarm(JSON.parse(line));
    });
    this.#tell("started");
    this.ended = once(this.#child, "close").then(([code]) => {
      living.delete(this.#child);
      this.#hasEnded = true;
      this.#tell("ended", { code: code as number | null, doing: words[0] ?? "" });
      log.end();
      return code as number | null;
    });
  }

  get alive(): boolean {
    return !this.#hasEnded;
  }

  /** Waits for a line of its stdout. @throws Error with its last lines when it ends before, or the time is over. */
  async says(pattern: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    const find = () => this.#lines.map((line) => pattern.exec(line)).find((found) => found !== null);
    await until(async () => !this.alive || find() !== undefined, { withinMs, everyMs: 10 });
    const found = find();
    if (found === undefined || found === null)
      throw new Error(`${this.#name} did not say ${pattern}, but: ${this.#lines.slice(-5).join("\n")}`);
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

  #recordAlarm({ alarm, alarmCleared, source = "", subject = "" }: Record<string, string | undefined>): void {
    const name = alarm ?? alarmCleared;
    if (name === undefined) return;
    const raised = alarm !== undefined;
    this.#recorder.record({ what: "alarm", process: this.#name, name, source, subject, raised });
  }

  #tell(state: Happening<"process">["state"], end: Pick<Happening<"process">, "doing" | "code"> = {}): void {
    this.#recorder.record({ what: "process", name: this.#name, pid: this.#child.pid ?? 0, state, ...end });
  }
}

/** The links of one relay, each through a proxy; `callbacks` leads from their senders to the relay. */
export type LinkName = "callbacks" | "postgres" | "provider" | "sns";

interface RelayOptions {
  name: string;
  folder: string;
  recorder: Recorder;
  /** Settings, with the database's address without the proxy. */
  environment: Record<string, string>;
  /** The content of its SOURCES_FILE, given the provider's address for this relay. */
  sourcesFile(collectionApiUrl: string): unknown;
  ports: { postgres: number; provider: number; sns: number };
}

interface StartOptions {
  /** Arguments for Node, before the program. */
  nodeArgs?: readonly string[];
  environment?: Record<string, string>;
}

/** A place where `serve` runs: the links stay while its process may be killed and restarted. */
export class Relay {
  readonly name: string;
  readonly links: Record<LinkName, TcpProxy>;
  readonly #options: RelayOptions;
  #process: RelayProcess | null = null;

  private constructor(options: RelayOptions, links: Record<LinkName, TcpProxy>) {
    this.name = options.name;
    this.#options = options;
    this.links = links;
  }

  /** Creates the links, without starting `serve`. */
  static async place(options: RelayOptions): Promise<Relay> {
    const { postgres, provider, sns } = options.ports;
    const relay = new Relay(options, {
      callbacks: await TcpProxy.start(),
      postgres: await TcpProxy.start(postgres),
      provider: await TcpProxy.start(provider),
      sns: await TcpProxy.start(sns),
    });
    const sources = options.sourcesFile(`http://127.0.0.1:${relay.links.provider.port}`);
    await writeFile(relay.#sourcesFile, JSON.stringify(sources));
    return relay;
  }

  /** Its process. @throws Error when there is none. */
  get process(): RelayProcess {
    if (this.#process === null) throw new Error(`${this.name} was never started.`);
    return this.#process;
  }

  get runs(): boolean {
    return this.#process?.alive ?? false;
  }

  /** Where callbacks go. */
  get callbackUrl(): string {
    return `http://127.0.0.1:${this.links.callbacks.port}`;
  }

  get #sourcesFile(): string {
    return join(this.#options.folder, `${this.name}.sources.json`);
  }

  /** The program with this relay's settings and links, for `serve` or another command. */
  launch(words: readonly string[], { nodeArgs = [], environment = {} }: StartOptions = {}): RelayProcess {
    const settings = {
      ...this.#options.environment,
      PORT: "0",
      SOURCES_FILE: this.#sourcesFile,
      DATABASE_URL: this.links.postgres.through(this.#options.environment.DATABASE_URL ?? ""),
      AWS_ENDPOINT_URL_SNS: `http://127.0.0.1:${this.links.sns.port}`,
      ...environment,
    };
    return new RelayProcess(this.#options, words, { nodeArgs, environment: settings });
  }

  /** Starts `serve` and resolves when it accepts callbacks. @throws Error with its last lines if it does not. */
  async start(start: StartOptions = {}, withinMs?: number): Promise<void> {
    this.#process = this.launch(["serve"], start);
    const [, port] = await this.#process.says(/"port":(\d+)/, withinMs);
    this.links.callbacks.moveTo(Number(port));
  }

  /** Starts it until it runs, as a supervisor would: it may end because Postgres is away. */
  async startUntilItRuns(): Promise<void> {
    await until(async () => {
      if (!this.runs) await this.start().catch(() => undefined);
      return this.runs;
    });
  }

  /** Ends the faults of all links. */
  heal(): void {
    for (const link of Object.values(this.links)) link.heal();
  }

  async close(): Promise<void> {
    await this.#process?.kill();
    await Promise.all(Object.values(this.links).map((link) => link.close()));
  }
}
