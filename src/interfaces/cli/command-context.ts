import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { readSettings, SettingName, Settings } from "../../platform/config/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { RelayError, usageError } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { withoutCallbackTokens, withTextsMasked } from "../../platform/values/index.ts";
import { plainJson, plainLines } from "./table.ts";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

type Input = Readable & { readonly isTTY?: boolean };

interface CommandContextOptions {
  environment: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
  signals: StopSignals;
  /** Answers to prompts are read from here; without it, a prompt counts as refused. */
  stdin?: Input | undefined;
}

/**
 * A command's access to the outside: settings, output, the database, requests to stop, the exit code.
 */
export class CommandContext {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The environment, with what a `--settings` file adds to it. */
  readonly environment: Record<string, string | undefined>;
  /** The settings in the `--settings` file, which was named on purpose. */
  settingsInFile: Readonly<Record<string, string | undefined>> = {};
  /** Whether the result, or an error, is wanted as JSON. */
  json = false;
  exitCode = 0;
  readonly #signals: StopSignals;
  readonly #stdin: Input | undefined;
  /** Loaded when a command begins: its help needs no settings. */
  #readSettings: typeof readSettings | null = null;

  constructor({ environment, stdout, stderr, signals, stdin }: CommandContextOptions) {
    this.environment = environment;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#signals = signals;
    this.#stdin = stdin;
  }

  /**
   * Called once, before the command's action.
   * @throws RelayError when the settings file cannot be read, or contains an unknown setting
   */
  async begin(options: { settingsFile: string | null }): Promise<void> {
    this.#readSettings = (await import("../../platform/config/index.ts")).readSettings;
    if (options.settingsFile === null) return;
    const { readSettingsFile } = await import("./settings-file.ts");
    // Into the environment itself, because the AWS SDK reads its credentials from there.
    this.settingsInFile = await readSettingsFile(options.settingsFile);
    for (const [name, value] of Object.entries(this.settingsInFile)) this.environment[name] ||= value;
  }

  settings<const Required extends SettingName = never>(
    required: readonly Required[] = [],
  ): Settings<Required> {
    if (this.#readSettings === null) throw new TypeError("a command reads its settings after its beginning");
    return this.#readSettings(this.environment, required);
  }

  /**
   * Prints the result with callback tokens masked: as JSON with `--json`, otherwise as `human` renders it.
   */
  show<Value>(value: Value, human: (value: Value) => string): void {
    this.print(this.json ? maskedJson(value, 2) : withoutCallbackTokens(human(value)));
  }

  /** Prints one of many results as it arrives; with `--json`, one JSON document a line. */
  showLine<Value>(value: Value, human: (value: Value) => string): void {
    this.print(this.json ? maskedJson(value) : withoutCallbackTokens(human(value)));
  }

  /**
   * Prints a line (or several) of the result. Text of strangers in it never reaches a terminal as a command.
   */
  print(text: string): void {
    this.stdout.write(`${this.json ? plainJson(text) : plainLines(text)}\n`);
  }

  /** The named thing does not exist: exit code 3. */
  notFound(): void {
    this.exitCode = 3;
  }

  /**
   * Asks for consent to something that cannot be undone, unless `--yes` was given.
   * @throws RelayError when there is no terminal to ask on, or the answer is no; nothing was changed then.
   */
  async confirm(question: string, yes: boolean | undefined): Promise<void> {
    if (yes === true) return;
    if (this.#stdin?.isTTY !== true)
      throw usageError(
        `${question} There is no terminal to ask on, so nothing was changed. Add --yes to confirm.`,
      );
    if (await agrees(plainLines(question), this.#stdin, this.stderr)) return;
    throw new RelayError("Nothing was changed.");
  }

  /** A line that is not part of the result. */
  remark(text: string): void {
    this.stderr.write(`${plainLines(text)}\n`);
  }

  /** The command worked, and what it found is bad news: exit code 1. */
  fault(): void {
    this.exitCode = 1;
  }

  /** Something that this depends on does not answer: exit code 4. */
  away(): void {
    this.exitCode = 4;
  }

  /**
   * Opens the database in DATABASE_URL for the duration of the work.
   * @throws SettingsError without DATABASE_URL; RelayError when its schema does not match this program.
   */
  async withDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
    const { DATABASE_URL } = this.settings(["DATABASE_URL"]);
    const { connect } = await import("../../platform/database/index.ts");
    const { requireSchema } = await import("../../platform/database/index.ts");
    const connection = connect(DATABASE_URL, { max: 4, applicationName: "invoice-relay command" });
    try {
      await requireSchema(connection.db, "relay");
      return await work(connection.db);
    } finally {
      await connection.close();
    }
  }

  /**
   * The log of local services, on stderr: warnings and errors, unless LOG_LEVEL says otherwise in words of
   * ours.
   */
  async localLog(): Promise<Logger> {
    const { createLogger } = await import("../../platform/log/index.ts");
    const { settingsSchema } = await import("../../platform/config/index.ts");
    const level = settingsSchema.shape.LOG_LEVEL.safeParse(this.environment.LOG_LEVEL || "warn");
    return createLogger({
      level: level.data ?? "warn",
      destination: { write: (line) => void this.stderr.write(plainJson(line)) },
    });
  }

  /** From now on SIGTERM and SIGINT request a stop; a second signal ends the process at once. */
  listenForStop(): StopRequest {
    return new StopRequest(this.#signals, (text) => this.remark(text));
  }
}

const maskedJson = (value: unknown, indent?: number): string =>
  JSON.stringify(withTextsMasked(value, withoutCallbackTokens), null, indent);

function agrees(
  question: string,
  input: Readable,
  output: { write(text: string): unknown },
): Promise<boolean> {
  output.write(`${question} [y/N] `);
  const lines = createInterface({ input });
  return new Promise((resolve) => {
    lines.once("line", (line) => {
      resolve(/^\s*y(es)?\s*$/i.test(line));
      lines.close();
    });
    lines.once("close", () => resolve(false));
  });
}

/** The part of `process` that this needs. */
interface StopSignals {
  on(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  off(signal: "SIGTERM" | "SIGINT", listener: () => void): unknown;
  exit(code: number): unknown;
}

/** npm forwards Ctrl-C although the terminal has sent it already: within this time, in ms, it counts once. */
const SAME_REQUEST_MS = 300;

/** A request to stop, by SIGTERM or SIGINT. */
class StopRequest {
  /** Aborted when a stop is requested. */
  readonly signal: AbortSignal;
  /** Resolves at the same time. */
  readonly asked: Promise<void>;
  readonly #signals: StopSignals;
  readonly #remark: (text: string) => void;
  /** Gives the signals back their default effect. */
  readonly release: () => void;

  constructor(signals: StopSignals, remark: (text: string) => void) {
    this.#signals = signals;
    this.#remark = remark;
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    let askedAt: number | null = null;
    const onSignal = () => {
      const now = performance.now();
      if (askedAt === null) {
        askedAt = now;
        controller.abort();
        resolve();
      } else if (now - askedAt > SAME_REQUEST_MS) {
        remark("Stopped at once; unfinished work is resumed at the next start.");
        signals.exit(1);
      }
    };
    for (const name of ["SIGTERM", "SIGINT"] as const) signals.on(name, onSignal);
    this.release = () => {
      for (const name of ["SIGTERM", "SIGINT"] as const) signals.off(name, onSignal);
    };
    this.signal = controller.signal;
    this.asked = promise;
  }

  /** Waits for the last work; ends the process with exit code 1 if that takes longer than `graceMs`. */
  async finish(work: Promise<void>, graceMs = 10_000): Promise<void> {
    const deadline = setTimeout(() => {
      this.#remark(
        `Some work was not finished within ${graceMs / 1_000} s; it is resumed when its lease ends.`,
      );
      this.#signals.exit(1);
    }, graceMs);
    try {
      await work;
    } finally {
      clearTimeout(deadline);
      this.release();
    }
  }
}
