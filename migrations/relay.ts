import type { Migration } from "kysely/migration";
import * as m0001 from "./relay/0001_callback.ts";
import * as m0002 from "./relay/0002_confirmation.ts";
import * as m0003 from "./relay/0003_invoice.ts";
import * as m0004 from "./relay/0004_event.ts";
import * as m0005 from "./relay/0005_upstream.ts";
import * as m0006 from "./relay/0006_alarm_and_audit.ts";
import * as m0007 from "./relay/0007_reconcile.ts";
import * as m0008 from "./relay/0008_replay.ts";
import * as m0009 from "./relay/0009_partition_functions.ts";
import * as m0010 from "./relay/0010_relay_process.ts";
import * as m0011 from "./relay/0011_log_guard.ts";
import * as m0012 from "./relay/0012_callback_budget.ts";
import * as m0013 from "./relay/0013_comments.ts";
import * as m0014 from "./relay/0014_turns.ts";
import * as m0015 from "./relay/0015_erasing.ts";
import * as m0016 from "./relay/0016_listed_items.ts";
import * as m0017 from "./relay/0017_moments.ts";
import * as m0018 from "./relay/0018_event_answer.ts";
import * as m0019 from "./relay/0019_recording_problem.ts";

/**
 * The relay's migrations for a bundle, which has no folder to look into. A test holds it against the folder.
 */
export const relayMigrations: Readonly<Record<string, Migration>> = {
  "0001_callback": m0001,
  "0002_confirmation": m0002,
  "0003_invoice": m0003,
  "0004_event": m0004,
  "0005_upstream": m0005,
  "0006_alarm_and_audit": m0006,
  "0007_reconcile": m0007,
  "0008_replay": m0008,
  "0009_partition_functions": m0009,
  "0010_relay_process": m0010,
  "0011_log_guard": m0011,
  "0012_callback_budget": m0012,
  "0013_comments": m0013,
  "0014_turns": m0014,
  "0015_erasing": m0015,
  "0016_listed_items": m0016,
  "0017_moments": m0017,
  "0018_event_answer": m0018,
  "0019_recording_problem": m0019,
};
