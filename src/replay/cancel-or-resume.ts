import { sql, type Transaction } from "kysely";
import { closeAlarms } from "../alarms/alarms.ts";
import { audit, type ByHand } from "../alarms/audit.ts";
import type { Tables } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { NO_LEASE } from "./held-replay.ts";
import type { Replay } from "./replay.ts";
import { mustFindReplay } from "./replay-rows.ts";

interface ChangeOptions extends ByHand {
  id: string;
}

/** Ends a replay for good, also a failed one. @throws RelayError when it does not exist or has ended. */
export function cancelReplay(options: ChangeOptions): Promise<Replay> {
  return changeState(options, "replay.cancel", async (trx, replay) => {
    if (replay.state === "done" || replay.state === "cancelled")
      throw new RelayError(`The replay ${replay.id} has already ended: it is ${replay.state}.`);
    await trx
      .updateTable("replay")
      .set({ state: "cancelled", finished_at: sql`clock_timestamp()`, ...NO_LEASE })
      .where("id", "=", replay.id)
      .execute();
  });
}

/**
 * Makes a failed or cancelled replay resume where it stopped.
 * @throws RelayError when it does not exist or is done.
 */
export function resumeReplay(options: ChangeOptions): Promise<Replay> {
  return changeState(options, "replay.resume", async (trx, replay) => {
    if (replay.state === "done")
      throw new RelayError(`The replay ${replay.id} is done: there is nothing to resume.`);
    await trx
      .updateTable("replay")
      .set({ state: "running", finished_at: null, last_error: null })
      .where("id", "=", replay.id)
      .where("state", "<>", "running")
      .execute();
  });
}

async function changeState(
  { db, actor, id, reason }: ChangeOptions,
  action: string,
  change: (trx: Transaction<Tables>, replay: Replay) => Promise<void>,
): Promise<Replay> {
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom("replay").select("id").where("id", "=", id).forUpdate().execute();
    const replay = await mustFindReplay({ db: trx, id });
    await change(trx, replay);
    await closeAlarms(trx, ["replay_failed"], [{ source: "", subject: id }]);
    const detail = { from: replay.state, handled: replay.handled };
    await audit(trx, [{ actor, action, subject: id, invoiceId: null, detail, reason }]);
  });
  return await mustFindReplay({ db, id });
}
