import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Finding } from "../checker/finding.ts";
import { judgeFolder } from "../checker/judge-run.ts";
import { startUntilItRuns } from "../torture/strike.ts";
import { rest } from "../torture/torture.ts";
import type { Relay } from "../world/relay.ts";
import { heal, keepBooks, type World } from "../world/world.ts";
import { drive } from "./drive.ts";
import type { Step } from "./steps.ts";

export interface MatrixRow {
  step: string;
  /** Whether the process came by and got its signal. */
  reached: boolean;
  /** Whether all was done in the end. */
  rested: boolean;
  /** Messages that SNS accepted once more since the row before. */
  copies: number;
  /** What the rows before did not show. */
  findings: Finding[];
}

/** `crash`: SIGKILL, then started again. `pause`: SIGSTOP for longer than the lease while another process works. */
export type MatrixKind = "crash" | "pause";

/** How much longer than a lease a stopped process sleeps. */
const LEASES_ASLEEP = 2;

/** What a process does once at its start is over by then, in ms; it has rows of its own. */
const SETTLED_MS = 1_000;

/** Three leases, and what starting takes, in ms (G11). */
const startsWithin = (leaseMs: number) => 3 * leaseMs + 10_000;

/** Whoever comes by a step gets a signal there: row after row in one world, whose history grows. */
export class Matrix {
  readonly #world: World;
  readonly #kind: MatrixKind;
  readonly #leaseMs: number;
  readonly #shown = new Set<string>();
  #copies = 0;

  /** @param world with one relay that is struck, and for pauses one that goes on. */
  constructor(world: World, kind: MatrixKind, leaseMs: number) {
    this.#world = world;
    this.#kind = kind;
    this.#leaseMs = leaseMs;
  }

  async row(step: Step): Promise<MatrixRow> {
    const world = this.#world;
    const [struck, ...others] = world.relays;
    if (struck === undefined) throw new Error("A world without a relay.");
    await Promise.all(world.relays.map((relay) => (relay.runs ? relay.process.stop() : null)));
    await struck.start(armed(step, this.#kind, struck));
    if (step.drive !== "start") await delay(SETTLED_MS);
    const driven = drive(world, step.drive);
    const reached = await struck.process.says(new RegExp(`^at step ${step.name}$`), 15_000).then(
      () => true,
      () => false,
    );
    const blocked: Finding[] = [];
    if (this.#kind === "crash") await struck.process.kill();
    else {
      struck.process.stopsItself();
      for (const relay of others)
        await relay.start({ withinMs: startsWithin(this.#leaseMs) }).catch(async () => {
          const what = `could not start while another process was stopped at "${step.name}"`;
          blocked.push({ guarantee: "G11", what, about: relay.name });
          await relay.process.kill();
        });
      await delay(LEASES_ASLEEP * this.#leaseMs);
      struck.process.continue();
    }
    await driven;
    await heal(world);
    for (const relay of world.relays) await startUntilItRuns(relay);
    const rested = await rest(world);
    const { copies, findings } = await this.#judge();
    const all = [...blocked, ...findings];
    if (copies > 0 && step.mayCopy !== true)
      all.push({
        guarantee: "G5",
        what: "sent again, though its acceptance could be known",
        about: step.name,
      });
    return { step: step.name, reached, rested, copies, findings: all };
  }

  async #judge(): Promise<Pick<MatrixRow, "copies" | "findings">> {
    const books = await keepBooks(this.#world);
    const accepted = await this.#world.sns.recordAcceptances();
    const published = new Set(books.publications.map(({ source, event_id }) => `${source} ${event_id}`));
    const copies = accepted - published.size - this.#copies;
    this.#copies += copies;
    const findings = judgeFolder(this.#world.folder).filter((finding) => {
      const key = JSON.stringify(finding);
      return !this.#shown.has(key) && this.#shown.add(key);
    });
    return { copies, findings };
  }
}

const armed = (step: Step, kind: MatrixKind, relay: Relay) => ({
  nodeArgs: ["--import", join(import.meta.dirname, "at-step.ts")],
  environment: {
    FAULTS_STEP: step.name,
    FAULTS_SIGNAL: kind === "crash" ? "SIGKILL" : "SIGSTOP",
    FAULTS_SOURCES: join(relay.main, "../.."),
  },
});
