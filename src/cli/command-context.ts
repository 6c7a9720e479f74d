import type { Readable } from "node:stream";
import type { Database } from "../database/connect.ts";
import { RelayError } from "../kit/errors.ts";
import type { Logger } from "../kit/log.ts";
import { withoutCallbackTokens } from "../kit/mask/callback-tokens.ts";
import { withTextsMasked } from "../kit/mask/masked-texts.ts";
import { readSettings, type SettingName, type Settings } from "../kit/settings.ts";
import { agrees } from "./agrees.ts";
import { isColourful, type Look, paint } from "./paint.ts";
import { readSettingsFile } from "./settings-file.ts";
import { StopRequest, type StopSignals } from "./stop-request.ts";
import { plainJson, plainLines } from "./terminal-text.ts";

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
}

export type Input = Readable & { readonly isTTY?: boolean };

export interface CommandContextOptions {
  environment: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
  /** Where SIGTERM and SIGINT arrive. */
  signals: StopSignals;
  /** Where a person answers a question; nobody does when left out. */
  stdin?: Input | undefined;
}

/**
 * What a command has of the world outside: settings, output, the database, the wish to stop, its exit code.
 */
export class CommandContext {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The environment, with what a `--settings` file adds to it. */
  readonly environment: Record<string, string | undefined>;
  readonly #signals: StopSignals;
  readonly #stdin: Input | undefined;
  #json = false;
  #exitCode = 0;

  constructor({ environment, stdout, stderr, signals, stdin }: CommandContextOptions) {
    this.environment = environment;
    this.stdout = stdout;
    this.stderr = stderr;
    this.#signals = signals;
    this.#stdin = stdin;
  }

  /**
   * Called once, before the command's action.
   * @throws RelayError when the settings file cannot be read, or holds what is no setting
   */
  async begin(options: { settingsFile: string | null }): Promise<void> {
    if (options.settingsFile === null) return;
    // Into the environment itself: the AWS SDK looks there for credentials.
    for (const [name, value] of Object.entries(await readSettingsFile(options.settingsFile)))
      this.environment[name] ||= value;
  }

  /** Whether the result is wanted as JSON. */
  get json(): boolean {
    return this.#json;
  }

  /** Told before the command line is read, so that what is wrong with it comes as JSON too. */
  set json(wanted: boolean) {
    this.#json = wanted;
  }

  /** A person is watching the remarks. */
  get isTerminal(): boolean {
    return this.stderr.isTTY === true;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** @throws SettingsError that lists all that is missing or wrong. */
  settings<const Required extends SettingName = never>(
    required: readonly Required[] = [],
  ): Settings<Required> {
    return readSettings(this.environment, required);
  }

  /** Prints the result, callback tokens masked: as JSON with `--json`, else what `human` makes of it. */
  show<Value>(value: Value, human: (value: Value) => string): void {
    this.print(this.#json ? maskedJson(value, 2) : withoutCallbackTokens(human(value)));
  }

  /** The same for one of many results as they come: with `--json`, a line of JSON each. */
  showLine<Value>(value: Value, human: (value: Value) => string): void {
    this.print(this.#json ? maskedJson(value) : withoutCallbackTokens(human(value)));
  }

  /**
   * One line (or several) of the result. Nothing that strangers wrote in it reaches a terminal as a command.
   */
  print(text: string): void {
    this.stdout.write(`${this.#json ? plainJson(text) : plainLines(text)}\n`);
  }

  /** What was named is not there: exit code 3. */
  notFound(): void {
    this.#exitCode = 3;
  }

  /**
   * Lets a person agree to what cannot be undone, unless `--yes` said so already.
   * @throws RelayError when nobody is there to ask, or they do not agree: then nothing was changed.
   */
  async confirm(question: string, yes: boolean | undefined): Promise<void> {
    if (yes === true) return;
    if (this.#stdin?.isTTY !== true)
      throw new RelayError(
        `${question} Nobody is there to ask, so nothing was changed. Say --yes if it is meant.`,
        {
          next: "refuse",
          code: "usage",
        },
      );
    if (await agrees(plainLines(question), this.#stdin, this.stderr)) return;
    throw new RelayError("Nothing was changed.", { next: "refuse" });
  }

  /** A line that is not part of the result. */
  remark(text: string): void {
    this.stderr.write(`${plainLines(text)}\n`);
  }

  /** What went wrong, in a terminal with its first line in red. */
  complain(text: string): void {
    const [first = "", ...others] = text.split("\n");
    this.remark([paint(this.stderr, this.environment, "bad", first), ...others].join("\n"));
  }

  /** Coloured for the terminal that stdout is; as it is when piped or with NO_COLOR. */
  paint(look: Look, text: string): string {
    return paint(this.stdout, this.environment, look, text);
  }

  get isColourful(): boolean {
    return isColourful(this.stdout, this.environment);
  }

  /** The command did its work and the answer is bad news: exit code 1. */
  fault(): void {
    this.#exitCode = 1;
  }

  /** All is well here, but something else does not answer: exit code 4. */
  away(): void {
    this.#exitCode = 4;
  }

  /**
   * Opens the database in DATABASE_URL for as long as the work takes.
   * @throws SettingsError without DATABASE_URL; RelayError when its schema does not fit this program.
   */
  async withDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
    const { DATABASE_URL } = this.settings(["DATABASE_URL"]);
    const { connect } = await import("../database/connect.ts");
    const { requireSchema } = await import("../database/migrate.ts");
    const connection = connect(DATABASE_URL, { max: 4, applicationName: "invoice-relay command" });
    try {
      await requireSchema(connection.db, "relay");
      return await work(connection.db);
    } finally {
      await connection.close();
    }
  }

  /** The log of what runs for local use, on stderr: warnings and worse, unless LOG_LEVEL says otherwise. */
  async localLog(): Promise<Logger> {
    const { createLogger } = await import("../kit/log.ts");
    const level = this.environment.LOG_LEVEL ? this.settings().LOG_LEVEL : "warn";
    return createLogger({ level, destination: { write: (line) => void this.stderr.write(plainJson(line)) } });
  }

  /** From now on SIGTERM and SIGINT ask to stop; the second one ends the process at once. */
  listenForStop(): StopRequest {
    return new StopRequest(this.#signals, (text) => this.remark(text));
  }
}

const maskedJson = (value: unknown, indent?: number): string =>
  JSON.stringify(withTextsMasked(value, withoutCallbackTokens), null, indent);
