import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../../migrations");

/** The first 16 digits of each file's SHA-256. A line is added for a new file, and never changed. */
const RELEASED = {
  "collection-service/0001_collection_service.ts": "253487f3efff8188",
  "relay/0001_callback.ts": "323b0f115e6cca46",
  "relay/0002_confirmation.ts": "7824e0cbd4e20651",
  "relay/0003_events.ts": "6adc2059415a2aab",
  "relay/0004_reconciliation.ts": "a742814796c42b41",
  "relay/0005_replays.ts": "fa47048db365965d",
  "relay/0006_upstream.ts": "0bcedb3c9ae8f607",
  "relay/0007_alarm.ts": "55cd0157f4d3f87d",
  "relay/0008_process.ts": "856a3f96c2b989d4",
  "relay/0009_signing.ts": "68db017e0e6a6dad",
  "relay/0010_session.ts": "54c76f7300f7200b",
};

it("a migration that may have run somewhere is never changed: what is new is a new file", () => {
  const digests = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\/\d{4}_\w+\.ts$/.test(file))
    .sort()
    .map((file) => [
      file,
      createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex")
        .slice(0, 16),
    ]);
  expect(Object.fromEntries(digests)).toEqual(RELEASED);
});
