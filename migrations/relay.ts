import type { Migration } from "kysely/migration";
import * as m0001 from "./relay/0001_callback.ts";
import * as m0002 from "./relay/0002_confirmation.ts";
import * as m0003 from "./relay/0003_events.ts";
import * as m0004 from "./relay/0004_reconciliation.ts";
import * as m0005 from "./relay/0005_replays.ts";
import * as m0006 from "./relay/0006_upstream.ts";
import * as m0007 from "./relay/0007_alarm.ts";
import * as m0008 from "./relay/0008_process.ts";
import * as m0009 from "./relay/0009_signing.ts";
import * as m0010 from "./relay/0010_session.ts";

/** The relay's migrations for a bundle, which has no folder to look into. A test holds it against the folder. */
export const relayMigrations: Readonly<Record<string, Migration>> = {
  "0001_callback": m0001,
  "0002_confirmation": m0002,
  "0003_events": m0003,
  "0004_reconciliation": m0004,
  "0005_replays": m0005,
  "0006_upstream": m0006,
  "0007_alarm": m0007,
  "0008_process": m0008,
  "0009_signing": m0009,
  "0010_session": m0010,
};
