import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../../migrations");

/** The first 16 digits of each file's SHA-256. A line is added for a new file, and never changed. */
const RELEASED = {
  "collection-service/0001_collection_service.ts": "8b87c4e06886dbeb",
  "relay/0001_log.ts": "8958985ba680a5b4",
  "relay/0002_confirm.ts": "7a7a1ceb66731b34",
  "relay/0003_publish.ts": "82dd4c74f686170d",
  "relay/0004_upstreams.ts": "b83343cd63abc18e",
  "relay/0005_people.ts": "e019c01e78678584",
  "relay/0006_reconcile.ts": "5d0951e5a5f8febc",
  "relay/0007_replay.ts": "95e082ad8c55244f",
  "relay/0008_work.ts": "e0c04e63ed7f70e1",
  "relay/0009_age.ts": "e4c08adf272cce7a",
  "relay/0010_snooze.ts": "6a019efe706ba2e9",
  "relay/0015_signing_key.ts": "68db017e0e6a6dad",
  "relay/0018_whole_pages.ts": "680e7ccb2784db68",
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
