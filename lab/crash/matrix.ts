import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { evidenceOf, type Finding } from "../checker/evidence.ts";
import { now } from "../checker/history.ts";
import { checkEnvironment, type Environment, heal, rest } from "../environment/environment.ts";
import type { Relay } from "../environment/relay.ts";
import { type Command, DRIVES, type Drive } from "./drive.ts";
import { COPIES, type Failpoint, PASSINGS } from "./failpoints.ts";

export interface MatrixRow {
  failpoint: string;
  /** Whether the process reached the failpoint and got its signal. */
  reached: boolean;
  /** Whether everything was done in the end. */
  rested: boolean;
  /** Duplicates that SNS accepted since the previous row. */
  copies: number;
  /** Findings that earlier rows did not have. */
  findings: Finding[];
}

/**
 * `crash`: SIGKILL, then a restart. `pause`: SIGSTOP for longer than the lease while another process works.
 */
export type MatrixKind = "crash" | "pause";

/** How many leases a process stays stopped while another one runs. */
const LEASES_ASLEEP = 2;

/** How long the failpoints of starting take at most, in ms; they have rows of their own. */
const SETTLED_MS = 1_000;

/** How long an undisturbed process takes to mark what SNS accepted, in ms. */
const KEPT_WITHIN_MS = 500;

/** Three leases (G11), plus the time to start on a busy machine, in ms: the other one is stopped until then. */
const startsWithin = (leaseMs: number) => 3 * leaseMs + 30_000;

/** Sends a signal at each failpoint: row after row in one environment with a growing history. */
export class Matrix {
  readonly #environment: Environment;
  readonly #kind: MatrixKind;
  readonly #leaseMs: number;
  readonly #shown = new Set<string>();
  #copies = 0;

  /** @param environment with the relay that gets the signal and, for pauses, another one that keeps working. */
  constructor(environment: Environment, kind: MatrixKind, leaseMs: number) {
    this.#environment = environment;
    this.#kind = kind;
    this.#leaseMs = leaseMs;
  }

  async row(failpoint: Failpoint): Promise<MatrixRow> {
    const environment = this.#environment;
    const [struck, ...others] = environment.relays as [Relay, ...Relay[]];
    const drive: Drive = DRIVES[failpoint.drive];
    await Promise.all(environment.relays.map((relay) => (relay.runs ? relay.process.stop() : null)));
    await drive.prepare?.(environment);
    const command = (await drive.command?.(environment)) ?? null;
    const { process, acting } = await this.#begin(failpoint, drive, command);
    const reached = await process.says(new RegExp(`^at failpoint ${failpoint.name}$`)).then(
      () => true,
      () => false,
    );
    const struckAt = now();
    const blocked: string[] = [];
    if (this.#kind === "crash") await process.kill();
    else if (reached) {
      process.stopsItself();
      for (const relay of others)
        await relay.start({}, startsWithin(this.#leaseMs)).catch(async () => {
          blocked.push(relay.name);
          await relay.process.kill();
        });
      // Another one does the same meanwhile, and may have to wait for the first.
      if (command?.again) acting.push(others[0]?.launch(command.words, command).ended);
      // From here on there is another process to take over what the stopped one holds.
      await delay(LEASES_ASLEEP * this.#leaseMs);
      process.continue();
    }
    heal(environment);
    if (command !== null) acting.push(process.ended);
    await Promise.all(acting);
    for (const relay of environment.relays) await relay.startUntilItRuns();
    const rested = await rest(environment);
    const again = command?.again === true ? await struck.launch(command.words, command).ended : 0;
    const { copies, findings } = await this.#check();
    const find = (guarantee: Finding["guarantee"], what: string, about = failpoint.name) =>
      findings.push({ guarantee, what, about });
    for (const name of blocked) find("G11", "could not start while another process was stopped", name);
    if (again !== 0) find("G11", `${command?.words[0]} failed when it was run again`);
    if (copies > 0 && !mayCopy(failpoint, this.#kind) && !this.#wereOnTheirWay(struckAt))
      find("G5", "sent again, although the acceptance could be known");
    return { failpoint: failpoint.name, reached, rested, copies, findings };
  }

  /** Starts the process that is to pass the failpoint, and triggers it. */
  async #begin(failpoint: Failpoint, drive: Drive, command: Command | null) {
    const [struck] = this.#environment.relays as [Relay];
    const arms = armed(failpoint, this.#kind);
    if (command !== null) {
      const environment = { ...arms.environment, ...command.environment };
      return { process: struck.launch(command.words, { ...arms, environment }), acting: [] };
    }
    const environment = { ...arms.environment, ...drive.environment };
    // It may not get as far as saying that it runs.
    const started = struck.start({ ...arms, environment }).then(
      () => true,
      () => false,
    );
    const acting: (Promise<unknown> | undefined)[] = [];
    if (drive.act !== undefined && (await started)) {
      await delay(SETTLED_MS);
      acting.push(drive.act(this.#environment));
    }
    return { process: struck.process, acting };
  }

  /**
   * Whether everything sent again since then had only just been accepted, so that another loop of the process
   * was about to mark it.
   */
  #wereOnTheirWay(struckAt: number): boolean {
    const { accepted } = evidenceOf(this.#environment.recorder.history);
    const byEvent = Map.groupBy(
      accepted,
      ({ topicArn, event, replay }) => `${topicArn} ${event.id} ${replay}`,
    );
    return [...byEvent.values()].every((lines) =>
      lines.every((line, index) => {
        const before = lines[index - 1];
        return before === undefined || line.at < struckAt || before.at > struckAt - KEPT_WITHIN_MS;
      }),
    );
  }

  async #check(): Promise<Pick<MatrixRow, "copies" | "findings">> {
    const { books, findings } = await checkEnvironment(this.#environment);
    const accepted = this.#environment.sns.messages().length;
    const published = new Set(
      books.publications.map(({ source, event_id, replay_id }) => `${source} ${event_id} ${replay_id}`),
    );
    const copies = accepted - published.size - this.#copies;
    this.#copies += copies;
    const fresh = findings.filter((finding) => {
      const key = JSON.stringify(finding);
      return !this.#shown.has(key) && this.#shown.add(key);
    });
    return { copies, findings: fresh };
  }
}

const mayCopy = ({ name }: Failpoint, kind: MatrixKind): boolean =>
  COPIES[name] === "accepted" || (COPIES[name] === "leaving" && kind === "pause");

const armed = (failpoint: Failpoint, kind: MatrixKind) => ({
  nodeArgs: ["--import", join(import.meta.dirname, "at-failpoint.ts")],
  environment: {
    FAILPOINT: failpoint.name,
    FAILPOINT_PASSING: String(PASSINGS[failpoint.name] ?? 1),
    FAILPOINT_SIGNAL: kind === "crash" ? "SIGKILL" : "SIGSTOP",
  },
});
