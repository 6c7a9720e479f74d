import { describe, expect, it } from "vitest";
import { ownRelay, TOKEN } from "../support/relay.ts";

const relayWith = async (changes: Record<string, string> = {}) =>
  (await ownRelay(changes, { http: true, workers: false })).relay;

const PATHS = ["/", "/healthz", "/readyz", "/metrics", "/callbacks/wrong", "/%zz"];

describe("every answer", () => {
  it("is not to be sniffed, and behind TLS says that it stays there", async () => {
    const relay = await relayWith();
    for (const path of [...PATHS, `/callbacks/${TOKEN}`]) {
      const { headers } = await fetch(relay.url + path);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("strict-transport-security"), path).toMatch(/^max-age=\d{8}$/);
    }
  });

  it("leaves it to a load balancer to close an idle connection, which Google's does after 600 s", async () => {
    const { headers } = await fetch((await relayWith()).url);
    const seconds = Number(/timeout=(\d+)/.exec(headers.get("keep-alive") ?? "")?.[1]);
    expect(seconds).toBeGreaterThan(600);
  });

  it("says nothing of TLS where there is none", async () => {
    const relay = await relayWith({ PUBLIC_URL: "http://localhost:4000" });
    expect((await fetch(relay.url)).headers.has("strict-transport-security")).toBe(false);
  });
});
