import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TcpProxy } from "../../test/support/tcp-proxy.ts";
import type { Recorder } from "../history/recorder.ts";
import { OwnProcess } from "./own-process.ts";

/** The links of one relay, each through a proxy. */
export interface Links {
  /** Senders of callbacks → relay. */
  callbacks: TcpProxy;
  postgres: TcpProxy;
  provider: TcpProxy;
  sns: TcpProxy;
}
export type LinkName = keyof Links;

export interface RelayOptions {
  name: string;
  folder: string;
  recorder: Recorder;
  /** Settings, with the database's address without the proxy. */
  environment: Record<string, string>;
  /** The content of its SOURCES_FILE, given the provider's address for this relay. */
  sourcesFile(collectionApiUrl: string): unknown;
  ports: { postgres: number; provider: number; sns: number };
}

export interface StartOptions {
  /** Arguments for Node, before the program. */
  nodeArgs?: readonly string[];
  environment?: Record<string, string>;
  /** Arguments for `serve`. */
  words?: readonly string[];
  /** How long it may take, in ms; a minute by default. */
  withinMs?: number;
}

/** A place where `serve` runs: the links stay while its process may be killed and restarted. */
export class Relay {
  readonly name: string;
  readonly links: Links;
  readonly #options: RelayOptions;
  #process: OwnProcess | null = null;

  private constructor(options: RelayOptions, links: Links) {
    this.name = options.name;
    this.#options = options;
    this.links = links;
  }

  /** Creates the links, without starting `serve`. */
  static async place(options: RelayOptions): Promise<Relay> {
    const links: Links = {
      callbacks: await TcpProxy.start(),
      postgres: await TcpProxy.start(options.ports.postgres),
      provider: await TcpProxy.start(options.ports.provider),
      sns: await TcpProxy.start(options.ports.sns),
    };
    const relay = new Relay(options, links);
    const sources = options.sourcesFile(`http://127.0.0.1:${links.provider.port}`);
    await writeFile(relay.#sourcesFile, JSON.stringify(sources));
    return relay;
  }

  /** Its process. @throws Error when there is none. */
  get process(): OwnProcess {
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

  /** The program with this relay's settings and links, for `serve` or another command. */
  launch(words: readonly string[], start: StartOptions = {}): OwnProcess {
    const { environment, folder, recorder } = this.#options;
    return new OwnProcess({
      name: this.name,
      doing: words[0] ?? "",
      folder,
      recorder,
      args: [...(start.nodeArgs ?? []), MAIN, ...words],
      environment: {
        ...environment,
        ...this.#addresses(),
        ...start.environment,
      },
      onLine: (line) => this.#read(line),
    });
  }

  /**
   * Starts `serve` and resolves when it accepts callbacks. @throws Error with its last lines if it does not.
   */
  async start(start: StartOptions = {}): Promise<void> {
    this.#process = this.launch(["serve", ...(start.words ?? [])], start);
    const [, port] = await this.#process.says(/"port":(\d+)/, start.withinMs);
    this.links.callbacks.moveTo(Number(port));
  }

  /** Ends the faults of all links. */
  heal(): void {
    for (const link of this.#all) link.heal();
  }

  async close(): Promise<void> {
    await this.#process?.kill();
    await Promise.all(this.#all.map((link) => link.close()));
  }

  get #all(): TcpProxy[] {
    const { callbacks, postgres, provider, sns } = this.links;
    return [callbacks, postgres, provider, sns];
  }

  get #sourcesFile(): string {
    return join(this.#options.folder, `${this.name}.sources.json`);
  }

  #addresses(): Record<string, string> {
    const { environment } = this.#options;
    const { postgres, sns } = this.links;
    return {
      PORT: "0",
      SOURCES_FILE: this.#sourcesFile,
      DATABASE_URL: postgres.through(environment.DATABASE_URL ?? ""),
      AWS_ENDPOINT_URL_SNS: `http://127.0.0.1:${sns.port}`,
    };
  }

  /** Records the alarms in its log; the other lines are only kept. */
  #read(line: string): void {
    if (!line.includes('"alarm')) return;
    const { alarm, alarmCleared, source, subject } = JSON.parse(line) as Record<string, string | undefined>;
    const name = alarm ?? alarmCleared;
    if (name === undefined) return;
    this.#options.recorder.record({
      what: "alarm",
      process: this.name,
      name,
      source: source ?? "",
      subject: subject ?? "",
      raised: alarm !== undefined,
    });
  }
}

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");
