import type { Migration } from "kysely/migration";
import * as m0001 from "./relay/0001_log.ts";
import * as m0002 from "./relay/0002_confirm.ts";
import * as m0003 from "./relay/0003_publish.ts";
import * as m0004 from "./relay/0004_upstreams.ts";
import * as m0005 from "./relay/0005_people.ts";
import * as m0006 from "./relay/0006_reconcile.ts";
import * as m0007 from "./relay/0007_replay.ts";
import * as m0008 from "./relay/0008_work.ts";
import * as m0009 from "./relay/0009_age.ts";
import * as m0010 from "./relay/0010_snooze.ts";
import * as m0015 from "./relay/0015_signing_key.ts";
import * as m0018 from "./relay/0018_whole_pages.ts";

/**
 * The relay's migrations for a bundle, which has no folder to look into. A test holds it against the folder.
 * A number only says what comes after what.
 */
export const relayMigrations: Readonly<Record<string, Migration>> = {
  "0001_log": m0001,
  "0002_confirm": m0002,
  "0003_publish": m0003,
  "0004_upstreams": m0004,
  "0005_people": m0005,
  "0006_reconcile": m0006,
  "0007_replay": m0007,
  "0008_work": m0008,
  "0009_age": m0009,
  "0010_snooze": m0010,
  "0015_signing_key": m0015,
  "0018_whole_pages": m0018,
};
