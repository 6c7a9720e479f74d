import { Command } from "commander";
import type { Door } from "../door.ts";
import { renderStatus } from "../render-status.ts";

/** `invoice-relay status`: everything that on-call asks first; exit code 1 when a person is needed. */
export function statusCommand(door: Door): Command {
  return new Command("status")
    .description("how the relay does, in one look: what waits for a person, and what to do about it")
    .action(async () => {
      const { readStatus } = await import("../../operate/status.ts");
      const { statusSettings } = await import("../../app/status-settings.ts");
      const settings = statusSettings(door.settings(["DATABASE_URL"]));
      const status = await door.withDatabase((db) => readStatus(db, settings));
      if (status.needsPerson) door.fault();
      door.show(status, () => renderStatus(status, door));
    });
}
