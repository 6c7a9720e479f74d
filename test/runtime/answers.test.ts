import { expect, it } from "vitest";
import { ownRelay, TOKEN } from "../support/relay.ts";

it.each([
  ["https://relay.example.com", /^max-age=\d{8}$/],
  ["http://localhost:4000", /^null$/],
])(
  "no answer is to be sniffed, and behind TLS each says that it stays there: %s",
  async (PUBLIC_URL, transport) => {
    const { relay } = await ownRelay({ PUBLIC_URL }, { http: true, workers: false });
    const paths = ["/", "/healthz", "/readyz", "/metrics", "/callbacks/wrong", "/%zz", `/callbacks/${TOKEN}`];
    for (const path of paths) {
      const { headers } = await fetch(relay.url + path);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(String(headers.get("strict-transport-security")), path).toMatch(transport);
      // A load balancer closes an idle connection first: Google's after 600 s.
      const seconds = Number(/timeout=(\d+)/.exec(headers.get("keep-alive") ?? "")?.[1]);
      expect(seconds, path).toBeGreaterThan(600);
    }
  },
);
