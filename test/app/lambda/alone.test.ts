import { expect, it } from "vitest";
import { useBundles } from "./bundles.ts";
import { startContainer } from "./container.ts";
import { scheduleEvent } from "./payloads.ts";

const bundles = useBundles();

it.concurrent.each([
  "receive",
  "confirm",
  "publish",
  "reconcile",
  "certify",
  "replay",
  "retention",
  "migrate",
])("%s runs where nothing but its bundle is, and asks SSM for its secrets", async (name) => {
  const container = startContainer(bundles.of(name), {
    SETTINGS_PATH: "/invoice-relay/test",
    SECRET_SETTINGS: "DATABASE_URL",
    AWS_REGION: "us-east-1",
    // Nobody listens there.
    AWS_ENDPOINT_URL_SSM: "http://127.0.0.1:1",
  });
  await expect(container.invoke(scheduleEvent)).rejects.toThrow("ECONNREFUSED 127.0.0.1:1");
  if (name !== "migrate")
    expect(container.lines).toMatchObject([{ msg: "an invocation failed", requestId: "request" }]);
});
